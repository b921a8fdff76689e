"""The other end of a plug-in's process: starts it, asks it with a deadline, and ends it if it is late or broken."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time

from skitter.errors import OperatorError
from skitter.plugins.calls import Answer, Begin, Call, Fault, Ready, Trouble, Wrong, checked_again
from skitter.plugins.frames import GoneError, LateError, receive, send
from skitter.settings import PluginSettings

STARTING = 60.0
"""Seconds that a plug-in has to be imported and made."""


class Apart:
    """One plug-in's process. One thread at a time may call."""

    def __init__(self, name: str, settings: PluginSettings) -> None:
        self._name = name
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None
        self._life: socket.socket | None = None
        self.starts = 0

    def start(self) -> Ready:
        """Returns what the plug-in can do. OperatorError if it can't be loaded."""
        self.end()
        self._spawn()
        assert self._line is not None
        until = time.monotonic() + STARTING
        try:
            send(self._line, Begin(self._name, self._settings), until)
            answer: Ready | Wrong = receive(self._line, Ready | Wrong, until)
        except LateError:
            self.end()
            raise OperatorError("plugins.use", self._name, f"was not imported and made within {STARTING:g} s") from None
        except GoneError as error:
            self.end()
            right = f"its process ended while it was imported and made ({error}): it may need more of plugins.memory"
            raise OperatorError("plugins.use", self._name, right) from None
        if isinstance(answer, Wrong):
            self.end()
            raise OperatorError(answer.key, answer.value, answer.right)
        return answer

    def ask(self, call: Call) -> Answer:
        """Returns what the plug-in says, or what is wrong with it: then the next call finds a new process."""
        if self._line is None:
            try:
                self.start()
            except OperatorError as error:
                return Trouble(Fault.DIED, str(error)[:500])
        assert self._line is not None
        try:
            until = time.monotonic() + self._settings.deadline
            send(self._line, call, until)
            answer: Answer = receive(self._line, Answer, until)
        except LateError:
            self.end()
            return Trouble(Fault.HUNG, f"was not done within {self._settings.deadline:g} s (plugins.deadline)")
        except GoneError as error:
            self.end()
            return Trouble(Fault.DIED, f"its process ended: {error}"[:500])
        if isinstance(answer, Trouble) and answer.fault is Fault.DIED:
            self.end()
        return checked_again(answer, call)

    def end(self) -> None:
        """Ends the process and all that it started, at once."""
        process, self._process = self._process, None
        for one in (self._line, self._life):
            if one is not None:
                one.close()
        self._line = self._life = None
        if process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    @property
    def pid(self) -> int | None:
        """The process, if there is one."""
        return None if self._process is None else self._process.pid

    def _spawn(self) -> None:
        self.starts += 1
        self._line, theirs = socket.socketpair()
        self._life, life = socket.socketpair()
        # What it prints goes where errors go: a node's own output is what its supervisor reads.
        with theirs, life:
            self._process = subprocess.Popen(  # noqa: S603 (ourselves)
                [sys.executable, "-m", "skitter.plugins", str(theirs.fileno()), str(life.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=2,
                pass_fds=(theirs.fileno(), life.fileno()),
                start_new_session=True,
            )

    def __repr__(self) -> str:
        return f"<Apart {self._name} {'not running' if self.pid is None else f'process {self.pid}'}>"
