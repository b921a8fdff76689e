"""What a process says is heard to its last whole line, however it ends."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import msgspec
import pytest

from skitter.node.status import Command, NodeStatus
from skitter.supervisor.real import RealProcess
from tests.metrics.reports import report

LINE = msgspec.json.encode(report(3)).decode()
ECHO = "import sys; sys.stdin.readline(); print(LINE, flush=True); sys.exit(7)"


async def running(code: str, log: Path) -> RealProcess:
    command = [sys.executable, "-c", f"LINE = {LINE!r}\n{code}"]
    pipe = asyncio.subprocess.PIPE
    return RealProcess(await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe), log)


async def heard(process: RealProcess) -> list[NodeStatus]:
    found = []
    while (status := await process.next_report()) is not None:
        found.append(status)
    return found


CASES = {
    "an end in order": (ECHO, 1, 7),
    "no last line": ("pass", 0, 0),
    "killed in the middle of a line": (
        "import os; print(LINE); print(LINE[:99], end='', flush=True); os.kill(os.getpid(), 9)",
        1,
        -signal.SIGKILL,
    ),
}


@pytest.mark.parametrize(("code", "reports", "ended"), CASES.values(), ids=CASES)
def test_it_is_heard_until_it_is_dead(code: str, reports: int, ended: int, tmp_path: Path) -> None:
    async def story() -> None:
        process = await running(code, tmp_path / "log")
        process.tell(Command(ask=1))
        assert await heard(process) == [report(3)] * reports
        assert process.returncode == ended
        process.tell(Command(stop=True))  # to the dead
        process.kill()

    asyncio.run(story())


def test_one_that_hears_nothing_is_killed(tmp_path: Path) -> None:
    async def story() -> None:
        process = await running("import signal; signal.pause()", tmp_path / "log")
        assert process.returncode is None
        process.kill()
        assert await heard(process) == []
        assert process.returncode == -signal.SIGKILL

    asyncio.run(story())


@pytest.mark.parametrize(("said", "last"), [("", ""), ("one\ntwo\n\n", "two"), ("bad \udcff byte", "bad � byte")])
def test_last_words(said: str, last: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(said, errors="surrogateescape")

    async def story() -> None:
        process = await running("pass", tmp_path / "log")
        assert process.last_words() == last
        await heard(process)

    asyncio.run(story())
