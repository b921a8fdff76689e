"""A node of a broad crawl opens its stores while it has little to do; any other opens those that it needs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from skitter.config.load import load
from skitter.folder.routesfile import write_routes
from skitter.node.build import built
from skitter.node.node import TICK
from skitter.node.status import Command, NodeStart
from skitter.shard.rocks import shard_path
from skitter.url.domains import Domains
from skitter.url.routes import Routes

SHARDS = 6


def opened(out: Path, reach: str, wanted: int) -> int:
    """Returns how many stores a node without a seed has open a while after it has `wanted` of them."""

    async def main() -> int:
        (out / "run").mkdir()
        write_routes(out, Routes(Domains(), SHARDS))
        settings = load(flags={"frontier.shards": SHARDS, "scope.reach": reach}).settings
        # One of two nodes: the other half of the shards is not its own.
        async with built(NodeStart(str(out), 0, 2, settings, [], None), lambda _: None) as (node, notes):
            running = asyncio.create_task(node.run(notes))
            async with asyncio.timeout(30):
                while len(node.status().frontier.by_shard) < wanted:
                    await asyncio.sleep(TICK)
            await asyncio.sleep(5 * TICK)
            found = len(node.status().frontier.by_shard)
            assert not running.done()
            node.obey(Command(stop=True))
            await running
            return found

    return asyncio.run(main())


@pytest.mark.slow
@pytest.mark.parametrize(("reach", "stores"), [("any", SHARDS // 2), ("host", 0)])
def test_stores_are_opened_ahead_where_all_will_be_needed(tmp_path: Path, reach: str, stores: int) -> None:
    assert opened(tmp_path, reach, stores) == stores


@pytest.mark.slow
def test_a_store_that_can_not_be_opened_ahead_ends_nobody(tmp_path: Path) -> None:
    path = shard_path(tmp_path, 2)
    path.parent.mkdir()
    path.symlink_to("nowhere/to/be/made")  # it does not exist, and can't be made
    assert opened(tmp_path, "any", 1) < SHARDS // 2
