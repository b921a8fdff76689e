"""What a node has counted outlives it."""

from __future__ import annotations

from msgspec import structs

from skitter.node.status import NodeStatus
from skitter.supervisor.child import Child
from skitter.supervisor.progress import NOTHING
from tests.metrics.reports import report


def test_lives_are_added_up() -> None:
    child = Child(0)
    for life, pages in enumerate((10, 5, 1)):
        for reported in range(pages + 1):
            child.heard(report(0, structs.replace(NOTHING, pages=reported, statuses={200: reported}), in_flight=3))
        assert child.report is not None
        assert child.report.counted.pages == sum((10, 5, 1)[: life + 1])
        assert child.report.counted.statuses == {200: child.report.counted.pages}
        assert (child.report.restarts, child.report.stopped) == (life, False)
        assert pages_of_this_life(child) == pages, "grants are reckoned with it"
        child.died()
        assert pages_of_this_life(child) is None
        assert [(one.stopped, one.in_flight) for one in reports_of(child)] == [(True, 0)]


def test_a_node_that_dies_before_it_has_said_anything() -> None:
    child = Child(0)
    child.died()
    assert reports_of(child) == []
    child.heard(report(0, structs.replace(NOTHING, pages=2)))
    assert [(one.counted.pages, one.restarts) for one in reports_of(child)] == [(2, 1)]
    child.died()
    child.died()  # and again, before the first report of its next life
    child.heard(report(0, structs.replace(NOTHING, pages=3)))
    assert [(one.counted.pages, one.restarts) for one in reports_of(child)] == [(5, 3)]


def pages_of_this_life(child: Child) -> int | None:
    return child.status.counted.pages if child.status is not None else None


def reports_of(child: Child) -> list[NodeStatus]:
    return [child.report] if child.report is not None else []
