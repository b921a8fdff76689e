"""A node that is alive and does nothing is killed, said to be, and started again; nothing is lost by it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from skitter.clock import steady_clock
from skitter.config.load import load
from skitter.folder import locks
from skitter.messages import Kind, State
from skitter.simweb.settings import PLAIN
from skitter.supervisor import begin as crawl
from skitter.supervisor import heartbeats
from skitter.supervisor.ending import Ending
from skitter.supervisor.real import RealProcess, RealProcesses
from skitter.supervisor.supervisor import Supervisor
from tests.faults.crawler import Web, served, settled
from tests.processes import wait_for

SABOTAGE = Path(__file__).parent / "sabotage"
WORLD = structs.replace(PLAIN, seed=11, hosts=6, pages_per_host=20)
DELAY = 0.1
SILENCE = 3.0
LATEST = 60.0
"""Nothing here takes so long on any machine."""

HUNG = "has said nothing for 3 s: it hangs, is killed and is started again."


class Hanging:
    """A crawl with two real nodes, and what its supervisor said of them."""

    def __init__(self, folder: Path, web: Web, **more: object) -> None:
        self.out, self.web, self.notes = folder / "out", web, list[str]()
        flags: dict[str, object] = {
            "dns.hosts_file": str(web.hosts),
            "dns.allow_private": True,
            "scope.reach": "any",
            "politeness.delay": DELAY,
            "politeness.address_rate": 1000.0,
            "node.linger": 0.5,
            "node.silence": SILENCE,
        }
        self._settings = load(flags=flags | more).settings

    def run(self, happens: Callable[[Supervisor], Any]) -> Ending:
        """Returns how a crawl ends while `happens` is done to it."""
        return asyncio.run(self._run(happens))

    async def _run(self, happens: Callable[[Supervisor], Any]) -> Ending:
        clock = steady_clock()
        with locks.locked(self.out):
            begun = crawl.begin(self.out, self.web.seeds, self._settings, clock())
            supervisor = Supervisor(
                *(RealProcesses(self.out), self.out, self._settings, begun.seeds, 2),
                clock=clock,
                max_seconds=LATEST,
                on_note=self.notes.append,
            )
            asyncio.get_running_loop().call_later(LATEST + 10, supervisor.kill)  # of whoever would hang for ever
            async with asyncio.TaskGroup() as group:
                doing = group.create_task(happens(supervisor))
                ending = await supervisor.run()
                doing.cancel()
        return ending

    async def asked(self, least: int) -> None:
        await wait_for(lambda: len(self.web.requests()) >= least)


def process_of(supervisor: Supervisor, number: int) -> RealProcess:
    process = supervisor._children[number].process  # no one else knows the processes
    assert isinstance(process, RealProcess)
    return process


def sabotaged(monkeypatch: pytest.MonkeyPatch, **plan: object) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(SABOTAGE), os.environ.get("PYTHONPATH")))))
    monkeypatch.setenv("SABOTAGE", json.dumps(plan))


async def nothing(_: Supervisor) -> None:
    return


@pytest.mark.slow
def test_a_node_that_stands_still_is_killed_and_started_again(tmp_path: Path) -> None:
    with served(tmp_path, WORLD, "plain") as web:
        hanging = Hanging(tmp_path, web)

        async def stop_one(supervisor: Supervisor) -> None:
            await hanging.asked(30)
            os.kill(process_of(supervisor, 1).pid, signal.SIGSTOP)

        ending = hanging.run(stop_one)
        missed = web.findings().missed(web.truth())
    assert hanging.notes[0] == f"node 1 {HUNG}"
    assert (ending, missed) == (Ending("done", is_done=True), frozenset())
    assert {url.state for url in settled(hanging.out)} <= {State.DONE, State.SKIPPED}


@pytest.mark.slow
def test_a_page_that_is_read_for_ever_is_blamed_and_the_others_are_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sabotaged(monkeypatch, circle="<title>Page 7 of h0003.")
    with served(tmp_path, WORLD, "plain") as web:
        hanging = Hanging(tmp_path, web)
        ending = hanging.run(nothing)
        missed = web.findings().missed(web.truth())
    assert hanging.notes[0].endswith(HUNG)
    assert any("was being read when the node died" in note for note in hanging.notes)
    (failed,) = [url for url in settled(hanging.out) if url.state is State.FAILED]
    assert failed.failure is not None
    assert (failed.failure.kind, ending.why, missed) == (Kind.CRASHED_US, "waiting", frozenset())


@pytest.mark.slow
def test_a_node_that_does_not_come_to_its_end_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sabotaged(monkeypatch, lingers=True)
    monkeypatch.setattr(heartbeats, "TO_CLOSE", 1.0)
    with served(tmp_path, WORLD, "plain") as web:
        hanging = Hanging(tmp_path, web, **{"node.stop_seconds": 1.0})

        async def stop(supervisor: Supervisor) -> None:
            await hanging.asked(10)
            supervisor.stop()

        began = time.monotonic()
        assert hanging.run(stop) == Ending("stopped", is_done=False)
    assert time.monotonic() - began < LATEST / 2
    assert sorted(note.split(":")[0] for note in hanging.notes) == [
        f"node {number} was told to stop 2 s ago and has not" for number in (0, 1)
    ]
    assert not locks.nodes_at_work(hanging.out)


@pytest.mark.slow
def test_nobody_is_killed_after_all_stood_still_together(tmp_path: Path) -> None:
    """As after Ctrl-Z and `fg`, or when the machine was suspended."""
    with served(tmp_path, WORLD, "plain") as web:
        hanging = Hanging(tmp_path, web)

        async def stand_still(supervisor: Supervisor) -> None:
            await hanging.asked(30)
            pids = [process_of(supervisor, number).pid for number in (0, 1)]
            for pid in pids:
                os.kill(pid, signal.SIGSTOP)
            time.sleep(2 * SILENCE)  # the supervisor too: that is the point
            for pid in pids:
                os.kill(pid, signal.SIGCONT)

        ending = hanging.run(stand_still)
    assert (ending.why, hanging.notes) == ("done", [])
