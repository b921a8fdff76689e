"""A browser as a process: started with pipes, and killed with everything that it has started."""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from skitter.render.command import command
from skitter.render.finding import Found
from skitter.render.tree import Use, descendants, is_there, use
from skitter.render.walls import Walls
from skitter.settings import RenderSettings

PREFIX = "skitter-browser-"
LAST_WORDS = 1000
BURIAL = 5.0
"""Seconds within which the kernel takes away what was killed."""
KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH")
"""What of our environment a browser is told: nothing that may be a secret."""


class Process:
    """One browser's processes, its folder, and its last words."""

    def __init__(self, process: asyncio.subprocess.Process, folder: Path, lock: int) -> None:
        self._process = process
        self._folder, self._lock = folder, lock
        self._words = bytearray()
        self._killed: set[int] = set()
        self._listening = asyncio.create_task(self._listen())

    @property
    def pipes(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """What it says, and what it hears."""
        reader, writer = self._process.stdout, self._process.stdin
        assert reader is not None
        assert writer is not None
        return reader, writer

    @property
    def pid(self) -> int:
        """The first of its processes."""
        return self._process.pid

    def use(self) -> Use:
        """Returns what all of them use."""
        return use(self.pid)

    def last_words(self) -> str:
        """Returns the end of what it has written for a terminal."""
        return bytes(self._words).decode("utf-8", "replace").strip()

    def kill(self) -> None:
        """Ends all of them."""
        self._killed |= set(descendants(self.pid))
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        for pid in self._killed:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    async def end(self) -> None:
        """Returns when nothing of it is left: no process, no file."""
        self.kill()
        await self._process.wait()
        with suppress(TimeoutError):
            async with asyncio.timeout(BURIAL):
                await self._listening
                while any(map(is_there, self._killed)):
                    await asyncio.sleep(0.01)
        await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    async def _listen(self) -> None:
        assert self._process.stderr is not None
        while words := await self._process.stderr.read(4096):
            self._words += words
            del self._words[:-LAST_WORDS]


async def start(found: Found, walls: Walls, settings: RenderSettings, agent: str) -> Process:
    """Returns a browser's process, which may well die at once. OSError if nothing can be started."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    lock = os.open(folder, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)  # ours while we live: see `sweep`
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    try:
        process = await asyncio.create_subprocess_exec(
            *command(found.path, walls, settings, agent=agent, folder=str(folder)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**environment, "TMPDIR": str(folder), **found.environment},
            cwd=folder,
            start_new_session=True,
        )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)
        raise
    return Process(process, folder, lock)


def sweep() -> None:
    """Removes the folders of browsers whose node was killed: nobody holds their lock any more."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY)
        except OSError:
            continue  # another user's, or just gone
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            pass  # of a node that lives
        finally:
            os.close(lock)
