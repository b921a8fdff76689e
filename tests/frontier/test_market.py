"""The market of a node, at its edges."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from msgspec import structs

from skitter.frontier.market import NodeMarket
from skitter.schedule.share import Share
from skitter.settings import PolitenessSettings, ScheduleSettings
from skitter.shard.writer import Shard
from tests.frontier.test_frontier import SETTINGS

LIMITED = structs.replace(
    SETTINGS, politeness=PolitenessSettings(max_rate=2.0), schedule=ScheduleSettings(recrawl=True)
)


def test_a_node_whose_rate_is_limited_can_begin_without_a_shard() -> None:
    for part in (0.0, 0.5, 1.0):
        assert "0 pages" in repr(NodeMarket(LIMITED, lambda part=part: part))


def test_how_many_shards_there_are_is_not_asked_at_each_visit() -> None:
    asked = 0

    def part() -> float:
        nonlocal asked
        asked += 1
        return 1.0

    market, shard = NodeMarket(LIMITED, part), SimpleNamespace(share=Share())
    before = asked
    for _ in range(100):
        market.moved(cast(Shard, shard), market.market)
    assert asked == before, "it is told by a look at all slots"
