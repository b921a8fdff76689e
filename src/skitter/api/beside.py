"""Keeps the API's process beside a crawl: started again if it dies, ended with it. The crawl never waits for it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import msgspec

from skitter.api.server import ApiPlace, address_of, listening
from skitter.api.tokens import FILE, tokens_in
from skitter.api.whole import ApiStart

AGAIN, AT_LATEST = 0.5, 30.0
ENDS_IN = 5.0
LOG = "api.log"


@contextlib.asynccontextmanager
async def api_beside(
    place: ApiPlace, directory: Path, nodes: int, note: Callable[[str], None]
) -> AsyncIterator[tuple[str, Path]]:
    """Yields where the API answers and the file of its tokens. OperatorError: it can't listen, or a bad file."""
    place.require_safe()
    tokens = place.tokens or directory / FILE
    tokens_in(tokens)
    with contextlib.closing(listening(place)) as open_socket:
        (directory / "run").mkdir(mode=0o700, parents=True, exist_ok=True)
        keeper = _Keeper(ApiStart(directory, place, open_socket.fileno(), nodes), note)
        keeping = asyncio.create_task(keeper.keep())
        try:
            yield address_of(place, open_socket.getsockname()[1]), tokens
        finally:
            await keeper.end()
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)


class _Keeper:
    def __init__(self, start: ApiStart, note: Callable[[str], None]) -> None:
        self._start = start
        self._note = note
        self._process: asyncio.subprocess.Process | None = None
        self._is_over = False

    async def keep(self) -> None:
        deaths = 0
        while not self._is_over:
            code = await self._live()
            if not self._is_over:
                self._note(f"the API's process ended ({code}) and is started again; see {self._log}")
                await asyncio.sleep(min(AT_LATEST, AGAIN * 2.0**deaths))
                deaths += 1

    async def end(self) -> None:
        """Ends the process, in order if it can."""
        self._is_over = True
        process = self._process
        if process is None or process.returncode is not None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), ENDS_IN)
        except TimeoutError:
            process.kill()
            await process.wait()

    async def _live(self) -> int:
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "skitter.api"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=log,
                pass_fds=(self._start.socket,),
                env={"MALLOC_ARENA_MAX": "2", **os.environ},
            )
        assert self._process.stdin is not None
        self._process.stdin.write(msgspec.json.encode(self._start, enc_hook=str) + b"\n")
        if self._is_over:
            self._process.stdin.close()
        return await self._process.wait()

    @property
    def _log(self) -> Path:
        return self._start.directory / "run" / LOG
