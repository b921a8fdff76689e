"""A crawl of the simulated web as processes, to be killed at will and judged by the server's log."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from msgspec import structs

from skitter.frontier import keys
from skitter.frontier.records import URLS
from skitter.frontier.shard import decode_counts, open_read_only
from skitter.messages import LinkKind, State
from skitter.settings import ScopeSettings
from skitter.simweb.judge import Findings, judge
from skitter.simweb.log import Request, read_log
from skitter.simweb.settings import WorldSettings
from skitter.simweb.truth import Habits, Truth, expected
from skitter.simweb.world import World

HABITS = Habits(scope=ScopeSettings(reach="any"), kinds=frozenset(LinkKind) - {LinkKind.EMBED}, patient=False)
DELAY = 0.2


class Web:
    """A simulated web in a process of its own."""

    def __init__(self, folder: Path, settings: WorldSettings) -> None:
        self.log, self.hosts = folder / "web.log", folder / "hosts"
        numbers = ("seed", "hosts", "pages_per_host", "links_per_page", "page_bytes")
        options = [text for name in numbers for text in (f"--{name.replace('_', '-')}", str(getattr(settings, name)))]
        command = [sys.executable, "-m", "skitter.simweb", "--world", "mixed", *options]
        self._process = subprocess.Popen(
            [*command, "--port", "0", "--log", self.log, "--hosts-file", self.hosts], stdout=subprocess.PIPE
        )
        assert self._process.stdout is not None
        ready = json.loads(self._process.stdout.readline())
        self.seeds: list[str] = ready["seeds"]
        self.world = World(structs.replace(settings, port=ready["port"]))

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def requests(self) -> list[Request]:
        return read_log(self.log)

    def findings(self) -> Findings:
        return judge(self.requests(), self.world)

    def truth(self) -> Truth:
        return expected(self.world, self.seeds, HABITS)


@contextlib.contextmanager
def served(folder: Path, settings: WorldSettings) -> Iterator[Web]:
    web = Web(folder, settings)
    try:
        yield web
    finally:
        web.close()


class Crawl:
    """`skitter crawl` on a folder, started as often as need be."""

    def __init__(self, out: Path, web: Web, *more: str) -> None:
        self.out = out
        self._command = [
            *(sys.executable, "-m", "skitter", "crawl", *web.seeds, "--out", str(out), "--hosts-file", str(web.hosts)),
            *(
                "--allow-net",
                "127.20.0.0/16",
                "--scope",
                "any",
                "--delay",
                str(DELAY),
                "--workers",
                "2",
                "--quiet",
                "--json",
            ),
            *("--set", "node.linger=2", "--set", "politeness.address_rate=1000", *more),
        ]
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(
            self._command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )

    def nodes(self) -> list[int]:
        assert self.process is not None
        try:
            children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        except OSError:
            return []
        return [int(pid) for pid in children.split()]

    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def kill_node(self, dice: random.Random) -> None:
        if nodes := self.nodes():
            _kill(dice.choice(nodes))

    def kill_supervisor(self) -> None:
        assert self.process is not None
        self.process.kill()
        self._reap()

    def kill_all(self) -> None:
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self._reap()

    def finish(self, timeout: float = 180) -> dict[str, object]:
        """Returns the JSON of a run that ends by itself."""
        assert self.process is not None
        out, told = self.process.communicate(timeout=timeout)
        assert self.process.returncode in (0, 3), f"{self.process.returncode}: {told}\n{logs(self.out)}"
        ended: dict[str, object] = json.loads(out.splitlines()[-1])
        return ended

    def _reap(self) -> None:
        assert self.process is not None
        self.process.communicate()


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def logs(out: Path) -> str:
    return "\n".join(path.read_text(errors="replace")[-2000:] for path in (out / "run").glob("*.log"))


def settled(out: Path) -> dict[str, State]:
    """The state of every URL on disk, by href. Nobody may be writing."""
    found: dict[str, State] = {}
    for path in sorted(out.glob("frontier/*")):
        store = open_read_only(path)
        counted = decode_counts(store.get(keys.COUNTS) or b"\x80")
        here: dict[str, State] = {}
        for key, raw in store.items(from_key=b"u"):
            if key[:1] != b"u":
                break
            record = URLS.decode(raw)
            here[record.href] = record.state
        assert sum(counted.values()) == len(here), f"counts in {path} do not add up: {counted}, {len(here)} URLs"
        found.update(here)
        store.close()
    return found


def wait_until(what: object, seconds: float = 30) -> None:
    """Returns when `what()` is true."""
    assert callable(what)
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it did not come about"
        time.sleep(0.02)
