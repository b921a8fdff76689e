"""Reports of nodes, made up."""

from __future__ import annotations

from skitter.frontier.statistics import FrontierStatistics
from skitter.messages import State
from skitter.node.counters import Counted
from skitter.node.status import NodeStatus
from skitter.shard.seen import SeenStatistics
from skitter.supervisor.progress import NOTHING

EMPTY = {state.value: 0 for state in State}


def frontier(**facts: object) -> FrontierStatistics:
    known: dict[str, object] = {
        "states": EMPTY,
        "hosts": 0,
        "stages": {},
        "next_at": None,
        "next_due": None,
        "seen": SeenStatistics(0, 0, 0),
        "waiting": False,
    }
    return FrontierStatistics(**(known | facts))  # type: ignore[arg-type]


def report(
    node: int = 0, counted: Counted = NOTHING, held: FrontierStatistics | None = None, **facts: object
) -> NodeStatus:
    known: dict[str, object] = {
        "in_flight": 0,
        "idle": False,
        "sent": 0,
        "received": 0,
        "budget": None,
        "returned": 0,
        "busiest": [],
    }
    return NodeStatus(node, counted, held or frontier(), **(known | facts))  # type: ignore[arg-type]
