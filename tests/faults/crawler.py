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
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import structs

from skitter.messages import LinkKind, State
from skitter.settings import ScopeSettings
from skitter.shard.reader import ShardReader
from skitter.shard.records import URLS, UrlRecord
from skitter.shard.rocks import open_read_only
from skitter.simweb.judge import Findings, judge
from skitter.simweb.log import Request, read_log
from skitter.simweb.settings import WorldSettings
from skitter.simweb.truth import Habits, Truth, expected
from skitter.simweb.world import World
from tests.processes import children

HABITS = Habits(scope=ScopeSettings(reach="any"), kinds=frozenset(LinkKind) - {LinkKind.EMBED}, patient=False)
DELAY = 0.2


class Web:
    """A simulated web in a process of its own."""

    def __init__(self, folder: Path, settings: WorldSettings, world: str = "mixed") -> None:
        self.log, self.hosts = folder / "web.log", folder / "hosts"
        numbers = ("seed", "hosts", "pages_per_host", "links_per_page", "page_bytes")
        options = [text for name in numbers for text in (f"--{name.replace('_', '-')}", str(getattr(settings, name)))]
        command = [sys.executable, "-m", "skitter.simweb", "--world", world, *options]
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

    def truth(self, *, patient: bool = False) -> Truth:
        """What must be asked for. Patient: what may be, too, since what fails for a while works later."""
        return expected(self.world, self.seeds, structs.replace(HABITS, patient=patient))


@contextlib.contextmanager
def served(folder: Path, settings: WorldSettings, world: str = "mixed") -> Iterator[Web]:
    """Yields a web that is made from `settings`, which begin with those of `world`."""
    web = Web(folder, settings, world)
    try:
        yield web
    finally:
        web.close()


class Crawl:
    """`skitter crawl` on a folder, started as often as need be."""

    def __init__(
        self, out: Path, web: Web, *more: str, delay: float = DELAY, env: Mapping[str, str] | None = None
    ) -> None:
        self.out = out
        self.workers = 2
        self._env = {**os.environ, **(env or {})}
        self._command = [
            *(sys.executable, "-m", "skitter", "crawl", *web.seeds, "--out", str(out), "--hosts-file", str(web.hosts)),
            *("--allow-net", "127.20.0.0/16", "--scope", "any", "--delay", str(delay), "--quiet", "--json"),
            *("--set", "scope.suffixes=sim.test"),  # else all hosts are one domain, and one node has them all
            *("--set", "node.linger=2", "--set", "politeness.address_rate=1000", *more),
        ]
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(
            [*self._command, "--workers", str(self.workers)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=self._env,
        )

    def nodes(self) -> list[int]:
        """The nodes at work. A process that is not a node yet holds our pipes open: if it stood still, we would too."""
        assert self.process is not None
        return [pid for pid in children(self.process.pid) if _is_node(pid)]

    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def kill_node(self, dice: random.Random) -> None:
        if nodes := self.nodes():
            _kill(dice.choice(nodes))

    def kill_nodes(self) -> None:
        for pid in self.nodes():
            _kill(pid)

    def stop(self, sign: signal.Signals = signal.SIGTERM) -> None:
        """Asks for an end in order."""
        assert self.process is not None
        self.process.send_signal(sign)

    def kill_supervisor(self) -> None:
        assert self.process is not None
        self.process.kill()
        self._reap()

    def kill_all(self) -> None:
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self._reap()

    def close(self) -> None:
        """Ends what is left of it, on every path out of a test."""
        if self.process is not None and self.process.poll() is None:
            self.kill_all()
        elif self.process is not None and self.process.stdout is not None and not self.process.stdout.closed:
            self._reap()

    def finish(self, timeout: float = 180) -> dict[str, object]:
        """Returns the JSON of a run that ends by itself."""
        code, out, told = self.end(timeout)
        assert code in (0, 3), f"{code}: {told}\n{logs(self.out)}"
        ended: dict[str, object] = json.loads(out.splitlines()[-1])
        return ended

    def end(self, timeout: float = 180) -> tuple[int, str, str]:
        """Returns exit code, output and complaints of a run that ends by itself, whatever its end."""
        assert self.process is not None
        out, told = self.process.communicate(timeout=timeout)
        return self.process.returncode, out, told

    def _reap(self) -> None:
        assert self.process is not None
        self.process.communicate()


def _is_node(pid: int) -> bool:
    try:
        return b"skitter.node" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def logs(out: Path) -> str:
    return "\n".join(path.read_text(errors="replace")[-2000:] for path in (out / "run").glob("*.log"))


def settled(out: Path) -> list[UrlRecord]:
    """The records of all URLs on disk, whose counts by state add up. Nobody may be writing."""
    found: list[UrlRecord] = []
    # A shard without this file was being made when its node was killed: there is nothing in it.
    for path in sorted(file.parent for file in out.glob("frontier/*/CURRENT")):
        store = open_read_only(path)
        shard = ShardReader(int(path.name), store)
        here = [URLS.decode(raw) for _, raw in shard.iterate(b"u")]
        counts_add_up(shard, here)
        store.close()
        found += here
    return found


def counts_add_up(shard: ShardReader, records: Sequence[UrlRecord]) -> None:
    """What a shard and its hosts count is what they have."""
    states = Counter(record.state for record in records)
    assert +shard.counts() == states, f"shard {shard.number} counts {shard.counts()}, but has {states}"
    by_host: defaultdict[str, Counter[State]] = defaultdict(Counter)
    for record in records:
        by_host[record.host][record.state] += 1
    for host, theirs in by_host.items():
        assert +shard.host_counts(host) == theirs, f"{host} counts {shard.host_counts(host)}, but has {theirs}"


def wait_until(what: object, seconds: float = 30) -> None:
    """Returns when `what()` is true."""
    assert callable(what)
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it did not come about"
        time.sleep(0.02)
