"""Nodes are born with allocators that hold on to little, and the operator has the last word on it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from skitter.clock import steady_clock
from skitter.config.load import load
from skitter.folder import locks
from skitter.supervisor import begin as crawl
from skitter.supervisor.real import FRUGAL, RealProcess, RealProcesses
from skitter.supervisor.supervisor import Supervisor


@pytest.mark.slow
def test_what_a_node_is_born_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said, unsaid = FRUGAL
    monkeypatch.setenv(said, "7")
    monkeypatch.delenv(unsaid, raising=False)
    environment = asyncio.run(_environment_of_a_node(tmp_path))
    assert environment[said] == "7"
    assert environment[unsaid] == FRUGAL[unsaid]


async def _environment_of_a_node(out: Path) -> dict[str, str]:
    settings, clock = load(flags={"dns.allow_nets": ["127.0.0.0/8"], "frontier.shards": 1}).settings, steady_clock()
    with locks.locked(out):
        begun = crawl.begin(out, ["http://127.0.0.1:9/"], settings, clock())
        supervisor = Supervisor(RealProcesses(out), out, settings, begun.seeds, 1, clock=clock, max_seconds=60)
        running = asyncio.create_task(supervisor.run())
        try:
            while not supervisor.reports():
                await asyncio.sleep(0.02)
            process = supervisor._children[0].process
            assert isinstance(process, RealProcess)
            lines = Path(f"/proc/{process.pid}/environ").read_text().split("\0")
        finally:
            supervisor.stop()
            await running
    return dict(line.split("=", 1) for line in lines if line)
