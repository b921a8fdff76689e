"""The market of a node, at its edges."""

from __future__ import annotations

from msgspec import structs

from skitter.frontier.market import NodeMarket
from skitter.settings import PolitenessSettings, ScheduleSettings
from tests.frontier.test_frontier import SETTINGS

LIMITED = structs.replace(
    SETTINGS, politeness=PolitenessSettings(max_rate=2.0), schedule=ScheduleSettings(recrawl=True)
)


def test_a_node_whose_rate_is_limited_can_begin_without_a_shard() -> None:
    for part in (0.0, 0.5, 1.0):
        assert "0 pages" in repr(NodeMarket(LIMITED, lambda part=part: part))
