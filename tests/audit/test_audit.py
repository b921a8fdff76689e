"""Archives written by the real store: a good one passes, one that is doctored in a single place fails for just that."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from skitter.audit.audit import audit
from skitter.audit.report import Breach
from skitter.errors import OperatorError
from skitter.messages import Errand, Kind
from skitter.ports import Earlier
from skitter.settings import DAY, PolitenessSettings, Settings
from skitter.store.warc.file import OPEN
from skitter.store.warc.members import gzip_member
from skitter.store.warc.reader import Reader
from skitter.store.warc.records import record
from tests.audit.timeline import BEGIN, Change, audited, doctor, offsets, page, robots, the_file, write

A, B = "http://a.example", "https://b.example"
RULES = "User-agent: *\nDisallow: /private/\nCrawl-delay: 3\n"

GOOD = [
    robots(0, f"{A}/robots.txt"),
    robots(0.2, f"{B}/robots.txt", RULES),
    page(1, f"{A}/"),
    page(2.5, f"{A}/gone", status=404),
    page(3.2, f"{B}/"),
    page(3.5, f"{A}/reset", status=0, failure=Kind.RESET),
    page(5.5, f"{A}/busy", status=503, headers=[("Retry-After", "20")]),
    page(6.2, f"{B}/2"),
    page(25.6, f"{A}/busy"),
    page(29.6, f"{A}/last"),
]


def test_a_good_archive_is_clean(tmp_path: Path) -> None:
    report = audited(tmp_path, GOOD)
    assert report.counts == {}
    assert (report.requests, report.robots, report.hosts, report.files) == (10, 2, 2, 1)
    assert report.records == 1 + 3 * 10 - 1  # no answer came to one of them
    assert report.closest == pytest.approx(0, abs=1e-5)
    assert report.is_clean
    assert report.notes == []


@pytest.mark.slow
def test_requests_of_a_host_are_put_in_order_over_files_and_nodes(tmp_path: Path) -> None:
    spread = [structs.replace(step, node=at % 2, roll=at % 3 == 0) for at, step in enumerate(GOOD)]
    report = audited(tmp_path, spread)
    assert report.files > 3
    assert report.counts == {}
    moved = [structs.replace(step, at=1.9) if step.url == f"{A}/gone" else step for step in spread]
    report = audited(tmp_path / "moved", moved)
    assert report.counts == {Breach.TOO_EARLY: 1}


CASES: dict[str, tuple[dict[int, dict[str, object]], Breach, str]] = {
    "one request too early": ({3: {"at": 1.99}}, Breach.TOO_EARLY, f"{A}/gone"),
    "sooner than Crawl-delay": ({4: {"at": 3.19}}, Breach.TOO_EARLY, f"{B}/"),
    "sooner after a failed request": ({6: {"at": 4.49}}, Breach.TOO_EARLY, f"{A}/busy"),
    "not slower after a reset": ({6: {"at": 5.49}}, Breach.NOT_SLOWED, f"{A}/busy"),
    "not slower after a time-out": (
        {5: {"failure": Kind.READ_TIMEOUT}, 6: {"at": 5.49}},
        Breach.NOT_SLOWED,
        f"{A}/busy",
    ),
    "not slower after one that broke off while dialling": (
        {5: {"is_sent": False}, 6: {"at": 4.4}},
        Breach.NOT_SLOWED,
        f"{A}/busy",
    ),
    "too soon for a slow answer": ({2: {"took": 0.8}}, Breach.LOADED, f"{A}/gone"),
    "too soon for a slow part of a page in a browser": (
        {2: {"took": 0.8, "errand": Errand.PART}},
        Breach.LOADED,
        f"{A}/gone",
    ),
    "two at once": ({2: {"took": 1.6}}, Breach.AT_ONCE, f"{A}/gone"),
    "before Retry-After": ({8: {"at": 25.5}}, Breach.BEFORE_RETRY_AFTER, f"{A}/busy"),
    "not slower after 503": ({9: {"at": 27.7}}, Breach.NOT_SLOWED, f"{A}/last"),
    "a forbidden URL": ({7: {"url": f"{B}/private/2"}}, Breach.FORBIDDEN, f"{B}/private/2"),
    "another origin": ({7: {"url": "https://www.b.example/2"}}, Breach.ROBOTS_UNKNOWN, "https://www.b.example/2"),
    "a sitemap before robots.txt": (
        {7: {"url": "http://b.example/map", "errand": Errand.SITEMAP}},
        Breach.ROBOTS_UNKNOWN,
        "http://b.example/map",
    ),
    "robots.txt was unreadable": ({0: {"status": 500}}, Breach.ROBOTS_UNREADABLE, f"{A}/"),
    "robots.txt was too old": ({9: {"at": DAY + 60}}, Breach.ROBOTS_STALE, f"{A}/last"),
    "a page as robots.txt": (
        {7: {"url": f"{B}/private/2", "errand": Errand.ROBOTS}},
        Breach.FALSE_ERRAND,
        f"{B}/private/2",
    ),
}


@pytest.mark.parametrize(("changes", "kind", "url"), CASES.values(), ids=CASES)
def test_a_crawl_that_breaks_one_promise(
    changes: dict[int, dict[str, object]], kind: Breach, url: str, tmp_path: Path
) -> None:
    steps = [structs.replace(step, **changes.get(at, {})) for at, step in enumerate(GOOD)]
    report = audited(tmp_path, steps)
    assert set(report.counts) == {kind}
    first = report.shown[0]
    assert first.kind is kind
    assert first.urls[-1] == url
    path = the_file(tmp_path)
    assert first.file == path.name
    assert first.offset in offsets(path, "request", url)
    assert first.times[-1] in [BEGIN + step.at for step in steps if step.url == url]


def drop(kind: str, url: str) -> Change:
    return lambda fields, block: (
        None if (fields["warc-type"], fields.get("warc-target-uri")) == (kind, url) else (fields, block)
    )


def put(kind: str, url: str, name: str, value: str) -> Change:
    def change(fields: dict[str, str], block: bytes) -> tuple[dict[str, str], bytes]:
        if (fields["warc-type"], fields.get("warc-target-uri")) == (kind, url):
            fields[name] = value
        return fields, block

    return change


def swap(kind: str, url: str, old: bytes, new: bytes) -> Change:
    def change(fields: dict[str, str], block: bytes) -> tuple[dict[str, str], bytes]:
        if (fields["warc-type"], fields.get("warc-target-uri", "")) == (kind, url):
            assert old in block
            return fields, block.replace(old, new)
        return fields, block

    return change


DOCTORED: dict[str, tuple[Change, Breach]] = {
    "no answer": (drop("response", f"{A}/"), Breach.MISMATCHED),
    "no request": (drop("request", f"{A}/"), Breach.MISMATCHED),
    "no metadata": (drop("metadata", f"{A}/"), Breach.MISMATCHED),
    "another date": (put("response", f"{A}/", "warc-date", "2026-11-15T20:36:00Z"), Breach.MISMATCHED),
    "no date": (put("request", f"{A}/", "warc-date", "yesterday"), Breach.MISMATCHED),
    "another id": (put("response", f"{A}/", "warc-record-id", "<urn:uuid:0>"), Breach.MISMATCHED),
    "another URL asked for": (swap("request", f"{A}/", b"GET / ", b"GET /x "), Breach.MISMATCHED),
    "another host asked": (swap("request", f"{A}/", b"Host: a.ex", b"Host: b.ex"), Breach.MISMATCHED),
    "unreadable metadata": (swap("metadata", f"{A}/", b"depth: 0", b"depth: x"), Breach.MISMATCHED),
    "impossible time": (swap("metadata", f"{A}/", b"fetchTimeMs: ", b"fetchTimeMs: -"), Breach.MISMATCHED),
    "agreed on nothing": (
        swap("metadata", f"{A}/", b"errand: page", b"errand: page\r\nagreedDelay: nan"),
        Breach.MISMATCHED,
    ),
    "no settings": (swap("warcinfo", "", b"configuration", b"konfiguration"), Breach.NO_SETTINGS),
    "foreign settings": (swap("warcinfo", "", b'"politeness":{', b'"politeness":[{'), Breach.NO_SETTINGS),
}


@pytest.mark.parametrize(("change", "kind"), DOCTORED.values(), ids=DOCTORED)
def test_an_archive_with_one_record_changed(change: Change, kind: Breach, tmp_path: Path) -> None:
    path = the_file(write(tmp_path, GOOD))
    doctor(path, change)
    report = audit(tmp_path)
    assert kind in report.counts
    assert report.shown[-1].file == path.name


def test_an_untouched_archive_survives_being_written_again(tmp_path: Path) -> None:
    doctor(the_file(write(tmp_path, GOOD)), lambda fields, block: (fields, block))
    assert audit(tmp_path).is_clean


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (swap("response", f"{A}/gone", b"HTTP/1.1", b"HTTP/1.0"), "WARC-Block-Digest"),
        (put("response", f"{A}/gone", "warc-payload-digest", f"sha256:{0:064}"), "WARC-Payload-Digest"),
    ],
    ids=["block", "payload"],
)
def test_a_wrong_digest_is_found_unless_it_is_not_asked_for(change: Change, why: str, tmp_path: Path) -> None:
    path = the_file(write(tmp_path, GOOD))
    doctor(path, change, mend=False)
    report = audit(tmp_path)
    assert report.counts == {Breach.BAD_DIGEST: 1}
    assert (report.shown[0].offset, report.shown[0].why) == (offsets(path, "response", f"{A}/gone")[0], why)
    report = audit(tmp_path, digests=False)
    assert report.is_clean
    assert not report.digests


def test_a_revisit_must_refer_to_something(tmp_path: Path) -> None:
    steps = [*GOOD, page(34, f"{A}/again", payload=b"<p>same"), page(38, f"{A}/and again", payload=b"<p>same")]
    steps = [structs.replace(step, url=step.url.replace(" ", "-")) for step in steps]
    path = the_file(write(tmp_path, steps))
    (at,) = offsets(path, "revisit")
    assert audit(tmp_path).is_clean
    doctor(path, put("response", f"{A}/again", "warc-payload-digest", ""))
    assert audit(tmp_path, digests=False).counts == {Breach.DANGLING: 1}
    doctor(path, put("response", f"{A}/again", "warc-record-id", "<urn:uuid:0>"))
    dangling = [one for one in audit(tmp_path).shown if one.kind is Breach.DANGLING]
    assert [one.file for one in dangling] == [path.name]
    assert abs(dangling[0].offset - at) < 200  # the doctored records are of other lengths


def test_a_revisit_of_an_unchanged_page_refers_by_url_and_date(tmp_path: Path) -> None:
    steps = [*GOOD, page(34, f"{A}/again", payload=b"<p>same"), page(38, f"{A}/again", payload=b"<p>same")]
    path = the_file(write(tmp_path, steps))

    def by_date(fields: dict[str, str], block: bytes) -> tuple[dict[str, str], bytes]:
        if fields["warc-type"] == "revisit":
            del fields["warc-refers-to"], fields["warc-payload-digest"]
        return fields, block

    doctor(path, by_date)
    assert audit(tmp_path).is_clean
    doctor(path, put("revisit", f"{A}/again", "warc-refers-to-date", "2026-11-15T20:36:00Z"))
    assert audit(tmp_path).counts == {Breach.DANGLING: 1}


def test_an_unchanged_page_may_refer_to_one_that_was_unchanged_before(tmp_path: Path) -> None:
    earlier = [Earlier(f"{A}/again", BEGIN + at) for at in (34, 38)]
    steps = [
        *GOOD,
        page(34, f"{A}/again"),
        page(38, f"{A}/again", status=304, payload=b"", earlier=earlier[0]),
        page(42, f"{A}/again", status=304, payload=b"", earlier=earlier[1]),
    ]
    path = the_file(write(tmp_path, steps))
    assert len(offsets(path, "revisit")) == 2
    assert audit(tmp_path).is_clean


def test_what_repeats_a_payload_must_refer_to_a_record_that_has_one(tmp_path: Path) -> None:
    same = [page(34 + 4 * at, f"{A}/{at}", payload=b"<p>same") for at in range(3)]
    path = the_file(write(tmp_path, [*GOOD, *same]))
    ids = [one.fields["warc-record-id"] for one in Reader(path) if one.kind == "revisit"]
    assert audit(tmp_path).is_clean
    doctor(path, put("revisit", f"{A}/2", "warc-refers-to", ids[0]))
    assert audit(tmp_path).counts == {Breach.DANGLING: 1}


def test_rules_are_read_through_a_revisit_in_another_file(tmp_path: Path) -> None:
    steps = [
        robots(0, f"{A}/robots.txt", RULES),
        robots(1, f"{B}/robots.txt", RULES, roll=True),
        page(4, f"{B}/open"),
        page(7, f"{B}/private/"),
    ]
    report = audited(tmp_path, steps)
    assert report.files == 2
    assert report.counts == {Breach.FORBIDDEN: 1}
    assert report.shown[0].urls == [f"{B}/private/"]
    assert report.shown[0].why == "line 2: Disallow: /private/"


def test_a_sealed_file_that_is_cut_is_damaged_and_an_open_one_is_growing(tmp_path: Path) -> None:
    path = the_file(write(tmp_path, GOOD))
    path.write_bytes(path.read_bytes()[:-10])
    report = audit(tmp_path)
    (at,) = offsets(path, "response", f"{A}/last")
    assert report.counts == {Breach.DAMAGED: 1}
    assert report.shown[0].offset > at
    path.rename(path.with_name(path.name + OPEN))
    report = audit(tmp_path)
    assert report.is_clean
    assert [note.partition(": ")[2][:10] for note in report.notes] == ["its last r", "is being w"]


def test_damage_with_whole_records_behind_it_is_damage_in_an_open_file_too(tmp_path: Path) -> None:
    path = the_file(write(tmp_path, GOOD))
    raw = bytearray(path.read_bytes())
    at = offsets(path, "request", f"{A}/gone")[0]
    raw[at : at + 3] = b"xxx"
    path.with_name(path.name + OPEN).write_bytes(raw)
    path.unlink()
    report = audit(tmp_path)
    assert report.counts == {Breach.DAMAGED: 1}
    assert report.shown[0].offset == at


def test_a_request_without_its_end_counts_for_the_delay(tmp_path: Path) -> None:
    path = the_file(write(tmp_path, [*GOOD, page(31, f"{A}/secret")]))
    doctor(path, drop("metadata", f"{A}/secret"))
    report = audit(tmp_path)
    assert report.counts == {Breach.NOT_SLOWED: 1}  # four seconds are due since the reset and the 503
    assert report.shown[0].urls[-1] == f"{A}/secret"
    assert len(report.notes) == 1


def test_what_a_request_without_its_end_was_for_is_not_known(tmp_path: Path) -> None:
    path = the_file(write(tmp_path, [*GOOD, page(30, f"{B}/private/")]))
    doctor(path, drop("metadata", f"{B}/private/"))
    report = audit(tmp_path)
    assert report.is_clean
    assert len(report.notes) == 1


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("warcinfo", "settings change in the middle of the file"),
        ("conversion", "a record of a kind that is never written: conversion"),
        ("resource", "a snapshot of another page than the one before it"),
    ],
)
def test_records_that_do_not_belong_here_are_found(kind: str, why: str, tmp_path: Path) -> None:
    path = the_file(write(tmp_path, GOOD))
    end = path.stat().st_size
    fields = [("WARC-Type", kind), ("WARC-Record-ID", "<urn:uuid:1>"), ("WARC-Date", "2026-11-15T20:36:00Z")]
    path.write_bytes(path.read_bytes() + gzip_member(record(fields, b""), 4))
    report = audit(tmp_path)
    assert [(one.kind, one.offset, one.why) for one in report.shown] == [(Breach.MISMATCHED, end, why)]


def test_a_fetch_that_says_neither_what_was_sent_nor_what_failed(tmp_path: Path) -> None:
    path = the_file(write(tmp_path, GOOD))
    doctor(path, drop("request", f"{A}/gone"))
    doctor(path, drop("response", f"{A}/gone"))
    assert "there is neither a request nor a failure" in [one.why for one in audit(tmp_path).shown]


AGREED = Settings(politeness=PolitenessSettings(delay=5))


@pytest.mark.parametrize(
    ("gap", "agreed", "is_clean"),
    [(5, None, True), (2, None, False), (2, 2.0, True), (1.9, 2.0, False), (5, 7.0, False)],
)
def test_the_delay_is_what_was_configured_or_agreed_on(
    gap: float, agreed: float | None, is_clean: bool, tmp_path: Path
) -> None:
    steps = [robots(0, f"{B}/robots.txt", RULES), page(gap, f"{B}/", agreed=agreed)]
    assert audited(tmp_path, steps, AGREED).is_clean == is_clean


def test_files_of_a_later_run_have_their_own_settings(tmp_path: Path) -> None:
    write(tmp_path, [robots(0, f"{A}/robots.txt"), page(5, f"{A}/1")], AGREED)
    write(tmp_path, [page(7, f"{A}/2", node=1), page(8, f"{A}/3", node=1)])
    assert audit(tmp_path).is_clean
    write(tmp_path, [page(9, f"{A}/2", node=2)], AGREED)
    report = audit(tmp_path)
    assert [(one.gap, one.required) for one in report.shown] == [(1.0, 5.0)]


def test_all_violations_are_counted_and_the_first_of_each_kind_shown(tmp_path: Path) -> None:
    steps = [robots(0, f"{A}/robots.txt"), *(page(1 + at / 2, f"{A}/{at}") for at in range(10))]
    report = audit(write(tmp_path, steps), shown=3)
    assert report.counts == {Breach.TOO_EARLY: 9}
    assert [one.urls[-1] for one in report.shown] == [f"{A}/1", f"{A}/2", f"{A}/3"]
    assert report.closest == -0.5


def test_progress_ends_at_the_size_of_the_archive(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    write(tmp_path, [structs.replace(step, roll=True) for step in GOOD])
    report = audit(tmp_path, on_progress=lambda done, size: told.append((done, size)))
    assert len(told) == len(GOOD)
    assert told == sorted(told)
    assert told[-1] == (report.size, report.size)


def test_progress_within_a_file_adds_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skitter.audit.archive.STEP", 1)
    told: list[int] = []
    report = audit(write(tmp_path, GOOD), on_progress=lambda done, _: told.append(done))
    assert len(told) > len(GOOD)
    assert told == sorted(told)
    assert told[-1] == report.size


def test_a_file_may_be_sealed_while_it_is_audited(tmp_path: Path) -> None:
    path = the_file(write(tmp_path, GOOD))
    growing = path.rename(path.with_name(path.name + OPEN))
    assert audit(tmp_path, on_progress=lambda _done, _size: growing.rename(path) and None).is_clean
    assert path.exists()


def test_what_a_revisit_refers_to_may_be_written_while_other_files_are_audited(tmp_path: Path) -> None:
    """A robots.txt and a page that two nodes store: the file with the bodies is read first, before they come."""
    first = [robots(0, f"{A}/robots.txt", RULES), page(3.1, f"{A}/", payload=b"same")]
    other = [robots(0, f"{B}/robots.txt", RULES), page(3.2, f"{B}/", payload=b"same")]
    write(tmp_path, [*first, *(structs.replace(step, node=1) for step in other)])
    path, _ = sorted((tmp_path / "warc").rglob("skitter-*"))
    whole = path.read_bytes()
    begun = whole[: next(iter(Reader(path))).length]
    path.write_bytes(begun)
    assert audit(tmp_path).counts == {Breach.DANGLING: 2, Breach.ROBOTS_UNREADABLE: 1}, "sealed: nothing more comes"
    growing = path.rename(path.with_name(path.name + OPEN))
    assert audit(tmp_path).counts == {Breach.DANGLING: 2, Breach.ROBOTS_UNREADABLE: 1}, "open, and nothing has come"
    assert audit(tmp_path, on_progress=lambda _done, _size: growing.write_bytes(whole) and None).is_clean


def test_an_empty_archive_is_clean_and_no_archive_is_the_operators_mistake(tmp_path: Path) -> None:
    (tmp_path / "warc").mkdir()
    assert audit(tmp_path).is_clean
    with pytest.raises(OperatorError, match="it has no warc/ in it"):
        audit(tmp_path / "elsewhere")


def test_an_audit_leaves_the_archive_as_it_was(tmp_path: Path) -> None:
    path = the_file(write(tmp_path, GOOD))
    before = path.read_bytes()
    audit(tmp_path)
    assert path.read_bytes() == before
    assert [one.name for one in (tmp_path / "warc").rglob("skitter-*")] == [path.name]


def test_an_archive_without_folders_by_day_is_read_as_well(tmp_path: Path) -> None:
    path = the_file(write(tmp_path, GOOD))
    now = audit(tmp_path)
    assert path.parent != tmp_path / "warc"
    path.rename(tmp_path / "warc" / path.name)
    assert audit(tmp_path) == now


def test_a_304_renews_a_robots_txt(tmp_path: Path) -> None:
    unchanged = robots(80_000, f"{A}/robots.txt", status=304, payload=b"")
    late = page(100_000, f"{A}/public")
    write(tmp_path, [robots(0, f"{A}/robots.txt", RULES), unchanged, late])
    assert audit(tmp_path).is_clean
    forbidden = page(100_010, f"{A}/private")
    write(tmp_path / "other", [robots(0, f"{A}/robots.txt", "User-agent: *\nDisallow: /private"), unchanged, forbidden])
    assert audit(tmp_path / "other").counts == {Breach.FORBIDDEN: 1}, "and its rules are those of before"


def test_without_it_they_are_too_old(tmp_path: Path) -> None:
    write(tmp_path, [robots(0, f"{A}/robots.txt", RULES), page(100_000, f"{A}/public")])
    assert not audit(tmp_path).is_clean
