"""PageRank and harmonic centrality of graphs small enough to be worked out by hand, and a sample of a large one."""

from __future__ import annotations

import random
from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.rank.survey.centrality import DAMPING, EXACT, SOURCES, harmonic, pagerank, sources_of

CIRCLE = [[2], [0], [1]]
STAR = [[1, 2, 3], [], [], []]
PATH = [[], [0], [1]]

graphs = st.integers(1, 8).flatmap(
    lambda many: st.lists(st.sets(st.integers(0, many - 1), max_size=many).map(sorted), min_size=many, max_size=many)
)


def test_all_of_a_circle_are_alike() -> None:
    assert pagerank(CIRCLE, [1 / 3] * 3) == pytest.approx([1 / 3] * 3)


def test_the_middle_of_a_star() -> None:
    # The three have s each, the middle m = s + 3 d s, and what is at the middle starts anew: m + 3 s = 1.
    spoke = 1 / (4 + 3 * DAMPING)
    assert pagerank(STAR, [0.25] * 4) == pytest.approx([spoke + 3 * DAMPING * spoke, spoke, spoke, spoke], abs=1e-5)


def test_trust_starts_at_the_seeds() -> None:
    # From the first: all of it, then what is passed on, and the last one starts anew.
    ranks = pagerank(PATH, [1.0, 0.0, 0.0])
    assert ranks == pytest.approx([ranks[0], DAMPING * ranks[0], DAMPING**2 * ranks[0]], abs=1e-5)
    assert pagerank([[], [0], []], [1.0, 0.0, 0.0])[2] == 0


@pytest.mark.slow
@given(graphs)
def test_ranks_add_up(graph: list[list[int]]) -> None:
    ranks = pagerank(graph, [1 / len(graph)] * len(graph))
    assert sum(ranks) == pytest.approx(1)
    assert min(ranks) > 0


@pytest.mark.parametrize(
    ("graph", "expected"),
    [(CIRCLE, [0.75] * 3), (STAR, [1.0, 0, 0, 0]), (PATH, [0, 0.5, 0.75]), ([[]], [0.0]), ([], [])],
    ids=["circle", "star", "path", "alone", "nobody"],
)
def test_harmonic(graph: list[list[int]], expected: list[float]) -> None:
    assert harmonic(graph) == pytest.approx(expected)


@pytest.mark.slow
def test_a_sample_says_nearly_what_all_would_say() -> None:
    dice, many = random.Random(1), 2 * EXACT
    graph = [
        sorted({int(dice.random() ** 2 * many) for _ in range(dice.randrange(9))} - {node}) for node in range(many)
    ]
    estimates = harmonic(graph)
    for node in range(0, many, 64):
        assert estimates[node] == pytest.approx(_exactly(graph, node), abs=0.04)


def _exactly(graph: list[list[int]], node: int) -> float:
    far, waiting = {node: 0}, deque([node])
    while waiting:
        one = waiting.popleft()
        for source in graph[one]:
            if source not in far:
                far[source] = far[one] + 1
                waiting.append(source)
    return sum(1 / links for links in far.values() if links) / (len(graph) - 1)


def test_sources_are_spread() -> None:
    assert sources_of(3) == [0, 1, 2]
    assert sources_of(EXACT + 1)[-1] > 0.99 * EXACT
    assert len(set(sources_of(10**6))) == SOURCES
