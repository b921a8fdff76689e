"""The tutorial is typed in, command by command, by somebody who has nothing else. Each must do what the page says."""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

PAGE = Path(__file__).parents[2] / "docs" / "index.md"
PORT = "8080"
CODES = {"skitter crawl": 3}
"""`--max-pages` is reached before the end, which the exit code says. All others are done, 0."""
SHOWN = {
    "skitter status": "URLs found",
    "skitter why": "h0000.sim.test",
    "skitter audit": "Every promise was kept",
    "skitter history": "changed",
}
"""What is looked for on the screen."""


def commands() -> list[str]:
    blocks = re.findall(r"```console\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def free_port() -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return str(taken.getsockname()[1])


class Terminal:
    """Somebody's terminal, in a folder with nothing in it. What was left running in it ends with it."""

    def __init__(self, folder: Path) -> None:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self._environment = {**os.environ, "PATH": path, "SKITTER_CONTENT_TEXT": "best"}
        self._folder = folder
        self._running: list[subprocess.Popen[str]] = []

    def type(self, line: str) -> tuple[int, str]:
        """Returns the exit code of a command and what it showed; of one that stays (`&`), its first line."""
        words = shlex.split(line)
        if words[-1] == "&":
            self._running.append(self._started(words[:-1]))
            output = self._running[-1].stdout
            assert output is not None
            return 0, output.readline()
        if words[0] == "duckdb":  # its program is not ours to install, the same engine is at hand as a module
            return 0, str(duckdb.sql(words[2]).fetchall())
        done = self._started(words)
        shown, _ = done.communicate(timeout=240)
        return done.returncode, shown

    def _started(self, words: list[str]) -> subprocess.Popen[str]:
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return subprocess.Popen(words, cwd=self._folder, env=self._environment, text=True, **pipes)  # type: ignore[call-overload, no-any-return]

    def close(self) -> None:
        for process in self._running:
            process.kill()
            process.communicate()


@pytest.mark.slow
def test_every_command_of_the_tutorial_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    terminal, port, typed = Terminal(tmp_path), free_port(), []
    try:
        for line in commands():
            code, shown = terminal.type(line.replace(PORT, port))
            name = " ".join(line.split()[:2])
            assert code == CODES.get(name, 0), f"{line}\n{shown}"
            assert SHOWN.get(name, "") in shown, line
            assert not line.startswith("duckdb") or len(shown) > 20, f"{line} finds nothing: {shown}"
            typed.append(name)
    finally:
        terminal.close()
    assert set(SHOWN) <= set(typed), "the page has lost a command that it is about"
    assert (tmp_path / "rows.jsonl").stat().st_size > 0
