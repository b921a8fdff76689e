"""How much a URL matters, and which class of URLs is served next. Random numbers come in; nothing is drawn here.

    priority = 0.5 × quality of the host × √(priority of the parent) × 1/(1 + depth) × 0.1 if it looks like a trap

From a seed on a good host that gives 0.25 at depth 1, 0.083 at 2, 0.036 at 3, then about 0.3/(1 + depth)². So the
classes are cut where those depths fall, by powers rather than evenly: evenly cut, all but the seeds would be last.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import NamedTuple

from skitter.schedule.shares import Purpose

SEED_PRIORITY = 1.0
"""Seeds are what the operator asked for: nothing comes before them."""

FROM_PARENT = 0.5
TRAP = 0.1

EXPLORATION = 0.2
"""The share of draws that goes to the lower classes, whatever their weights, so that nothing starves."""


class FrontClass(NamedTuple):
    """URLs of at least this priority, and how often they are drawn against the others."""

    least: float
    weight: int


FRONT: tuple[FrontClass, ...] = (
    FrontClass(least=0.2, weight=10),  # seeds, and what they link to
    FrontClass(least=0.03, weight=5),  # depth 2 and 3; what seeds on a middling host link to
    FrontClass(least=0.004, weight=3),  # depth 4 to 8
    FrontClass(least=0.0, weight=1),  # deeper; poor hosts; suspected traps
)


def priority(host_quality: float, parent_priority: float, depth: int, suspected_trap: bool = False) -> float:
    """Returns the priority of a link, 0 to 1. `depth` is its own: 1 for what a seed links to."""
    quality, parent = min(1.0, max(0.0, host_quality)), min(1.0, max(0.0, parent_priority))
    score = FROM_PARENT * quality * math.sqrt(parent) / (1 + max(0, depth))
    return score * TRAP if suspected_trap else score


def front_class(priority: float) -> int:
    """Returns the number of the class that a URL of this priority is in: 0 is served most."""
    for number, row in enumerate(FRONT):
        if priority >= row.least:
            return number
    return len(FRONT) - 1


RANKS_OF_HOSTS = 2 * len(FRONT)
"""Ranks of hosts that wait for the same purpose."""


def rank_of(front_class: int, *, is_single: bool, purpose: Purpose = Purpose.DISCOVERY) -> int:
    """Returns where a host stands among those of its domain that wait to be brought in: 0 comes first.

    One that a single host of its domain leads to comes after all others, see `budget.SINGLES`. Hosts that have nothing
    but pages to see again stand in a line of their own.
    """
    return purpose * RANKS_OF_HOSTS + is_single * len(FRONT) + front_class


def class_of_rank(rank: int) -> int:
    """Returns the class of a host of this rank."""
    return rank % len(FRONT)


def is_single(rank: int) -> bool:
    """Whether a host of this rank is one that a single host of its domain leads to."""
    return rank % RANKS_OF_HOSTS >= len(FRONT)


TURNS = len(Purpose) * len(FRONT)
"""Kinds of turns that domains wait for to have hosts brought in: a class, of hosts that wait for the same purpose."""


def turn_of_rank(rank: int) -> int:
    """Returns the turn that a domain waits for with a host of this rank."""
    return turn_of(class_of_rank(rank), Purpose(rank // RANKS_OF_HOSTS))


def turn_of(front_class: int, purpose: Purpose) -> int:
    """Returns the turn of hosts of a class that wait for a purpose."""
    return purpose * len(FRONT) + front_class


def purpose_of_turn(turn: int) -> Purpose:
    """Returns what hosts that have such a turn wait for."""
    return _PURPOSES[turn]


_PURPOSES = tuple(Purpose(turn // len(FRONT)) for turn in range(TURNS))  # to make one takes longer than to look it up


def draw_turn(roll: Callable[[], float], share: float, nonempty: Collection[int]) -> int:
    """Returns which turn of those that somebody waits for is next; refresh has its share of them."""
    purposes = {purpose_of_turn(turn) for turn in nonempty}
    purpose = Purpose(roll() < share) if len(purposes) > 1 else purposes.pop()
    classes = {class_of_rank(turn) for turn in nonempty if purpose_of_turn(turn) is purpose}
    return turn_of(draw(roll(), roll(), classes), purpose)


def draw(roll: float, explore: float, nonempty: Collection[int]) -> int:
    """Returns which of the classes that have work is served next, from two random numbers in [0, 1).

    `explore` decides whether this draw is one for exploration, `roll` which class it falls on.
    """
    classes = sorted(nonempty)
    if explore < EXPLORATION and len(classes) > 1:
        lower = classes[1:]
        return lower[int(roll * len(lower))]
    left = roll * sum(FRONT[number].weight for number in classes)
    for number in classes:
        left -= FRONT[number].weight
        if left < 0:
            return number
    return classes[-1]  # only if rounding brought the roll up to the whole
