"""A fleet of real processes on a real broker, to be killed, stopped and started again at will."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.faults.crawler import Web

SHARDS = 8
BROKEN = 4
"""The exit code of a node whose disk or broker is broken."""
FLEET = """\
[fleet]
name = "{name}"
shards = {shards}
replication = 1

[kafka]
"bootstrap.servers" = "{bootstrap}"
"""


class Fleet:
    """A fleet in `folder`, whose nodes are called a, b, c …"""

    def __init__(self, folder: Path, bootstrap: str, name: str, shards: int = SHARDS) -> None:
        self.folder = folder
        self.name = name
        self.shards = shards
        self.file = folder / "fleet.toml"
        self.file.write_text(FLEET.format(name=name, bootstrap=bootstrap, shards=shards), encoding="utf-8")
        self.nodes: dict[str, subprocess.Popen[bytes]] = {}
        self._said: dict[str, int] = {}  # bytes of a node's output from before its last start

    def add(self, lines: str) -> None:
        """Adds lines to what the file says of the fleet."""
        text = self.file.read_text(encoding="utf-8")
        self.file.write_text(text.replace("replication = 1\n", f"replication = 1\n{lines}\n"), encoding="utf-8")

    def init(self, web: Web, delay: float, *more: str) -> str:
        settings = {
            "dns.hosts_file": str(web.hosts),
            "dns.allow_nets": "127.20.0.0/16",
            "scope.reach": "any",
            "scope.suffixes": "sim.test",  # else all hosts are one domain, and one shard has them all
            "politeness.delay": str(delay),
            "politeness.address_rate": "1000",
            "node.stop_seconds": "2",
        }
        pairs = [text for key, value in settings.items() for text in ("--set", f"{key}={value}")]
        return self.run("init", *web.seeds, *pairs, *more).stdout

    def run(self, command: str, *arguments: str, expected: int = 0) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "skitter", "fleet", command, "--fleet", str(self.file), *arguments]
        done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == expected, f"{command}: {done.returncode}: {done.stderr}"
        return done

    def start(self, *names: str) -> None:
        for name in names:
            log = (self.folder / f"{name}.log").open("ab")
            self._said[name] = log.tell()
            line = [sys.executable, "-m", "skitter", "fleet", "node", "--fleet", str(self.file)]
            self.nodes[name] = subprocess.Popen(
                [*line, "--name", name, "--directory", str(self.directory(name))], stderr=log, stdout=log
            )
            log.close()

    def start_again(self) -> int:
        """Starts nodes that ended since Kafka did not answer, as whoever minds services does. Returns how many."""
        ended = [name for name, process in self.nodes.items() if process.poll() == BROKEN]
        self.start(*ended)
        return len(ended)

    def directory(self, name: str) -> Path:
        return self.folder / "nodes" / name

    def kill(self, name: str, *, disk: bool = False) -> None:
        self.nodes[name].kill()
        self.nodes[name].wait()
        if disk:
            shutil.rmtree(self.directory(name))

    def stop(self, name: str, seconds: float) -> None:
        """Lets a node stand still for so long."""
        self.nodes[name].send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.nodes[name].send_signal(signal.SIGCONT)

    def leave(self, name: str) -> int:
        """Tells a node to stop, once it is one: before that, the signal would just end the process."""
        wait_for(lambda: f"{name} holds " in self._since_start(name), 60, self.logs)
        self.nodes[name].terminate()
        return self.nodes[name].wait(60)

    def held(self, name: str) -> int:
        """How many shards a node said last that it holds, since it was started."""
        told = self._since_start(name)
        return int(told.rpartition(f"{name} holds ")[2].partition(" ")[0]) if f"{name} holds " in told else 0

    def _since_start(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_bytes()[self._said[name] :].decode(errors="replace")

    def standing(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.run("status", "--json").stdout)
        return found

    def domains(self) -> bytes:
        """The domains that the crawl was made with, frozen."""
        return next(self.folder.glob("nodes/*/domains.txt")).read_bytes()

    def logs(self) -> str:
        told = [(path.name, path.read_text(errors="replace")[-3000:]) for path in self.folder.glob("[a-z].log")]
        return "\n".join(f"{name}: {text}" for name, text in sorted(told))

    def close(self) -> None:
        for process in self.nodes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()


def wait_for(holds: Callable[[], object], seconds: float, say: Callable[[], str] = str) -> float:
    """Returns how long it took until it holds."""
    began = time.monotonic()
    while not holds():
        assert time.monotonic() - began < seconds, f"it did not come about\n{say()}"
        time.sleep(0.2)
    return time.monotonic() - began
