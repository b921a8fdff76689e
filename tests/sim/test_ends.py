"""The states in which a crawl ends, held against the truth: each thing that can be wrong is named."""

from __future__ import annotations

from collections import Counter

import pytest

from skitter.messages import Kind, State
from skitter.sim.ends import Ending, judge_ends
from skitter.sim.truth import Reach, Truth

SURE, SLOW, LUCKY = "http://a.test", "http://a.test/slow", "http://a.test/lucky"
TRUTH = Truth(
    Reach(frozenset({SURE}), frozenset({SURE})),
    Reach(frozenset({SURE, SLOW}), frozenset({SURE, SLOW})),
    {
        SURE: frozenset({State.DONE}),
        SLOW: frozenset({State.DONE, State.QUEUED}),
        LUCKY: frozenset({State.SKIPPED, State.QUEUED}),
    },
)
WELL = [Ending(SURE, State.DONE), Ending(SLOW, State.DONE), Ending(LUCKY, State.SKIPPED)]


def wrongs(*found: Ending, patient: bool = True, counts: dict[State, int] | None = None) -> list[str]:
    counted = Counter(one.state for one in found) if counts is None else counts
    return list(judge_ends(TRUTH, found, counted, was_patient=patient))


def test_what_is_well_is_passed() -> None:
    assert wrongs(*WELL) == []
    assert wrongs(*WELL[:2]) == []  # luck is not owed
    assert wrongs(WELL[0], patient=False) == []
    assert wrongs(Ending(SURE, State.QUEUED), patient=False) == []
    assert wrongs(Ending(SURE, State.DEAD, Kind.CRASHED_US), WELL[1]) == []


WRONG = {
    "lost": (wrongs(WELL[0]), f"{SLOW} was lost"),
    "lost at once": (wrongs(WELL[1], patient=False), f"{SURE} was lost"),
    "made up": (wrongs(*WELL, Ending("http://b.test", State.DONE)), "http://b.test was made up"),
    "twice": (wrongs(*WELL, WELL[0]), f"{SURE} is there 2 times"),
    "in a wrong state": (wrongs(Ending(SURE, State.SKIPPED), WELL[1]), f"{SURE} is skipped (None), not done"),
    "dead": (wrongs(Ending(SURE, State.DEAD, Kind.RESET), WELL[1]), f"{SURE} is dead (reset), not done"),
    "dead too early": (wrongs(Ending(SURE, State.DEAD), patient=False), f"{SURE} is dead (None), not done"),
    "left queued": (wrongs(WELL[0], Ending(SLOW, State.QUEUED)), f"{SLOW} is queued (None), not done, queued"),
    "left leased": (wrongs(Ending(SURE, State.LEASED), patient=False), f"{SURE} is leased (None), not done"),
    "miscounted": (
        wrongs(*WELL, counts={State.DONE: 3, State.SKIPPED: 1}),
        "3 URLs are counted as done, and 2 are",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_is_named(name: str) -> None:
    found, sentence = WRONG[name]
    assert found == [sentence]
