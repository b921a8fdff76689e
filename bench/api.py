"""Does looking slow a crawl? A polite crawl of 200 hosts, in turn alone and with 200 requests a second at its API.

    python -m bench.api [--hosts 200] [--seconds 10] [--slices 6] [--rate 200]

What counts is how many requests the web saw in the slices of either kind, by its log. How long answers took is told
too, and the CPU seconds of the API's process and of the nodes.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from bench.plainweb import NETWORK, PlainWeb

from skitter.servers.child import free_ports

LOOKS = (
    *("/v1/status", "/v1/series", "/v1/hosts?sort=pages&limit=50"),
    *("/v1/hosts/{host}", "/v1/urls/why?url=http://{host}/"),
)
CONNECTIONS = 16


class Crawl:
    """A crawl of a web with its API; it is stopped on the way out."""

    def __init__(self, folder: Path, web: PlainWeb, port: int) -> None:
        self.out = folder
        self.port = port
        self._command = [
            *(sys.executable, "-m", "skitter", "crawl", "--seeds", str(web.seeds), "--out", str(folder), "--quiet"),
            *("--hosts-file", str(web.hosts_file), "--allow-net", NETWORK, "--delay", "1", "--forever"),
            *("--set", "scope.suffixes=sim.test", "--set", "politeness.address_rate=1000", "--api-port", str(port)),
        ]

    def __enter__(self) -> Crawl:
        self._process = subprocess.Popen(self._command)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()

    def cpu(self, module: str) -> float:
        """CPU seconds so far of the processes that run a module."""
        return sum(_cpu(pid) for pid in _children(self._process.pid) if module in _name(pid))

    def token(self) -> str:
        """The one for looking."""
        lines = (self.out / "api-tokens").read_text(encoding="utf-8").splitlines()
        return next(line.split()[1] for line in lines if line.endswith(" read"))


def _children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]


def _name(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()


def _cpu(pid: int) -> float:
    words = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


class Asking:
    """Asks so many times a second, over connections that are kept."""

    def __init__(self, crawl: Crawl, hosts: list[str], rate: float) -> None:
        self._crawl, self._hosts, self._rate = crawl, hosts, rate
        self._dice = random.Random(1)
        self._token = crawl.token()
        self.times: list[float] = []
        self.wrong = 0

    async def run(self, seconds: float) -> None:
        """Asks for so long."""
        began = time.monotonic()
        await asyncio.gather(*(self._connection(began, seconds, number) for number in range(CONNECTIONS)))

    async def _connection(self, began: float, seconds: float, number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._crawl.port)
        every = CONNECTIONS / self._rate
        due = began + number / self._rate
        while max(due, time.monotonic()) < began + seconds:
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            asked = time.monotonic()
            await self._ask(reader, writer)
            self.times.append(time.monotonic() - asked)
            due += every
        writer.close()

    async def _ask(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = self._dice.choice(LOOKS).format(host=self._dice.choice(self._hosts))
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._crawl.port}\r\n"
        writer.write(f"{head}Authorization: Bearer {self._token}\r\n\r\n".encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        self.wrong += not answer.startswith(b"HTTP/1.1 200")
        length = next(int(line.split(b":")[1]) for line in answer.lower().split(b"\r\n") if b"content-length" in line)
        await reader.readexactly(length)


class Slice(NamedTuple):
    """A part of the run: when, and what nodes and API took of the CPU."""

    is_asked: bool
    began: float
    ended: float
    nodes: float
    api: float


def run(folder: Path, hosts: int, seconds: float, slices: int, rate: float) -> tuple[list[Slice], list[float], Asking]:
    """Returns the slices, when the web was asked for something, and how looking went."""
    found: list[Slice] = []
    more = ("--seed", "7", "--pages-per-host", str(round(3 * seconds * slices)))
    with PlainWeb(folder, hosts, *more) as web, Crawl(folder / "crawl", web, free_ports(1)[0]) as crawl:
        while len(web.requests()) < 3 * hosts:  # all are under way
            time.sleep(0.5)
        asking = Asking(crawl, [f"{name}:{web.port}" for name in web.addresses], rate)
        while not (crawl.out / "run" / "survey.json").exists():  # the table waits for the first one
            asyncio.run(asking.run(2.0))
        asking.times.clear()
        asking.wrong = 0
        for number in range(2 * slices):
            began, nodes, api = time.time(), crawl.cpu("skitter.node"), crawl.cpu("skitter.api")
            if number % 2:
                asyncio.run(asking.run(seconds))
            time.sleep(max(0.0, began + seconds - time.time()))
            took = crawl.cpu("skitter.node") - nodes, crawl.cpu("skitter.api") - api
            found.append(Slice(bool(number % 2), began, time.time(), *took))
        time.sleep(2.0)  # the web's log is written a moment later
        return found, [request.began_wall for request in web.requests()], asking


def main() -> None:
    """Runs it and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10.0, help="of a slice")
    parser.add_argument("--slices", type=int, default=6, help="of each kind")
    parser.add_argument("--rate", type=float, default=200.0)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="skitter-api-") as folder:
        slices, requests, asking = run(Path(folder), args.hosts, args.seconds, args.slices, args.rate)
    rates = {}
    for kind, name in ((False, "alone"), (True, "looked at")):
        mine = [one for one in slices if one.is_asked is kind]
        seen = sum(any(one.began <= at < one.ended for one in mine) for at in requests)
        span = sum(one.ended - one.began for one in mine)
        rates[kind] = seen / span
        cpu = f"nodes {sum(one.nodes for one in mine):.1f} CPU s, API {sum(one.api for one in mine):.1f}"
        print(f"{name}: {seen} requests in {span:.1f} s, {rates[kind]:.1f} a second; {cpu}")
    times = sorted(asking.times)
    looks = len(times) / sum(one.ended - one.began for one in slices if one.is_asked)
    late = f"median {times[len(times) // 2] * 1000:.1f} ms, 99 % within {times[len(times) * 99 // 100] * 1000:.0f} ms"
    print(f"{looks:.0f} looks a second, {asking.wrong} of {len(times)} not answered with 200; {late}")
    print(f"{rates[True] / rates[False]:.1%} of the rate of the crawl alone; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
