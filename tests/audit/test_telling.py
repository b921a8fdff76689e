"""What was asked of a host, for its owner: complete, signed, and over all folders of a crawl."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from skitter.audit.audit import audit
from skitter.audit.report import Breach
from skitter.audit.signed import MARK, signature_of, with_signature
from skitter.audit.telling import Telling
from skitter.errors import OperatorError
from skitter.fetch.signing import make_key
from skitter.messages import Errand
from tests.audit.test_audit import GOOD, A, B
from tests.audit.timeline import BEGIN, page, robots, write


def told(directory: Path, host: str, **more: object) -> str:
    telling = Telling(host)
    return telling.text(audit(directory, telling=telling, **more), BEGIN)  # type: ignore[arg-type]


def test_it_says_what_when_and_by_which_rules(tmp_path: Path) -> None:
    text = told(write(tmp_path, GOOD), "b.example")
    for words in (
        "What was asked of b.example",
        "Requests: 3, from 2026-11-15T20:36:40.200000Z to 2026-11-15T20:36:46.200000Z",
        "for: 2 page, 1 robots",
        "answered: 3 200",
        "Every promise was kept",
        "Disallow: /private/",
        "Crawl-delay: 3",
        f"{B}/2  after 3.000 s (3.000 were due)",
        "Closest to what was due (+0.000 s)",
    ):
        assert words in text, words
    assert "a.example" not in text, "what others were asked is not this owner's"


def test_what_was_broken_is_not_left_out(tmp_path: Path) -> None:
    steps = [structs.replace(step, at=4.0) if step.url == f"{B}/2" else step for step in GOOD]
    text = told(write(tmp_path, steps), "b.example")
    assert "Promises that were not kept:" in text
    assert "sooner than the host's delay: 1 times" in text
    assert "Closest to what was due (-2.200 s)" in text


def test_a_host_that_was_asked_for_nothing(tmp_path: Path) -> None:
    assert "Nothing was asked of it." in told(write(tmp_path, GOOD), "c.example")


def test_what_others_write_can_not_steer_a_terminal(tmp_path: Path) -> None:
    steps = [robots(0, f"{A}/robots.txt", "User-agent: *\nDisallow: /\x1b[2J"), page(1, f"{A}/")]
    assert "\x1b" not in told(write(tmp_path, steps), "a.example")


def test_a_page_and_its_parts_in_a_browser_are_all_there(tmp_path: Path) -> None:
    steps = [robots(0, f"{A}/robots.txt"), page(1, f"{A}/"), page(2, f"{A}/data.json", errand=Errand.PART)]
    assert "for: 1 robots, 1 page, 1 part" in told(write(tmp_path, steps), "a.example")


def test_requests_of_a_worker_and_of_nodes_that_a_shard_moved_between_are_held_together(tmp_path: Path) -> None:
    here = write(tmp_path / "here", [robots(0, f"{A}/robots.txt"), page(1, f"{A}/1"), page(9, f"{A}/2")])
    there = write(tmp_path / "there", [page(9.5, f"{A}/3")])
    assert audit(here).is_clean
    report = audit(here, also=[there])
    assert report.counts == {Breach.TOO_EARLY: 1}
    assert report.shown[0].urls == [f"{A}/2", f"{A}/3"]
    assert "/3  after 0.500 s (1.000 were due)" in told(here, "a.example", also=[there])
    with pytest.raises(OperatorError, match="has no warc/"):
        audit(here, also=[tmp_path / "nowhere"])


def test_the_signature_holds_for_this_text_and_this_key_alone(tmp_path: Path) -> None:
    key = make_key(tmp_path / "key.pem")
    text = "What was asked of b.example\nGrüße\n"
    signed = with_signature(text, key, "https://bot.example").encode()
    found = signature_of(signed)
    assert (found.holds, found.keyid) == (True, key.keyid)
    assert found.directory.startswith("https://bot.example/")
    assert not signature_of(text.encode()).holds
    assert not signature_of(signed.replace(b"b.example", b"c.example", 1)).holds
    other = make_key(tmp_path / "other.pem")
    forged = with_signature(text, other, "https://bot.example").replace(other.keyid, key.keyid)
    assert signature_of(forged.encode()).why == "keyid is not the thumbprint of the key"


@pytest.mark.parametrize("tail", ["", "key: x\n", "key: !\nkeyid: y\ndirectory: z\nsignature: ?\n"])
def test_a_signature_that_is_none(tail: str) -> None:
    found = signature_of(f"text\n{MARK}\n{tail}".encode() + b"\xff")
    assert not found.holds
    assert found.why
