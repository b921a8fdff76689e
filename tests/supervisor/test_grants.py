"""Pages are shared out so that exactly as many are fetched as may be, whoever dies."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from skitter.node.status import GRANT, LOW, Command, NodeStatus
from skitter.supervisor.grants import SOON, Grants, is_hungry
from skitter.supervisor.progress import NOTHING
from tests.metrics.reports import frontier, report

NOW = 1_800_000_000.0


def said(node: int = 0, *, pages: int = 0, budget: int | None = 0, **facts: object) -> NodeStatus:
    return report(node, structs.replace(NOTHING, pages=pages), budget=budget, **facts)


FIRST = [(1, 1, 1), (1, 4, 1), (10, 2, 2), (100, 2, 25), (10**6, 2, GRANT), (0, 2, 0)]


@pytest.mark.parametrize(("pages", "nodes", "grant"), FIRST)
def test_the_first_grant_leaves_some_for_the_others(pages: int, nodes: int, grant: int) -> None:
    assert Grants(pages, nodes).started(0) == grant


def test_no_limit_no_grants() -> None:
    grants = Grants(None, 2)
    assert grants.started(0) is None
    assert grants.heard(said(budget=None), NOW) is None
    assert not grants.are_used_up([said(pages=10**9, budget=None)])
    grants.died(0, None)


def test_who_runs_short_is_granted_more_and_who_is_idle_gives_back() -> None:
    grants = Grants(4 * GRANT, 2)
    assert grants.started(0) == GRANT
    assert grants.heard(said(budget=LOW + 1), NOW) is None
    assert grants.heard(said(budget=LOW), NOW) == Command(grant=192)
    assert grants.heard(said(budget=LOW, idle=True), NOW) is None
    while (command := grants.heard(said(budget=0), NOW)) is not None:
        assert command.grant
    assert grants.heard(said(1, budget=3, idle=True), NOW) == Command(reclaim=True), "others can use it"


HUNGER = [
    ({"idle": False}, True),
    ({"idle": True}, False),
    ({"idle": True, "held": frontier(next_at=NOW + SOON)}, True),
    ({"idle": True, "held": frontier(next_at=NOW + SOON + 0.1)}, False),
]


@pytest.mark.parametrize(("facts", "hungry"), HUNGER)
def test_who_is_hungry(facts: dict[str, object], hungry: bool) -> None:
    assert is_hungry(said(**facts), NOW) is hungry


def test_a_grant_that_is_under_way_is_not_used_up() -> None:
    grants = Grants(2, 1)
    assert grants.started(0) == 1
    assert grants.heard(said(pages=1, budget=0), NOW) == Command(grant=1)
    assert not grants.are_used_up([said(pages=1, budget=0)]), "it has not heard of the second yet"
    assert not grants.are_used_up([said(pages=2, budget=0, in_flight=1)])
    assert grants.are_used_up([said(pages=2, budget=0)])


class Play:
    """Nodes that do as they are told, as fast as the story says."""

    def __init__(self, pages: int, nodes: int) -> None:
        self.limit, self.grants = pages, Grants(pages, nodes)
        self.budget = [self.grants.started(node) or 0 for node in range(nodes)]
        self.pages, self.returned = [0] * nodes, [0] * nodes
        self.fetched = 0

    def step(self, node: int, fetches: int, *, idle: bool, dies: bool) -> None:
        fetches = min(fetches, self.budget[node])
        self.budget[node] -= fetches
        self.pages[node] += fetches
        self.fetched += fetches
        command = self.grants.heard(self.status(node, idle=idle), NOW)
        if dies:
            self.grants.died(node, self.status(node, idle=idle))
            self.pages[node] = self.returned[node] = 0
            self.budget[node] = self.grants.started(node) or 0
        elif command is not None:
            self.budget[node] += command.grant
            if command.reclaim:
                self.returned[node] += self.budget[node]
                self.budget[node] = 0

    def status(self, node: int, *, idle: bool) -> NodeStatus:
        facts = {"budget": self.budget[node], "returned": self.returned[node], "idle": idle}
        return said(node, pages=self.pages[node], **facts)  # type: ignore[arg-type]

    def is_over(self) -> bool:
        return self.grants.are_used_up([self.status(node, idle=False) for node in range(len(self.pages))])


STEPS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 300), st.booleans(), st.booleans()), max_size=40)


@settings(max_examples=50)
@given(st.integers(1, 2000), STEPS)
def test_exactly_as_many_pages_as_there_may_be(pages: int, steps: list[tuple[int, int, bool, bool]]) -> None:
    play = Play(pages, 3)
    for node, fetches, idle, dies in steps:
        play.step(node, fetches, idle=idle, dies=dies)
        assert play.fetched <= pages
        assert play.is_over() == (play.fetched == pages)
    rounds = 0
    while not play.is_over():  # node 0 alone is hungry: it must come to have all that is left
        rounds += 1
        assert rounds < 1000, play.grants
        for node in range(3):
            play.step(node, 300 if node == 0 else 0, idle=node != 0, dies=False)
    assert play.fetched == pages
