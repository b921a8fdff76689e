"""`make render-torture`: a pool of real browsers, a thousand pages, half of them meant to harm, and a report.

Loops, bombs, crowds of frames, workers and popups, browsers and their pages' processes killed in the middle, callers
that go away: in an order that the seed draws. What is promised: every page comes to an end, every harmless one is
rendered whole, and at the end nothing is left that was not there before: no process, file, open file or memory.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from skitter.messages import Failure
from skitter.ports import Given, Rendered, Wanted
from skitter.render.pool import Pool
from skitter.render.tree import descendants
from skitter.settings import RenderSettings
from tests.processes import children_since
from tests.render.conftest import HOME, Web
from tests.render.harm import HARM
from tests.servers.browser import render_settings

FINE = {
    "": "<body><script src=a.js></script>",
    "a.js": "setTimeout(async () => document.body.append(await (await fetch('/b.json')).json()), 1000)",
    "b.json": '"whole"',
}
KILLS = ("kill the browser", "kill the page's process", "caller goes away")
HARMLESS = "harmless"
MB = 1024**2


def main() -> None:
    """Exits with 1 if a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--browsers", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=60, help="after which no more pages are begun")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder
        torture = Torture(args, Path(folder))
        asyncio.run(torture.run())
    report = torture.report()
    sys.stdout.write(report)
    if args.report is not None:
        args.report.write_text(report, encoding="utf-8")
    sys.exit(bool(torture.wrongs))


class Torture:
    """Pools of one browser each, what they are put through, and what came of it."""

    def __init__(self, args: argparse.Namespace, folder: Path) -> None:
        self._args, self._folder = args, folder
        self._dice = random.Random(args.seed)
        self._since = children_since()
        self._settings = _settings()
        self._ends: Counter[tuple[str, str]] = Counter()
        self._peak = 0
        self._cost = 0.0
        self.wrongs: list[str] = []

    async def run(self) -> None:
        """Renders all pages, and looks at what is left."""
        began = time.monotonic()
        async with contextlib.AsyncExitStack() as stack:
            pools = [
                await stack.enter_async_context(Pool(self._settings, agent="skitter"))
                for _ in range(self._args.browsers)
            ]
            await self._warm(pools)
            before = _own()
            await self._all(pools, began + 60 * self._args.minutes)
            await self._warm(pools)
            self._launches = sum(pool.statistics().launches for pool in pools)
            after = _own()
        self._seconds = time.monotonic() - began
        self._before, self._after = before, after
        self._look_for_the_rest()

    async def _warm(self, pools: Sequence[Pool]) -> None:
        await asyncio.gather(*(self._one(pool, HARMLESS) for pool in pools))

    async def _all(self, pools: Sequence[Pool], until: float) -> None:
        names = [HARMLESS] * (len(HARM) + len(KILLS)) + list(HARM) + list(KILLS)
        waiting = [self._dice.choice(names) for _ in range(self._args.pages)]
        async with asyncio.TaskGroup() as tasks:
            watching = tasks.create_task(self._watch(pools))
            async with asyncio.TaskGroup() as lanes:
                for pool in pools:
                    lanes.create_task(self._lane(pool, waiting, until))
            watching.cancel()

    async def _lane(self, pool: Pool, waiting: list[str], until: float) -> None:
        while waiting and time.monotonic() < until:
            await self._one(pool, waiting.pop())

    async def _watch(self, pools: Sequence[Pool]) -> None:
        while True:
            browsers = [browser for pool in pools for browser in pool.browsers]
            uses = await asyncio.gather(*(asyncio.to_thread(browser.use) for browser in browsers))
            self._peak = max(self._peak, *(use.memory for use in uses), 0)
            await asyncio.sleep(0.1)

    async def _one(self, pool: Pool, name: str) -> None:
        if name in KILLS:
            end = await self._killed(pool, name)
        elif name in HARM:
            end = _told(await pool.render(HOME, Web({"": f"<body><script>{HARM[name]}</script>"}).give))
        else:
            found = await pool.render(HOME, Web(FINE).give)
            end = _told(found)
            if end != "settled" or b"whole" not in getattr(found, "dom", b""):
                self.wrongs.append(f"a harmless page came to this: {found}")
        self._ends[name, end] += 1

    async def _killed(self, pool: Pool, name: str) -> str:
        asked = asyncio.Event()

        async def give(wanted: Wanted) -> Given:
            if wanted.url == HOME:
                return Given(200, (("Content-Type", "text/html"),), b"<script src=a.js></script>")
            asked.set()
            return await asyncio.Future()

        rendering = asyncio.create_task(pool.render(HOME, give))
        await asyncio.wait([rendering, asyncio.create_task(asked.wait())], return_when=asyncio.FIRST_COMPLETED)
        if name == KILLS[-1]:
            rendering.cancel()
            await asyncio.wait([rendering])
            return "cancelled"
        for browser in pool.browsers:  # each lane has a pool of its own, so that this is ours
            pids = sorted(descendants(browser.pid), key=_began)
            os.kill(pids[1] if name == KILLS[0] else pids[-1], signal.SIGKILL)
        return _told(await rendering)

    def _look_for_the_rest(self) -> None:
        if left := self._since():
            self.wrongs.append(f"processes are left: {left}")
        if files := [path.name for path in self._folder.iterdir()]:
            self.wrongs.append(f"files are left: {files}")
        if self._after[0] > self._before[0] + 2:
            self.wrongs.append(f"open files grew from {self._before[0]} to {self._after[0]}")
        if self._after[1] > self._before[1] + 20 * MB:
            self.wrongs.append(f"our memory grew from {self._before[1] // MB} to {self._after[1] // MB} MB")
        if self._peak > 2 * self._settings.max_memory:
            self.wrongs.append(f"a browser had {self._peak // MB} MB")

    def report(self) -> str:
        """Returns what came of it, as a page."""
        rows = [f"| {name} | {end} | {count} |" for (name, end), count in sorted(self._ends.items())]
        verdict = "Every promise was kept." if not self.wrongs else "Broken: " + "; ".join(self.wrongs[:10])
        lines = [
            "# Browsers put through harm",
            "",
            f"Made by `make render-torture` (`--pages {self._args.pages} --browsers {self._args.browsers} "
            f"--seed {self._args.seed}`): {self._ends.total()} pages in {self._seconds:.0f} s, "
            f"{self._launches} browsers started. {verdict}",
            "",
            f"- The most that one browser had: {self._peak // MB} MB of its own memory "
            f"(`render.max_memory` {self._settings.max_memory // MB} MB).",
            f"- Our own process: {self._before[1] // MB} MB and {self._before[0]} open files before, "
            f"{self._after[1] // MB} MB and {self._after[0]} after.",
            "- Processes and files left behind: none." if not self.wrongs else "",
            "",
            "| page | end | how often |",
            "|---|---|---|",
            *rows,
        ]
        return "\n".join(lines) + "\n"


def _settings() -> RenderSettings:
    return render_settings(browsers=1, total_timeout=15.0, max_cpu=1.0, max_memory=512 * MB, recycle_pages=50)


def _began(pid: int) -> int:
    """Returns when a process began: numbers of processes start again from the lowest, times do not."""
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19])
    return 0


def _told(found: Rendered | Failure) -> str:
    if isinstance(found, Failure):
        return f"failed: {found.detail.partition(';')[0]}"
    return "settled" if found.is_settled else "taken as far as it came"


def _own() -> tuple[int, int]:
    """Returns how many files we have open, and our memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return len(list(Path("/proc/self/fd").iterdir())), pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
