"""Pages that say to the last word what one of another host says."""

from __future__ import annotations

from msgspec import structs

from skitter.frontier.elsewhere import Elsewhere
from skitter.judge.verdict import own_twin, with_reason, with_twin
from skitter.messages import Errand, Lease, Reason, Verdict
from skitter.parse.shingles import said_of
from skitter.reading.meaning import Reading

TEXT = " ".join(f"word{number}" for number in range(60))


def told(elsewhere: Elsewhere, href: str, text: str = TEXT, verdict: Verdict | None = None) -> Verdict:
    lease = Lease(href, href.split("/")[2].removeprefix("www."), Errand.PAGE, 0.0)
    reading = Reading(said=said_of(text), verdict=verdict or Verdict())
    return elsewhere.judged(lease, reading).verdict


def test_a_page_of_another_host_that_says_the_same_is_told() -> None:
    elsewhere = Elsewhere()
    assert told(elsewhere, "http://a.org/1").duplicate_of is None
    copy = told(elsewhere, "http://b.org/1")
    assert (copy.duplicate_of, copy.reasons, copy.follow, copy.weight) == ("http://a.org/1", [Reason.COPY], True, 1.0)
    assert "http://a.org/1" in copy.evidence[Reason.COPY]
    assert told(elsewhere, "http://a.org/2").duplicate_of is None, "copies of its own host are told elsewhere"
    assert told(elsewhere, "http://www.a.org/1").duplicate_of is None, "it is the same host"
    assert told(elsewhere, "http://b.org/2", f"{TEXT} and more").duplicate_of is None


def test_what_says_little_or_is_told_already_is_left_alone() -> None:
    elsewhere = Elsewhere()
    for text in ("Welcome.", ""):
        assert {told(elsewhere, f"http://{name}.org/", text).duplicate_of for name in "abc"} == {None}
    twin = with_twin(Verdict(), "http://b.org/0", 1.0)
    soft = with_reason(Verdict(), Reason.SOFT_404, "so it is")
    told(elsewhere, "http://a.org/1")
    assert told(elsewhere, "http://b.org/1", verdict=twin) is twin
    assert told(elsewhere, "http://b.org/1", verdict=soft) is soft
    sounding = Lease("http://b.org/9", "b.org", Errand.SOUNDING, 0.0)
    assert elsewhere.judged(sounding, Reading(said=said_of(TEXT))).verdict.duplicate_of is None


def test_the_last_pages_are_remembered_and_no_more() -> None:
    elsewhere = Elsewhere(most=2)
    for number in range(3):
        told(elsewhere, f"http://a.org/{number}", f"{TEXT} {number}a")
    again = [told(elsewhere, "http://b.org/1", f"{TEXT} {number}a").duplicate_of for number in (2, 1)]
    assert again == ["http://a.org/2", "http://a.org/1"]
    assert told(elsewhere, "http://b.org/1", f"{TEXT} 0a").duplicate_of is None


def test_a_copy_of_another_hosts_page_is_a_page_of_its_own_host() -> None:
    copy = told_twice("http://b.org/1")
    assert own_twin(copy.reasons, copy.duplicate_of) is None
    twin = structs.replace(copy, reasons=[Reason.NEAR_DUPLICATE])
    assert own_twin(twin.reasons, twin.duplicate_of) == "http://a.org/1"


def told_twice(href: str) -> Verdict:
    elsewhere = Elsewhere()
    told(elsewhere, "http://a.org/1")
    return told(elsewhere, href)
