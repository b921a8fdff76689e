"""How a crawl ended: every URL in exactly one state, none lost, none made up, and the counts add up.

What is found in the stores is held against the truth of the world. Pages that a death hit while they were read are
tried again, and given up after too many deaths: those are excused if their record says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from skitter.messages import Kind, State
from skitter.sim.truth import FAILING, Truth

OURS = (Kind.CRASHED_US, Kind.LEASE_EXPIRED)
"""Failures that are no page's own."""
WAITING = frozenset({State.QUEUED, State.FAILED})


class Ending(Struct, frozen=True):
    """What is found of one URL."""

    key: str
    state: State
    failure: Kind | None = None


def judge_ends(
    truth: Truth, found: Sequence[Ending], counts: Mapping[State, int], *, was_patient: bool
) -> Iterator[str]:
    """Yields what is wrong with the states of a crawl that ran to its end; `was_patient`: until nothing was due."""
    reach = truth.in_the_end if was_patient else truth.at_once
    held = Counter(one.key for one in found)
    yield from (f"{key} is there {times} times" for key, times in held.items() if times > 1)
    yield from (f"{key} was lost" for key in sorted(reach.discovered - held.keys()))
    for one in found:
        if one.key not in truth.states:
            yield f"{one.key} was made up"
        elif not _may_end_so(one, truth, was_patient=was_patient):
            wanted = ", ".join(sorted(truth.states[one.key]))
            yield f"{one.key} is {one.state.value} ({one.failure}), not {wanted}"
    yield from _miscounted(Counter(one.state for one in found), counts)


def _may_end_so(one: Ending, truth: Truth, *, was_patient: bool) -> bool:
    if one.state in FAILING and one.failure in OURS:
        return True
    if one.state is State.QUEUED and one.key in truth.in_the_end.settled and was_patient:
        return False
    return one.state in truth.states[one.key] or (one.state in WAITING and not was_patient)


def _miscounted(there: Mapping[State, int], counts: Mapping[State, int]) -> Iterator[str]:
    for state in State:
        if there.get(state, 0) != counts.get(state, 0):
            yield f"{counts.get(state, 0)} URLs are counted as {state.value}, and {there.get(state, 0)} are"
