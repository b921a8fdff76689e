"""What is noted becomes durable without anyone waiting for it, and until then a node is at work."""

from __future__ import annotations

import asyncio
from pathlib import Path

from skitter.config.load import load
from skitter.folder.routesfile import write_routes
from skitter.node.build import built
from skitter.node.status import NodeStart
from skitter.url.domains import Domains
from skitter.url.routes import Routes


def test_a_node_is_not_idle_before_what_it_noted_is_durable(tmp_path: Path) -> None:
    async def main() -> None:
        (tmp_path / "run").mkdir()
        write_routes(tmp_path, Routes(Domains(), 1))
        settings = load(flags={"frontier.shards": 1}).settings
        async with built(NodeStart(str(tmp_path), 0, 1, settings, [], None), lambda _: None) as (node, _):
            assert node.status().idle
            waiting = [asyncio.create_task(node.wait_durable()) for _ in range(3)]
            await asyncio.sleep(0)
            assert not node.status().idle, "the supervisor would take the crawl for done"
            await asyncio.gather(*waiting)
            assert node.status().idle

    asyncio.run(main())
