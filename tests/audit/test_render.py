"""A report as text and as JSON."""

from __future__ import annotations

import json
from itertools import chain

from skitter.audit.render import GROUPS, as_json, render
from skitter.audit.report import MEANINGS, Breach, Report, Tally, Violation

EARLY = Violation(
    Breach.TOO_EARLY,
    "one.warc.gz",
    77,
    host="a.example",
    urls=["http://a.example/1", "http://a.example/2"],
    times=[1_794_775_000.0, 1_794_775_000.25],
    gap=0.25,
    required=1.0,
)
TORN = Violation(Breach.DAMAGED, "two.warc.gz", 5, "no gzip member begins here")
CLEAN = Report(
    files=1, size=2_000_000, records=9, requests=3, robots=1, hosts=1, closest=0.5, digests=True, tolerance=0.005
)
BROKEN = Report(
    files=2,
    size=1,
    records=9,
    requests=3,
    robots=1,
    hosts=1,
    closest=-0.75,
    digests=False,
    tolerance=0.005,
    counts={Breach.TOO_EARLY: 3, Breach.DAMAGED: 1},
    shown=[EARLY, TORN],
    notes=["two.warc.gz: is being written"],
)


def test_a_clean_report_says_what_was_proved() -> None:
    assert render(CLEAN) == (
        "3 requests (1 of them for robots.txt) to 1 hosts, in 9 records of 1 WARC files (2.0 MB)\n"
        "The closest two requests to a host came was 0.500000 s over its delay.\n"
        "Delays:  proved\n"
        "Robots:  proved\n"
        "Archive: proved\n"
        "Every promise was kept.\n"
    )


def test_a_violation_is_shown_with_its_evidence() -> None:
    text = render(BROKEN)
    assert (
        "Delays:  3 violations\n"
        "  too_early: a request followed the one before it sooner than the host's delay (3)\n"
        "    one.warc.gz at 77\n"
        "      2026-11-15T20:36:40.000000Z http://a.example/1\n"
        "      2026-11-15T20:36:40.250000Z http://a.example/2\n"
        "      after 0.250000 s, 1.000000 s were due\n"
        "    … and 2 more\n"
        "Robots:  proved\n"
        "Archive: 1 violations\n"
    ) in text
    assert "    two.warc.gz at 5: no gzip member begins here\n" in text
    assert "0.750000 s under its delay" in text
    assert text.endswith("Digests were not recomputed.\nNote: two.warc.gz: is being written\n4 violations.\n")


def test_json_is_one_line_and_has_everything() -> None:
    text = as_json(BROKEN)
    assert "\n" not in text
    said = json.loads(text)
    assert said["clean"] is False
    assert said["counts"] == {"too_early": 3, "damaged": 1}
    assert said["shown"][0] == {
        "kind": "too_early",
        "file": "one.warc.gz",
        "offset": 77,
        "host": "a.example",
        "urls": ["http://a.example/1", "http://a.example/2"],
        "times": [1_794_775_000.0, 1_794_775_000.25],
        "gap": 0.25,
        "required": 1.0,
    }
    assert json.loads(as_json(CLEAN))["clean"] is True


def test_every_kind_of_violation_has_a_meaning_and_a_place_in_the_text() -> None:
    assert set(MEANINGS) == set(Breach)
    assert sorted(chain.from_iterable(GROUPS.values())) == sorted(Breach)


def test_a_tally_counts_all_and_keeps_the_first_in_the_order_of_kinds() -> None:
    tally = Tally(2)
    for violation in (TORN, EARLY, EARLY, EARLY):
        tally.add(violation)
    assert tally.counts == {Breach.TOO_EARLY: 3, Breach.DAMAGED: 1}
    assert tally.in_order() == [EARLY, EARLY, TORN]
