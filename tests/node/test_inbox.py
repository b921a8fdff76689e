"""What a node has carried out of its inbox is done, whatever becomes of the rest."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from skitter.errors import MachineError
from skitter.folder import inbox
from skitter.folder.routesfile import write_routes
from skitter.messages import Discovered
from skitter.node.build import built
from skitter.node.status import NodeStart
from skitter.ports import Seeds
from skitter.settings import FrontierSettings, Settings
from skitter.url.domains import Domains
from skitter.url.routes import Routes

ONE_SHARD = Settings(frontier=FrontierSettings(shards=1))


@pytest.mark.slow
def test_a_node_that_dies_over_an_instruction_has_done_those_before_it(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    write_routes(tmp_path, Routes(Domains(), 1))
    for number in range(2):
        seed = Discovered(f"http://a.org/{number}", "a.org", bytes([number]) * 16, 0, 0.9)
        inbox.post(tmp_path, 0, Seeds([seed]))
    first, second = sorted(tmp_path.glob("inbox/*/*.json"))
    second.write_text("no instruction")

    async def main() -> int:
        async with built(NodeStart(str(tmp_path), 0, 1, ONE_SHARD, [], 0), lambda _: None) as (node, notes):
            with pytest.raises(MachineError):
                await node.run(notes)
        async with built(NodeStart(str(tmp_path), 0, 1, ONE_SHARD, [], 0), lambda _: None) as (node, _):
            return node.status().frontier.states["queued"]

    assert asyncio.run(main()) == 1
    assert (first.exists(), second.exists()) == (False, True)
