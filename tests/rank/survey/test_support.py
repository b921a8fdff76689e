"""Who vouches for a site, and who only seems to: graphs that are worked out by hand."""

from __future__ import annotations

import pytest

from skitter.rank.survey.support import ASKED, MOST, Support, sample, support

A_SITE = 0

# By what it shows: the vouchers of each node, the seeds, and who stands behind the first one.
CASES: dict[str, tuple[list[list[int]], list[int], Support]] = {
    "nobody": ([[]], [], Support()),
    "two that others vouch for": ([[1, 2], [3, 4], [4, 5], [], [], []], [], Support(2, 0, 0, 3)),
    "one whom nobody knows": ([[1], []], [], Support(0, 1, 0, 0)),
    "one whom the operator knows": ([[1], []], [1], Support(1, 0, 0, 1)),
    "one who says what another says": ([[1, 2], [2], [3], []], [], Support(1, 1, 0, 1)),
    "one whom we vouch for, and nobody else": ([[1], [0]], [], Support(0, 0, 1, 0)),
    "one whom we vouch for, and others": ([[1], [0, 2, 3]], [], Support(1, 0, 0, 2)),
    "a ring": ([[1, 2], [0, 2], [0, 1]], [], Support(0, 0, 2, 0)),
    "a ring with a seed": ([[1, 2], [0, 2], [0, 1]], [2], Support(2, 0, 0, 3)),
    "a voucher of ours is a supporter too": ([[1, 2], [2, 3], [4], [], []], [], Support(2, 0, 0, 3)),
}


@pytest.mark.parametrize(("graph", "seeds", "expected"), CASES.values(), ids=CASES)
def test_who_stands_behind_a_site(graph: list[list[int]], seeds: list[int], expected: Support) -> None:
    whole = graph + [[] for _ in range(6 - len(graph))]
    assert support(whole, range(len(whole)), whole, seeds)[A_SITE] == expected


def test_a_host_is_held_against_those_who_vouch_for_its_domain() -> None:
    ring = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]
    assert support([[1]], [0], ring, []) == [Support(0, 0, 1, 0)]


def test_looks_are_bounded() -> None:
    assert list(sample(range(ASKED))) == list(range(ASKED))
    assert len(sample(range(10 * ASKED))) == ASKED
    others = list(range(2, 2 * MOST))
    graph = [[1], others, *([] for _ in others)]
    assert support(graph, range(len(graph)), graph, [])[A_SITE].supporters == MOST
