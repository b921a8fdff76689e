"""A server as a child process: ready within a deadline or an error with its last words, and gone when we are."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

LAST_WORDS = 2000
RUNNING: set[int] = set()
"""The servers of this process: who looks for other children of it does not mean them."""


class Unavailable(Exception):  # noqa: N818 - a fact about this machine, no mistake
    """A server can't be had on this machine, and why."""


def free_ports(count: int) -> list[int]:
    """Returns ports that nobody listens on, all different."""
    with contextlib.ExitStack() as open_sockets:
        sockets = [open_sockets.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def answers(port: int) -> bool:
    """Whether somebody takes connections at a port of this machine."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def mortal(arguments: Sequence[str]) -> list[str]:
    """Returns a command that is killed when the thread that starts it ends, where this machine can do that."""
    setpriv = shutil.which("setpriv")
    return [*([setpriv, "--pdeathsig", "KILL"] if setpriv is not None else []), *arguments]


class Child:
    """One process at a time; started again after its death, it is another one with the same arguments."""

    def __init__(self, arguments: Sequence[str], *, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self._arguments = list(arguments)
        self._folder = folder
        self._environment = {**os.environ, **(environment or {})}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The process that runs."""
        assert self._process is not None, "not started"
        return self._process.pid

    def start(self, is_ready: Callable[[], bool], *, seconds: float) -> None:
        """Returns when `is_ready()`; RuntimeError with the server's last words if it ends or takes too long."""
        assert self._process is None, "started already"
        with (self._folder / "output.txt").open("ab") as output:
            self._process = subprocess.Popen(  # noqa: S603
                mortal(self._arguments),
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,  # Ctrl-C is for whoever started it, who stops it in order
            )
        RUNNING.add(self._process.pid)
        deadline = time.monotonic() + seconds
        while not is_ready():
            if self._process.poll() is not None:
                self._give_up("ended")
            if time.monotonic() > deadline:
                self._give_up(f"was not ready within {seconds:g} s")
            time.sleep(0.05)

    def _give_up(self, what: str) -> None:
        self.kill()
        words = (self._folder / "output.txt").read_bytes()[-LAST_WORDS:].decode("utf-8", "replace")
        raise RuntimeError(f"{self._arguments[0]} {what}; its last words:\n{words}")

    def kill(self) -> None:
        """Ends the process as a power cut would; nothing happens if there is none."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            RUNNING.discard(self._process.pid)
            self._process = None
