"""Pictures of crawls that never were, and small webs to crawl for real."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec import structs

from skitter.messages import State
from skitter.node.counters import Counters
from skitter.node.status import HostLine
from skitter.supervisor.progress import Snapshot

NOW = 1_800_000_000.0


@pytest.fixture
def snapshot() -> Callable[..., Snapshot]:
    """Returns a maker of pictures: of a crawl at rest, but for what is said."""

    def make(
        counted: dict[str, object] | None = None, states: dict[str, int] | None = None, **changes: object
    ) -> Snapshot:
        calm = Snapshot(
            at=NOW,
            seconds=60.0,
            nodes=2,
            ready=2,
            counted=structs.replace(Counters().counted(), **(counted or {})),
            states={state.value: 0 for state in State} | (states or {}),
            in_flight=0,
            hosts=1,
            stages={"rest": 1},
            busiest=[HostLine("a.org", 12, 1.0, "rest")],
            troubles=[],
            next_at=None,
        )
        return structs.replace(calm, **changes)

    return make


class Web(NamedTuple):
    """A simulated web that can be asked."""

    seed: str
    hosts_file: Path
    log: Path


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """A web of three hosts with eight pages each and no robots.txt."""
    folder = tmp_path_factory.mktemp("web")
    size = ["--world", "plain", "--hosts", "3", "--pages-per-host", "8", "--page-bytes", "500"]
    files = ["--hosts-file", str(folder / "hosts"), "--log", str(folder / "log")]
    with subprocess.Popen([sys.executable, "-m", "skitter.simweb", *size, *files], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        yield Web(ready["seeds"][0], folder / "hosts", folder / "log")
        process.terminate()
        process.wait(10)


@pytest.fixture(scope="module")
def command(web: Web) -> list[str]:
    """The words that begin a crawl of `web` with two nodes and a short delay."""
    return [
        *(sys.executable, "-m", "skitter", "crawl", web.seed, "--hosts-file", str(web.hosts_file)),
        *("--allow-net", "127.20.0.0/16", "--scope", "any", "--workers", "2", "--delay", "0.05"),
        *("--set", "scope.suffixes=sim.test"),
    ]
