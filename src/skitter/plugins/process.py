"""A plug-in in a process of its own, with so much memory and no more. It answers one call after another.

Python code can't be cut off from within its process; a process can be killed. So whoever asks (`apart.py`) waits until
a deadline and then kills this one. If the node dies first, the kernel ends us: a signal comes when the other end of
LIFE is closed, and its usual effect is the end of a process, whatever the plug-in is doing.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import signal
import socket

from skitter.errors import OperatorError
from skitter.plugins.calls import Begin, Call, Fault, Ready, Trouble, Wrong, answered
from skitter.plugins.frames import GoneError, receive, send
from skitter.plugins.loading import Loaded, load


def live(line: int, life: int) -> None:
    """Answers until nobody asks any more."""
    _die_with(life)
    with socket.socket(fileno=line) as asked, contextlib.suppress(GoneError):
        begin: Begin = receive(asked, Begin)
        resource.setrlimit(resource.RLIMIT_AS, (begin.settings.memory, begin.settings.memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        loaded = _loaded(begin)
        if isinstance(loaded, Wrong):
            send(asked, loaded)
            return
        tables = [str(one) for one in getattr(loaded.plugin, "tables", ())]
        send(asked, Ready(loaded.parts, loaded.media_types, loaded.is_quick, tables))
        while _answer(asked, loaded.plugin):
            pass


def _die_with(life: int) -> None:
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(life, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(life, fcntl.F_SETFL, fcntl.fcntl(life, fcntl.F_GETFL) | os.O_ASYNC)


def _loaded(begin: Begin) -> Loaded | Wrong:
    try:
        return load(begin.name, begin.settings)
    except OperatorError as error:
        return Wrong(error.key, error.value, error.right)
    except MemoryError:
        return Wrong("plugins.memory", begin.settings.memory, f"is too little to load {begin.name}")


def _answer(asked: socket.socket, plugin: object) -> bool:
    """Answers one call; whether we can go on. Out of memory, we can't: nobody knows what is half done."""
    call: Call = receive(asked, Call)
    try:
        answer = answered(plugin, call)
    except MemoryError:
        send(asked, Trouble(Fault.DIED, "ran out of memory (plugins.memory)"))
        return False
    send(asked, answer)
    return True
