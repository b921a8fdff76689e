"""What closes a corner, what the answer to a sounding tells, and what only puts a corner behind others."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from skitter.judge.answers import Answer, answer_of
from skitter.judge.closing import WAYS, spent_why
from skitter.judge.corner import HOST, SHAPE, WIDE, Ways, corners_of
from skitter.judge.counting import Corner, Visit, after_visit
from skitter.judge.novelty import unpacked
from skitter.judge.suspicion import AGAINST, FLOOD, against, is_flooding
from skitter.judge.traps import Traps, after_page
from skitter.parse.shingles import said_of
from skitter.settings import DAY

NOW, LIMIT = 1_790_000_000.0, 20
PLAIN = "http://a.org/day/1"
MARKED = "http://a.org/day/0123456789abcdef"


def visit_of(href: str = PLAIN, text: str = "some words that are said here", inside: int = 1) -> Visit:
    ways = Ways(inside, inside, inside, inside, inside)
    return Visit(corners_of(href), href, corners_of(href), said_of(text), ways, NOW, LIMIT, links=inside)


PAIRED = "http://a.org/shop?min=5&max=90"
GROWN = {"grown": 60, "usual": 0.3, "pages": 100}
CLOSED: dict[str, tuple[dict[str, Any], str]] = {
    "stale": ({"stale": 40, "weak": 40}, PLAIN),
    "deaf": ({"copied": 40, "dull": 40, "is_doubtful": True}, PLAIN),
    "turned": ({"turned": 8, "led": 60}, PLAIN),
    "escaped": ({"led": 30}, "http://a.org/day/%252525"),
    "joined": ({**GROWN, "usual": 1.0, "joined": 50, "tried": 100, "vouched": True}, PLAIN),
    "flat": ({**GROWN, "is_doubtful": True, "ignored": 2}, PLAIN),
    "circling": ({**GROWN, "grown": 40, "circling": 20, "vouched": True}, PLAIN),
    "paired": ({"stale": 40, "weak": 40, "circling": 40, "usual": 0.0, "vouched": True}, PAIRED),
    "open": ({**GROWN, "usual": 1.0, "echoed": 1, "is_doubtful": True}, PLAIN),
    "weak": ({"weak": 60, "led": 60, "pages": 100, "vouched": True}, MARKED),
    "far ahead": (
        {"weak": 60, "led": 60, "pages": 100, "vouched": True, "dated": 90},
        "http://a.org/day/213405",
    ),
    "alone": ({"alone": 120, "pages": 130, "vouched": True}, MARKED),
}
OPEN: dict[str, tuple[dict[str, Any], str]] = {
    "it answered honestly": ({"stale": 40, "weak": 40, "vouched": True}, PLAIN),
    "its copies end": ({"copied": 40, "dull": 40, "vouched": True}, PLAIN),
    "it has a list for each choice": ({"joined": 50, "tried": 100, "grown": 20}, PLAIN),
    "it says something new": ({**GROWN, "usual": 1.0, "vouched": True}, PLAIN),
    "its answers are no copies": ({**GROWN, "is_doubtful": True, "ignored": 1}, PLAIN),
    "its lists lead elsewhere": ({**GROWN, "grown": 90, "copied": 40, "vouched": True}, PLAIN),
    "it asks for one number": ({"stale": 40, "weak": 40, "circling": 40, "usual": 0.0, "vouched": True}, PLAIN),
    "its pairs say something": ({"stale": 40, "weak": 40, "circling": 40, "usual": 0.3, "vouched": True}, PAIRED),
    "a number looks like a date": (
        {"weak": 60, "led": 60, "pages": 100, "vouched": True, "dated": 11},
        "http://a.org/day/213405",
    ),
    "its URLs are plain": ({"weak": 60, "led": 60, "pages": 100, "vouched": True}, PLAIN),
}


@pytest.mark.parametrize("case", CLOSED)
def test_a_corner_is_closed(case: str) -> None:
    fields, href = CLOSED[case]
    assert spent_why(Corner("/day/0", SHAPE, **fields), visit_of(href)) is not None


@pytest.mark.parametrize("case", OPEN)
def test_a_corner_stays_open(case: str) -> None:
    fields, href = OPEN[case]
    assert spent_why(Corner("/day/0", SHAPE, **fields), visit_of(href)) is None


def test_redirects_that_lead_to_more_of_them_close_a_corner_and_every_way_has_an_example() -> None:
    corner = Corner("/day/0", SHAPE, stale=80, weak=80, led=30, vouched=True)
    assert spent_why(corner, visit_of()._replace(said=None)) is not None
    assert len(WAYS) == len(CLOSED), "two of one way"


EXCUSE = "we are sorry but there is no page of this name on our server please look for another one in the list"


@pytest.mark.parametrize(
    ("visit", "answer"),
    [
        (None, Answer.NONE),
        (visit_of(inside=0), Answer.SHRUG),
        (visit_of(text="all of these words are new and nobody has ever said them in this order"), Answer.ECHO),
        (visit_of()._replace(is_twin=True), Answer.HALF),
    ],
)
def test_what_an_answer_tells(visit: Visit | None, answer: Answer) -> None:
    assert answer_of(Corner("/day/0", SHAPE, pages=30), b"", visit) is answer


def test_two_answers_that_are_alike_say_that_there_is_nothing() -> None:
    heard = said_of(f"{EXCUSE} one").sample
    corner = Corner("/day/0", SHAPE, pages=30, shrugged=1)
    assert answer_of(corner, heard, visit_of(text=f"{EXCUSE} two")) is Answer.NONE
    assert answer_of(corner, b"", visit_of(text=f"{EXCUSE} two")) is Answer.ECHO


def test_one_link_does_not_make_a_host_endless() -> None:
    assert answer_of(Corner("*", HOST, pages=90), b"", visit_of(inside=1)) is Answer.SHRUG


COUNTS: list[dict[str, Any]] = [{"pages": 90}, {"found": 1001}, {"most": 501}, {"weak": 10}]


def test_each_count_speaks_against_a_corner_and_closes_none() -> None:
    told = set()
    for fields in COUNTS:
        corner = Corner("/day/0", SHAPE, **fields)
        found = list(against(Traps(corners=(corner,), pages=100), LIMIT))
        assert found
        assert spent_why(corner, visit_of()) is None
        told |= {words for _, words in found for words in words}
    assert told == set(AGAINST.values())
    assert not list(against(Traps(corners=(Corner("/day/*", WIDE, pages=90, found=2000),), pages=100), LIMIT))


def test_few_words_of_its_own_are_a_copy_if_none_of_them_is_new() -> None:
    frame = " ".join(f"frame{number}" for number in range(40))
    common = unpacked(said_of(frame).sample)

    def copied(*texts: str) -> list[int]:
        corner, counts = Corner("/day/0", SHAPE), []
        for number, text in enumerate(texts):
            visit = visit_of(f"http://a.org/day/{number}", f"{frame} {text}")._replace(common=common)
            corners = after_visit([corner, Corner("/day/*", WIDE), Corner("*", HOST)], visit)
            corner, counts = corners[0], [*counts, corners[0].copied]
        return counts

    assert copied(*["what changed in this version"] * 4) == [0, 1, 2, 3]
    assert copied(*(f"term {word} means little" for word in ("ash", "bay", "cob", "dew"))) == [0, 0, 0, 0]


def test_a_flood_of_urls_is_told_and_over_the_next_day() -> None:
    traps = after_page(Traps(day=int(NOW // DAY), fresh=FLOOD - 5), visit_of(inside=5))
    assert is_flooding(traps, NOW)
    assert not is_flooding(traps, NOW + DAY)
    assert after_page(traps, visit_of(inside=5)._replace(now=NOW + DAY)).fresh == 5
    assert structs.replace(traps, fresh=FLOOD - 1).fresh < FLOOD
