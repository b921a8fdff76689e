from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.schedule.priority import EXPLORATION, FRONT, SEED_PRIORITY, draw, front_class, priority

SCORES = st.floats(0, 1)
DEPTHS = st.integers(0, 1000)
ROLLS = st.floats(0, 1, exclude_max=True)
CLASSES = st.sets(st.integers(0, len(FRONT) - 1), min_size=1)


@pytest.mark.parametrize(
    ("quality", "parent", "depth", "trap", "expected"),
    [
        pytest.param(1, 1, 0, False, 0.5, id="all at the best"),
        pytest.param(1, SEED_PRIORITY, 1, False, 0.25, id="linked from a seed"),
        pytest.param(0.5, 1, 1, False, 0.125, id="middling host"),
        pytest.param(1, 0.25, 1, False, 0.125, id="square root of the parent's"),
        pytest.param(1, 1, 4, False, 0.1, id="deep"),
        pytest.param(1, 1, 1, True, 0.025, id="suspected trap"),
        pytest.param(0.8, 0.36, 2, True, 0.008, id="all at once"),
        pytest.param(0, 1, 1, False, 0, id="spam host"),
        pytest.param(7, 9, 0, False, 0.5, id="too large, clamped"),
        pytest.param(-1, -1, -1, False, 0, id="too small, clamped"),
    ],
)
def test_priority(quality: float, parent: float, depth: int, trap: bool, expected: float) -> None:
    assert priority(quality, parent, depth, trap) == pytest.approx(expected)


@settings(max_examples=100, deadline=None)
@given(SCORES, SCORES, SCORES, DEPTHS, st.booleans())
def test_priority_is_a_share_and_follows_each_of_its_reasons(
    quality: float, one: float, other: float, depth: int, trap: bool
) -> None:
    low, high = sorted((one, other))
    score = priority(quality, high, depth, trap)
    assert 0 <= score <= 1
    assert priority(quality, low, depth, trap) <= score
    assert priority(quality, high, depth + 1, trap) <= score
    assert priority(low, quality, depth, trap) <= priority(high, quality, depth, trap)
    assert priority(quality, high, depth, True) <= score


def classes_by_depth(quality: float) -> list[int]:
    """Returns the class of the URLs on a path from a seed (depth 0) down to depth 20, the deepest by default."""
    score = SEED_PRIORITY
    classes = [front_class(score)]
    for depth in range(1, 21):
        score = priority(quality, score, depth)
        classes.append(front_class(score))
    return classes


@pytest.mark.parametrize(
    ("quality", "classes"),
    [
        pytest.param(1.0, [0] * 2 + [1] * 2 + [2] * 5 + [3] * 12, id="good host"),
        pytest.param(0.5, [0] + [1] + [2] * 3 + [3] * 16, id="middling host"),
        pytest.param(0.1, [0] + [2] + [3] * 19, id="poor host"),
    ],
)
def test_the_depths_of_a_crawl_spread_over_all_classes(quality: float, classes: list[int]) -> None:
    assert classes_by_depth(quality) == classes


@pytest.mark.parametrize(
    ("score", "number"),
    [
        (1, 0),
        (0.2, 0),
        (0.1999, 1),
        (0.03, 1),
        (0.0299, 2),
        (0.004, 2),
        (0.0039, 3),
        (0, 3),
        (-1, 3),
        (float("nan"), 3),
    ],
)
def test_front_class(score: float, number: int) -> None:
    assert front_class(score) == number


def test_the_table_falls() -> None:
    assert [row.weight for row in FRONT] == [10, 5, 3, 1]
    assert all(above.least > below.least for above, below in pairwise(FRONT))


def shares(nonempty: set[int], explore: float, rolls: int = 1900) -> dict[int, float]:
    drawn = Counter(draw((roll + 0.5) / rolls, explore, nonempty) for roll in range(rolls))
    return {number: count / rolls for number, count in drawn.items()}


@pytest.mark.parametrize(
    ("nonempty", "explore", "expected"),
    [
        pytest.param({0, 1, 2, 3}, 0.2, {0: 10 / 19, 1: 5 / 19, 2: 3 / 19, 3: 1 / 19}, id="by weight"),
        pytest.param({1, 3}, 0.9, {1: 5 / 6, 3: 1 / 6}, id="by weight, two of them empty"),
        pytest.param({2}, 0.5, {2: 1}, id="only one"),
        pytest.param({0, 1, 2, 3}, 0.1999, {1: 1 / 3, 2: 1 / 3, 3: 1 / 3}, id="exploring: the lower ones alike"),
        pytest.param({1, 3}, 0.0, {3: 1}, id="exploring, two of them empty"),
        pytest.param({0}, 0.0, {0: 1}, id="exploring, with one class only"),
    ],
)
def test_draw_shares(nonempty: set[int], explore: float, expected: dict[int, float]) -> None:
    assert shares(nonempty, explore) == pytest.approx(expected, abs=0.002)


def test_a_fifth_is_for_exploration() -> None:
    assert EXPLORATION == 0.2
    drawn = [draw(0.0, explore / 1000, {0, 3}) for explore in range(1000)]
    assert drawn.count(3) == 200


@settings(max_examples=100, deadline=None)
@given(ROLLS, ROLLS, CLASSES)
def test_draws_only_from_classes_that_have_work(roll: float, explore: float, nonempty: set[int]) -> None:
    assert draw(roll, explore, nonempty) in nonempty


@pytest.mark.parametrize("number", range(len(FRONT)))
def test_no_class_starves_beside_full_ones(number: int) -> None:
    drawn = Counter(draw(roll / 100, explore / 100, range(len(FRONT))) for roll in range(100) for explore in range(100))
    assert drawn[number] / drawn.total() > 0.1


@pytest.mark.parametrize(("roll", "number"), [(0.0, 1), (0.6249, 1), (0.625, 2), (0.9999, 2)])
def test_where_one_class_ends_the_next_begins(roll: float, number: int) -> None:
    assert draw(roll, 0.5, {1, 2}) == number  # weights 5 and 3: cut at 5/8


def test_a_roll_rounded_up_to_the_whole_is_the_last_class() -> None:
    assert draw(1.0, 0.5, {0, 1}) == 1
