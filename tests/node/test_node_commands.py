"""A node takes what it is told, however early it is told."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec
import pytest

from skitter.folder.routesfile import write_routes
from skitter.node import node as node_module
from skitter.node.build import built
from skitter.node.node import REPORT_EVERY
from skitter.node.status import Command, NodeStart, NodeStatus
from skitter.settings import Settings
from skitter.url.domains import Domains
from skitter.url.routes import Routes


@contextlib.contextmanager
def a_node(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes], IO[bytes]]]:
    """Yields a node's process, what it is told and what it says."""
    (folder / "run").mkdir()
    write_routes(folder, Routes(Domains(), 64))
    with subprocess.Popen(
        [sys.executable, "-m", "skitter.node"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process, process.stdin, process.stdout
        finally:
            process.kill()


def tell(stdin: IO[bytes], *messages: NodeStart | Command) -> None:
    stdin.write(b"".join(msgspec.json.encode(message) + b"\n" for message in messages))
    stdin.flush()


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [1, 5000], ids=["short order", "order longer than any buffer"])
def test_a_stop_that_is_there_before_the_order_is_read_counts(tmp_path: Path, seeds: int) -> None:
    hrefs = [f"http://127.0.0.1/{number}" for number in range(seeds)]
    # The pipe stays open, as the supervisor's does: only the command says that it is over.
    with a_node(tmp_path) as (process, stdin, stdout):
        tell(
            stdin,
            NodeStart(str(tmp_path), 0, 1, Settings(), hrefs, budget=5),
            Command(grant=7),
            Command(stop=True),
        )
        assert process.wait(timeout=20) == 0
        last = msgspec.json.decode(stdout.read().splitlines()[-1], type=NodeStatus)
    assert last.stopped
    assert last.budget == 5 + 7, "a grant was lost"


@pytest.mark.slow
def test_a_question_is_answered_at_once(tmp_path: Path) -> None:
    with a_node(tmp_path) as (_, stdin, stdout):
        tell(stdin, NodeStart(str(tmp_path), 0, 1, Settings(), [], budget=None))
        stdout.readline()
        began = time.monotonic()
        for question in range(1, 41):
            tell(stdin, Command(ask=question))
            while (said := msgspec.json.decode(stdout.readline(), type=NodeStatus)).asked < question:
                pass
            assert (said.asked, said.idle) == (question, True)
        assert time.monotonic() - began < 40 * REPORT_EVERY / 2


@pytest.mark.parametrize("budget", [None, 0], ids=["nothing to fetch", "nothing granted"])
def test_a_node_that_has_run_dry_says_so_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, budget: int | None
) -> None:
    async def main() -> None:
        (tmp_path / "run").mkdir()
        write_routes(tmp_path, Routes(Domains(), 64))
        said: asyncio.Queue[NodeStatus] = asyncio.Queue()
        order = NodeStart(str(tmp_path), 0, 1, Settings(), [], budget)
        async with built(order, said.put_nowait) as (node, notes):
            running = asyncio.create_task(node.run(notes))
            async with asyncio.timeout(30):
                reports = [await said.get(), await said.get()]
            assert reports[-1].idle
            node.obey(Command(stop=True))
            await running

    monkeypatch.setattr(node_module, "REPORT_EVERY", 3600.0)
    asyncio.run(main())
