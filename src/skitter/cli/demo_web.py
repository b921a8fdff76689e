"""The simulated web of a demo, in a process of its own that ends with it."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import structs

from skitter.errors import MachineError
from skitter.simweb.log import Request, read_log
from skitter.simweb.settings import DASHBOARD, DEMO, FLEET, WorldSettings
from skitter.simweb.world import World

STOP_SECONDS = 10.0
WORLDS: dict[str, WorldSettings] = {"demo": DEMO, "fleet": FLEET, "dashboard": DASHBOARD}


class Web(msgspec.Struct, frozen=True):
    """What is known of the web when it can be asked; its log is its own view of who came when."""

    name: str
    port: int
    seeds: list[str]
    hosts_file: Path
    log: Path

    @property
    def world(self) -> World:
        """What is served."""
        return World(structs.replace(WORLDS[self.name], port=self.port))

    def requests(self) -> list[Request]:
        """Returns what was asked so far."""
        return read_log(self.log)

    def was_asked(self) -> bool:
        """Whether there was a request."""
        return bool(self.requests())

    def seconds_quiet(self) -> float:
        """Returns how long ago something was asked or answered."""
        return time.time() - self.log.stat().st_mtime


@contextlib.contextmanager
def web_of(directory: Path, name: str, hosts: int | None = None) -> Iterator[Web]:
    """Yields the web called `name`, with as many hosts as it has or as are wanted; its log is in `directory`."""
    directory.mkdir(parents=True, exist_ok=True)
    addresses, log = directory / "hosts", directory / "web.log"
    command = [
        sys.executable,
        "-m",
        "skitter.simweb",
        "--world",
        name,
        "--hosts-file",
        str(addresses),
        "--log",
        str(log),
    ]
    command += [] if hosts is None else ["--hosts", str(hosts)]
    # A session of its own: Ctrl-C is for the crawl, and the web must live until that has stopped in order.
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as process:  # noqa: S603
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                network = WORLDS[name].network
                raise MachineError("the simulated web did not start", network, "Is loopback available here?")
            ready = msgspec.json.decode(line)
            yield Web(name, ready["port"], ready["seeds"], addresses, log)
        finally:
            process.terminate()
            process.wait(STOP_SECONDS)
