"""Nodes as processes of the operating system: JSON lines over pipes, a log file each, and a lock that they share."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from skitter.folder.locks import nodes_at_work, nodes_lock
from skitter.node.status import Command, NodeStart, NodeStatus

FRUGAL = {"MALLOC_ARENA_MAX": "2", "ARROW_DEFAULT_MEMORY_POOL": "system"}
"""What a node is born with, unless the operator's environment says otherwise: two allocators that hold on to less. The
one that comes with Arrow kept 18 MB for the 2 MB that our tables take."""

LONGEST_REPORT = 2**24


class RealProcess:
    """One node process. See `processes.NodeProcess`."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._stdin, self._stdout = process.stdin, process.stdout
        self._log = log

    @property
    def pid(self) -> int:
        """What the operating system calls it."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """See `processes.NodeProcess`."""
        return self._process.returncode

    def tell(self, command: Command | NodeStart) -> None:
        """See `processes.NodeProcess`. The first that it is told is who it is."""
        if not self._stdin.is_closing():
            self._stdin.write(msgspec.json.encode(command) + b"\n")

    async def next_report(self) -> NodeStatus | None:
        """See `processes.NodeProcess`."""
        line = await self._stdout.readline()
        if line.endswith(b"\n"):  # else it was killed in the middle of a report
            return msgspec.json.decode(line, type=NodeStatus)
        await self._process.wait()
        return None

    def kill(self) -> None:
        """See `processes.NodeProcess`."""
        if self._process.returncode is None:
            self._process.kill()

    def last_words(self) -> str:
        """See `processes.NodeProcess`."""
        lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def __repr__(self) -> str:
        return f"<RealProcess {self.pid} {'alive' if self.returncode is None else self.returncode}>"


class RealProcesses:
    """Starts the nodes of the crawl in `directory`. See `processes.Processes`."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._lock: int | None = None

    def has_old_nodes(self) -> bool:
        """See `processes.Processes`."""
        return nodes_at_work(self._directory)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """See `processes.Processes`."""
        with nodes_lock(self._directory) as self._lock:
            yield

    async def start(self, start: NodeStart) -> RealProcess:
        """See `processes.Processes`."""
        assert self._lock is not None, "hold the folder first"
        path = self._directory / "run" / f"node-{start.number}.log"
        with path.open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "skitter.node",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                limit=LONGEST_REPORT,
                pass_fds=(self._lock,),
                env={**FRUGAL, **os.environ, "PYTHONUNBUFFERED": "1"},
            )
        node = RealProcess(process, path)
        node.tell(start)
        return node

    def __repr__(self) -> str:
        return f"<RealProcesses in {self._directory}>"
