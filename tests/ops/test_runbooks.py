"""Every command of every runbook, typed into a crawl in which these things go wrong while it runs.

Hosts that turn us away, forbid all, have a robots.txt that can't be read, say the same on every page or are nowhere;
and a node that was killed. What a runbook says one will see is there to be seen.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from skitter.metrics.alerts import ALERTS
from skitter.simweb.answer import Ask
from skitter.simweb.play import Play, by_path, page, status, text
from skitter.simweb.server import SimWeb
from skitter.simweb.settings import WorldSettings
from skitter.simweb.world import World
from tests.processes import children

RUNBOOKS = Path(__file__).parents[2] / "docs" / "runbooks"
NETWORK = "127.26.0.0/16"
MAY_FAIL = ("skitter doctor", "skitter plan --freshness")
"""The machine may be unfit, and a crawl of a minute has too little to go by: that is told, and by the code 1."""

# What must be seen by who follows a runbook here, where what it is about goes wrong.
SEEN = {
    "turned-away": r'total\{status="429"\} [1-9]',
    "host-turns-us-away": r"skitter_host_turned_away_per_second\{host=\"busy\.sim\.test",
    "robots-unreadable": r'total\{result="failed"\} [1-9]',
    "shut-out": r'skipped_total\{reason="robots_disallow"\} [1-9]',
    "node-down": r'skitter_node_restarts_total\{node="0"\} [1-9]',
    "nobody-reached": r'total\{errand="robots",outcome="not_tried"\} [1-9]',
    "many-duplicates": r'total\{kind="revisit"\} [1-9]',
    "frontier-empty": r'skitter_links_refused_total\{reason="out_of_scope"\}',
    "politeness-violated": "Every promise was kept",
    "complaint": r"busy\.sim\.test",
    "too-slow": r"skitter_hosts\{stage=",
}


def _at(name: str) -> Callable[[Ask], str]:
    return lambda ask: f"http://{name}.sim.test:{ask.origin.rpartition(':')[2]}/"


def _front(ask: Ask) -> object:
    links = [_at(name)(ask) for name in (*HOSTS, "nowhere")]
    return page(*links, "http://elsewhere.example/")


PAGES = [f"/{number}" for number in range(8)]
HOSTS: dict[str, Play] = {
    "busy": by_path({"/robots.txt": status(404)}, status(429, ("Retry-After", "1"))),
    "shut": by_path({"/robots.txt": text("User-agent: *\nDisallow: /\n")}, page()),
    "unread": by_path({"/robots.txt": status(503)}, page()),
    "same": by_path({"/robots.txt": status(404), "/": page(*PAGES)}, text("the same on every page", "text/html")),
}


class Typed(NamedTuple):
    """A command that was typed: its exit code, and what was shown."""

    code: int
    shown: str


def commands(runbook: str) -> list[str]:
    blocks = re.findall(r"```console\n(.*?)```", (RUNBOOKS / f"{runbook}.md").read_text(encoding="utf-8"), re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Typed]:
    """Returns all commands of all runbooks, each typed once."""
    return asyncio.run(_typed(tmp_path_factory.mktemp("runbooks")))


async def _typed(folder: Path) -> dict[str, Typed]:
    plays = {f"{name}.sim.test": play for name, play in HOSTS.items()}
    plays["front.sim.test"] = by_path({"/robots.txt": status(404), "/": _front}, page())  # type: ignore[dict-item]
    world = World(WorldSettings(hosts=1, pages_per_host=1, network=NETWORK), plays=plays)
    async with SimWeb(world) as web:
        web.hosts_file(folder / "names")
        seed = f"{web.origin('front.sim.test')}/"
        crawl = await _crawl(folder, seed)
        try:
            metrics = await _metrics(folder)
            port = seed.rpartition(":")[2].strip("/")
            said = {"HOST": f"busy.sim.test:{port}", "URL": seed, "DOMAIN": "sim.test", "9100": metrics}
            lines = dict.fromkeys(line for alert in ALERTS for line in commands(alert.runbook))
            looking = [line for line in lines if line.startswith("curl") and "restarts" not in line]
            # Rates are of the last minute: whoever looks at them looks before anything else happens.
            counted = [pattern for name, pattern in SEEN.items() if r"\{" in pattern and name != "node-down"]
            await _until(lambda: all(re.search(pattern, _shown(metrics)) for pattern in counted))
            seen = {line: await _type(folder, line, said) for line in looking}
            os.kill(children(crawl.pid)[0], signal.SIGKILL)
            await _until(lambda: re.search(SEEN["node-down"], _shown(metrics)) is not None)
            return seen | {line: await _type(folder, line, said) for line in lines if line not in seen}
        finally:
            os.killpg(crawl.pid, signal.SIGKILL)
            await crawl.wait()


async def _crawl(folder: Path, seed: str) -> asyncio.subprocess.Process:
    limits = {"scope.suffixes": "sim.test", "dns.servers": "127.0.0.1:9", "dns.timeout": "0.2"}
    with (folder / "screen").open("wb") as screen:
        return await asyncio.create_subprocess_exec(
            *(
                sys.executable,
                "-m",
                "skitter",
                "crawl",
                seed,
                "--out",
                str(folder / "news"),
                "--forever",
                "--scope",
                "any",
            ),
            *("--hosts-file", str(folder / "names"), "--allow-net", NETWORK, "--delay", "0.1", "--workers", "1"),
            *("--metrics-port", "0", *(part for key, value in limits.items() for part in ("--set", f"{key}={value}"))),
            stdout=screen,
            stderr=screen,
            start_new_session=True,
        )


async def _metrics(folder: Path) -> str:
    """Returns the port of the metrics, which the crawl says."""
    found: list[str] = []

    def said() -> bool:
        found[:] = re.findall(r"127\.0\.0\.1:(\d+)/metrics", (folder / "screen").read_text(encoding="utf-8"))
        return bool(found)

    await _until(said)
    return found[0]


def _shown(port: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
        return str(answer.read().decode())


async def _type(folder: Path, line: str, said: dict[str, str]) -> Typed:
    for name, value in said.items():
        line = re.sub(rf"\b{name}\b", value, line)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    process = await asyncio.create_subprocess_shell(
        f"set -o pipefail; {line}",
        cwd=folder,
        env={**os.environ, "PATH": path},
        executable="/bin/bash",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    shown, _ = await asyncio.wait_for(process.communicate(), 120)
    assert process.returncode is not None
    return Typed(process.returncode, shown.decode())


async def _until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(120):
        while not is_so():
            await asyncio.sleep(0.05)


@pytest.mark.slow
@pytest.mark.parametrize("runbook", [alert.runbook for alert in ALERTS])
def test_every_command_works_and_shows_what_the_runbook_says(runbook: str, typed: dict[str, Typed]) -> None:
    lines = commands(runbook)
    assert lines, "a runbook says how to look"
    for line in lines:
        code = typed[line].code
        assert code == 0 or (code == 1 and line.startswith(MAY_FAIL)), f"{line}: {code}\n{typed[line].shown}"
    shown = "\n".join(typed[line].shown for line in lines)
    assert re.search(SEEN.get(runbook, "."), shown), shown
