"""The dashboard of a real crawl in a real browser: as a person signs in, looks, presses buttons, and sees trouble."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.processes import children
from tests.servers.axe import axe
from tests.servers.browser import browser
from tests.servers.tab import Tab, tab_of

pytestmark = pytest.mark.slow

HOSTILE = "\"'><script>document.title='harmed'</script><img src=x onerror=\"document.title='harmed'\">"
SMALL = {"width": 360, "height": 740}
AXE = """axe.run(document, {runOnly: {type: %s, values: %s}, resultTypes: ["violations"]}).then((found) =>
  found.violations.filter((one) => ["serious", "critical"].includes(one.impact))
    .map((one) => `${one.id}: ${one.nodes.map((node) => node.html + " " + node.failureSummary).join("; ")}`))"""
EVERYTHING = AXE % ('"tag"', '["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]')
COLOURS = AXE % ('"rule"', '["color-contrast"]')  # all that is another in the dark


class Looking:
    """A crawl that runs, and a browser that is signed in to it."""

    def __init__(self, directory: Path, process: subprocess.Popen[str], tab: Tab, runner: asyncio.Runner) -> None:
        assert process.stdout is not None
        self.link = process.stdout.readline().strip()
        self.base = self.link.partition("/login")[0]
        self.directory, self.process, self.tab, self._runner = directory, process, tab, runner

    def run(self, doing: Callable[[Tab], Coroutine[Any, Any, None]]) -> None:
        self._runner.run(doing(self.tab))

    def nodes(self) -> list[int]:
        told = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children(self.process.pid)}
        return [pid for pid, command in told.items() if b"skitter.node" in command]

    def hosts(self) -> dict[str, str]:
        """Returns what each host waits for, as the command line tells."""
        command = [sys.executable, "-m", "skitter", "hosts", str(self.directory), "--json"]
        told = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=120).stdout)
        return {one["host"]: one["standing"] for one in told["hosts"]}


@pytest.fixture(scope="module")
def looking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Looking]:
    found = browser()
    if found is None:
        pytest.skip("there is no browser: `make servers` brings one")
    directory = tmp_path_factory.mktemp("demo")
    command = [
        sys.executable,
        "-m",
        "skitter",
        "demo",
        "--dashboard",
        "--hosts",
        "6",
        "--quiet",
        "--out",
        str(directory),
    ]
    with asyncio.Runner() as runner, subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        opened = tab_of(found)
        tab = runner.run(opened.__aenter__())
        try:
            looking = Looking(directory, process, tab, runner)
            runner.run(_sign_in(tab, looking))
            yield looking
        finally:
            runner.run(opened.__aexit__(None, None, None))
            process.send_signal(signal.SIGINT)
            time.sleep(0.2)  # two signals that come at once are one
            process.send_signal(signal.SIGINT)  # at once: nobody waits for the tables
            process.wait(120)


async def _sign_in(tab: Tab, looking: Looking) -> None:
    await tab.look()
    await tab.go(f"{looking.base}/hosts")
    await tab.until("location.pathname === '/login'", "who is not signed in is sent to sign in")
    assert "Token" in await tab.text()
    await tab.go(looking.link)
    await tab.until("location.pathname === '/' && document.querySelector('.tiles')", "the link signs in")
    assert await tab.run("location.hash") == "", "the token is taken out of the address"
    await tab.until("document.querySelector('.chart svg')", "numbers over time")


def test_every_page_shows_without_a_fault_and_everybody_can_use_it(looking: Looking) -> None:
    source = axe()

    async def look(tab: Tab) -> None:
        await tab.go(f"{looking.base}/hosts")
        await tab.until("document.querySelector('#live-hosts tbody a')", "the table of hosts comes by itself")
        host = await tab.run("document.querySelector('#live-hosts tbody a').getAttribute('href')")
        await tab.go(looking.base + host)
        url = await tab.run("document.querySelector('.urls a').getAttribute('href')")
        places = ("/", "/hosts", host, "/url", url, "/judgement", "/freshness", "/fleet", "/render", "/plan", "/log")
        for place in places:
            await tab.look(**SMALL)
            await tab.go(looking.base + place)
            await tab.run(source + "; 0")
            assert await tab.run(EVERYTHING) == [], place
            await tab.look(**SMALL, scheme="dark")
            assert await tab.run(COLOURS) == [], f"{place} in the dark"
            assert await tab.run("document.documentElement.scrollWidth") <= SMALL["width"], f"{place} is too wide"
        assert tab.faults == []

    looking.run(look)


def test_a_button_asks_first_then_acts_and_says_what_it_did(looking: Looking) -> None:
    async def pause(tab: Tab) -> None:
        await tab.look()
        await tab.go(f"{looking.base}/hosts")
        await tab.until("document.querySelector('#live-hosts tbody a')")
        host = str(await tab.run("document.querySelector('#live-hosts tbody a').innerText"))
        await tab.go(f"{looking.base}/hosts/{host}")
        await tab.run("document.querySelector('form[action=\"/do/pause\"] button').focus()")
        await tab.press("Enter", 13)
        await tab.until("document.querySelector('dialog[open]')", "it asks")
        assert await tab.run("document.activeElement.textContent") == "No", "who presses Enter twice does no harm"
        assert looking.hosts()[host] != "paused"
        await tab.run("[...document.querySelectorAll('dialog button')].at(-1).click()")
        await tab.until("document.querySelector('#done .told.well')", "it says what it did")
        assert f"{host} is left alone. Before: paused: false. Now: paused: true." in await tab.text()
        await tab.until("document.querySelector('form[action=\"/do/resume\"]')", "it can be undone")
        assert looking.hosts()[host] == "paused"
        await tab.go(f"{looking.base}/log")
        assert "PauseHost" in await tab.text()
        assert tab.faults == []

    looking.run(pause)


def test_the_page_is_kept_up_to_date_and_shows_a_node_that_died(looking: Looking) -> None:
    async def watch(tab: Tab) -> None:
        await tab.look()
        await tab.go(f"{looking.base}/fleet")
        await tab.run("window.stays = true")
        await tab.until("document.querySelectorAll('.tile .value')[0].textContent === '2 of 2'", "both nodes are up")
        pages = await tab.run("document.querySelector('#live-nodes table').innerText")
        await tab.until(
            f"document.querySelector('#live-nodes table').innerText !== {json.dumps(pages)}", "numbers move"
        )
        os.kill(looking.nodes()[0], signal.SIGKILL)
        await tab.until("document.querySelectorAll('.tile .value')[2].textContent === '1'", "the death is counted")
        await tab.until("document.querySelectorAll('.tile .value')[0].textContent === '2 of 2'", "it is back")
        assert await tab.run("window.stays"), "all that on the same page"
        await tab.go(f"{looking.base}/")
        assert "died (signal 9) and is started again" in await tab.text()
        assert tab.faults == []

    looking.run(watch)


def test_harmful_text_is_shown_as_text(looking: Looking) -> None:
    async def look(tab: Tab) -> None:
        for way in ("/hosts?search=", "/hosts/", "/url?url=", "/url?url=http://h0001.sim.test/?", "/plan?pages="):
            await tab.go(looking.base + way + quote(HOSTILE, safe=""))
            assert await tab.run("document.title") != "harmed"
            shown = "document.body.innerText + [...document.querySelectorAll('input')].map((one) => one.value)"
            assert "<script>" in await tab.run(shown)
            assert not await tab.run("document.querySelector('img, script:not([src])')"), way
        tab.faults.clear()  # pages that answer 400 are told to the console

    looking.run(look)


def test_who_signs_out_sees_nothing_more(looking: Looking) -> None:
    async def leave(tab: Tab) -> None:
        await tab.go(f"{looking.base}/")
        await tab.run("document.querySelector('.who button').click()")
        await tab.until("location.pathname === '/login'", "signed out")
        await tab.go(f"{looking.base}/log")
        await tab.until("location.pathname === '/login'", "nothing without a session")

    looking.run(leave)
