"""A crawl of the zoo, as processes, and what is known of every animal afterwards."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from skitter.inspection.folder import Folder
from skitter.inspection.why import Story, why
from skitter.messages import Reason, State
from skitter.shard.records import URLS
from skitter.simweb.log import Request, read_log
from skitter.store.warc.reader import read_record
from tests.processes import children

NETWORK = "127.20.0.0/16"


class Zoo(NamedTuple):
    """A simulated web with animals in it, being served."""

    folder: Path
    port: int

    def url(self, animal: str, path: str = "/") -> str:
        """Returns a URL of an animal."""
        return f"http://{animal}.zoo.sim.test:{self.port}{path}"

    def good(self, count: int) -> list[str]:
        """Returns the home pages of the hosts that are no animals."""
        return [f"http://h{number:04d}.sim.test:{self.port}/" for number in range(count)]

    def requests(self) -> list[Request]:
        """Returns what the server was asked."""
        return read_log(self.folder / "web.log")

    def asked(self) -> Counter[str]:
        """Returns how many requests each name got, robots.txt not counted."""
        return Counter(request.host.partition(":")[0] for request in self.requests() if request.path != "/robots.txt")


@contextlib.contextmanager
def served(folder: Path, animals: Iterable[str], *more: str) -> Iterator[Zoo]:
    """Serves animals, and hosts without trouble beside them."""
    files = ("--log", folder / "web.log", "--hosts-file", folder / "hosts")
    command = [
        sys.executable,
        "-m",
        "skitter.simweb",
        "--world",
        "plain",
        "--animals",
        ",".join(animals),
        *files,
        *more,
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield Zoo(folder, json.loads(process.stdout.readline())["port"])
        finally:
            process.terminate()


def crawl_command(zoo: Zoo, out: Path, seeds: Sequence[str], *more: str) -> list[str]:
    """Returns the words of a crawl that is patient with nobody."""
    listed = out.with_suffix(".seeds")
    listed.write_text("".join(f"{seed}\n" for seed in seeds), encoding="utf-8")
    return [
        *(sys.executable, "-m", "skitter", "crawl", "--seeds", str(listed), "--out", str(out), "--quiet", "--json"),
        *("--hosts-file", str(zoo.folder / "hosts"), "--allow-net", NETWORK, "--scope", "any"),
        *("--set", "scope.suffixes=sim.test zoo.sim.test"),
        *("--set", "node.linger=0", "--set", "politeness.address_rate=1000", *more),
    ]


def crawled(command: Sequence[str], timeout: float = 150) -> dict[str, object]:
    """Returns what a crawl says of itself at its end, which it must reach by itself."""
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)
    assert ended.returncode in (0, 3), ended.stderr[-2000:]
    said: dict[str, object] = json.loads(ended.stdout.splitlines()[-1])
    return said


def told(out: Path, urls: Iterable[str]) -> dict[str, Story | Reason]:
    """Returns what `skitter why` has to tell of each URL."""
    with Folder(out) as folder:
        return {url: why(folder, url, time.time()) for url in urls}


def reason_in(story: Story | Reason) -> str:
    """Returns the code that explains a story: of what went wrong, why it is skipped or refused, or just its state."""
    if isinstance(story, Reason):
        return story.value
    if story.found is None:
        return "unknown" if story.refusal is None else story.refusal.value
    code = story.found.failure.kind if story.found.failure else story.found.reason
    if code is None and story.found.state is State.QUEUED and story.robots is not None and story.robots.failure:
        code = story.robots.failure.kind
    return code.value if code is not None else story.found.state.value


def stored_in(story: Story | Reason) -> str:
    """Returns the kind of record that the archive holds of a URL, and how it was cut if it was."""
    if isinstance(story, Reason) or story.found is None:
        return "nothing"
    found = story.found
    path, offset = (found.failed_file, found.failed_offset) if found.failed_file else (found.file, found.offset)
    if path is None:
        return "nothing"
    with Path(path).open("rb") as file:
        record = read_record(file.fileno(), offset, verify=True)
    # A body that another animal has too is stored once: which of the two came first is chance.
    kind = "response" if record.kind == "revisit" else record.kind
    return " ".join(filter(None, (kind, record.fields.get("warc-truncated"))))


def skipped(out: Path) -> Counter[tuple[str, Reason]]:
    """Returns how many URLs of each host are skipped, by reason."""
    with Folder(out) as folder:
        records = [URLS.decode(raw) for shard in folder.shards() for _, raw in shard.iterate(b"u")]
    return Counter((record.host.partition(":")[0], record.reason) for record in records if record.reason is not None)


class Watched(NamedTuple):
    """A crawl that was watched to its end."""

    ended: dict[str, object]  # what it says of itself
    nodes: set[int]  # every process that crawled
    peak: int  # bytes of memory, the most that any of them ever had


def watched(command: Sequence[str], timeout: float = 150) -> Watched:
    """Returns what was seen of a crawl that runs until its end."""
    nodes: set[int] = set()
    peak = 0
    until = time.monotonic() + timeout
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            while process.poll() is None:
                assert time.monotonic() < until, "the crawl does not end"
                here = children(process.pid)
                nodes.update(here)
                peak = max(peak, *map(_peak, here), 0)
                time.sleep(0.1)
            out, errors = process.communicate()
        finally:
            process.kill()
    assert process.returncode in (0, 3), errors[-2000:]
    return Watched(json.loads(out.splitlines()[-1]), nodes, peak)


def _peak(pid: int) -> int:
    """Returns the most memory that a process ever had; 0 if it is gone, or not yet what it is going to be."""
    try:
        told = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    rows = dict(line.split(":", 1) for line in told.splitlines())
    return int(rows["VmHWM"].split()[0]) * 1024 if "VmHWM" in rows else 0
