"""The supervisor in virtual time: who dies or hangs is started again, and whatever happens, it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from skitter.errors import MachineError
from skitter.node.status import Command
from skitter.settings import Settings
from skitter.supervisor.ending import Ending
from skitter.supervisor.heartbeats import TO_CLOSE
from tests.supervisor.virtual import ScriptedNode, ScriptedProcesses, VirtualLoop, Watched, played

STOPPED = Ending("stopped", is_done=False)


def story(
    processes: ScriptedProcesses, happens: dict[float, Callable[[], object]], seconds: float = 200.0, **more: Any
) -> tuple[Ending, Watched, float]:
    """Returns how it ended, with what happens at which second, and how long a stop after `seconds` took."""

    async def whole() -> tuple[Ending, Watched, float]:
        watched = Watched(processes, **more)
        loop = asyncio.get_running_loop()
        for at, what in happens.items():
            loop.call_at(at, what)
        loop.call_at(seconds, watched.supervisor.stop)
        ending = await watched.supervisor.run()
        return ending, watched, loop.time() - seconds

    return played(whole)


def test_nothing_happens() -> None:
    processes = ScriptedProcesses()
    ending, watched, stopping = story(processes, {})
    assert (ending, watched.notes, len(processes.nodes)) == (STOPPED, [], 2)
    assert stopping <= 0.5


def test_a_node_that_hangs_is_killed_and_started_again() -> None:
    processes = ScriptedProcesses()
    ending, watched, stopping = story(processes, {100.0: lambda: setattr(processes.nodes[1], "hangs", True)})
    ((at, note),) = watched.notes
    assert note == "node 1 has said nothing for 60 s: it hangs, is killed and is started again."
    assert 160 <= at <= 161
    assert [node.start.number for node in processes.nodes] == [0, 1, 1]
    assert [node.returncode for node in processes.nodes] == [0, -9, 0]
    assert [report.restarts for report in watched.supervisor.reports()] == [0, 1]
    assert (ending, stopping <= 0.5) == (STOPPED, True)


def test_a_node_that_takes_long_to_begin_is_waited_for() -> None:
    silence = {"silence": 10.0}
    assert story(ScriptedProcesses(begins=99), {}, node=silence)[1].notes == []
    notes = story(ScriptedProcesses(begins=101), {}, 102.0, node=silence | {"stop_seconds": 600})[1].notes
    assert [note for _, note in notes] == [
        f"node {number} was started 100 s ago and has said nothing yet: it hangs, is killed and is started again."
        for number in (0, 1)
    ]


def test_nobody_is_killed_because_we_ourselves_stood_still() -> None:
    processes = ScriptedProcesses()

    def suspend() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        loop.now += 3600

    ending, watched, _ = story(processes, {100.0: suspend}, 3800.0)
    assert (ending, watched.notes, len(processes.nodes)) == (STOPPED, [], 2)


@pytest.mark.parametrize("trait", ["hangs", "refuses_to_stop"])
def test_a_node_that_does_not_stop_is_killed_and_what_is_left_is_said(trait: str) -> None:
    processes = ScriptedProcesses()

    def spoil() -> None:
        setattr(processes.nodes[0], trait, True)

    happens = {100.0: lambda: setattr(processes.nodes[0], "in_flight", 3), 199.0: spoil}
    ending, watched, stopping = story(processes, happens, node={"stop_seconds": 5.0})
    assert (ending, [node.returncode for node in processes.nodes]) == (STOPPED, [-9, 0])
    assert 5 + TO_CLOSE < stopping < 6 + TO_CLOSE
    assert [note for _, note in watched.notes] == [
        "node 0 was told to stop 65 s ago and has not: "
        "it hangs, is killed and leaves what it had under way (3 requests) to the next run."
    ]


def test_a_node_that_hangs_at_its_start_does_not_hold_up_a_stop() -> None:
    _, watched, stopping = story(ScriptedProcesses(begins=10**6), {}, 10.0, node={"stop_seconds": 0.0}, nodes=1)
    assert TO_CLOSE < stopping < TO_CLOSE + 1
    ((_, note),) = watched.notes
    assert note == "node 0 was told to stop 60 s ago and has not: it hangs, is killed and had not begun."


def test_a_node_that_dies_is_started_again_with_its_last_words() -> None:
    processes = ScriptedProcesses()
    _, watched, _ = story(processes, {100.0: lambda: processes.nodes[0].crash(-11)})
    assert watched.notes == [(100.0, "node 0 died (signal 11) and is started again. its last words")]
    assert len(processes.nodes) == 3


class Mortal(ScriptedProcesses):
    """Its nodes die with this code before they say anything."""

    def __init__(self, code: int) -> None:
        super().__init__(begins=100.0)
        self._code = code

    async def start(self, start: Any) -> ScriptedNode:
        node = await super().start(start)
        if start.number == 1:
            asyncio.get_running_loop().call_later(0.01, node.crash, self._code)
        return node


@pytest.mark.parametrize(("code", "lives"), [(4, 1), (1, 5)])
def test_a_node_that_can_not_go_on_ends_the_crawl(code: int, lives: int) -> None:
    processes = Mortal(code)
    with pytest.raises(MachineError, match=f"node 1 can't go on .exit code {code}.: its last words: out. See out/run"):
        story(processes, {})
    assert [node.start.number for node in processes.nodes].count(1) == lives


def test_pages_are_shared_out_and_end_it() -> None:
    processes = ScriptedProcesses()
    ending, watched, _ = story(processes, {20.0: lambda: processes.nodes[1].crash(-9)}, max_pages=101)
    assert ending == Ending("pages", is_done=False)
    assert sum(report.counted.pages for report in watched.supervisor.reports()) == 101


def test_it_is_done_when_all_are_idle_and_say_so_again() -> None:
    processes = ScriptedProcesses(left=10)
    assert story(processes, {})[0] == Ending("done", is_done=True)
    assert all(any(command.ask for command in node.told) for node in processes.nodes)


def test_seconds_end_it() -> None:
    ending, _, stopping = story(ScriptedProcesses(), {}, max_seconds=50.0)
    assert ending == Ending("seconds", is_done=False)
    assert -150.5 < stopping < -149


def test_nodes_of_an_earlier_run_are_waited_for_but_not_for_ever() -> None:
    processes = ScriptedProcesses(old=50)
    _, watched, _ = story(processes, {})
    assert watched.notes == [(0.0, "nodes of an earlier run are still finishing: waiting for them")]
    assert len(processes.nodes) == 2
    with pytest.raises(MachineError, match="nodes of an earlier run do not end"):
        story(never := ScriptedProcesses(old=10**9), {})
    assert never.nodes == []


def test_a_kill_ends_those_who_hang_at_once() -> None:
    processes = ScriptedProcesses()

    async def whole() -> None:
        watched = Watched(processes)
        running = asyncio.create_task(watched.supervisor.run())
        await asyncio.sleep(5)
        for node in processes.nodes:
            node.hangs = True
        watched.supervisor.kill()
        assert await running == STOPPED
        assert asyncio.get_running_loop().time() < 6
        assert watched.notes == []

    played(whole)


def test_settings_that_change_go_to_every_node_and_to_those_that_are_started_later() -> None:
    processes = ScriptedProcesses()
    changed = msgspec.convert({"politeness": {"delay": 7.0}}, Settings)

    async def whole() -> None:
        watched = Watched(processes)
        loop = asyncio.get_running_loop()
        loop.call_at(50.0, watched.supervisor.take_settings, changed)
        loop.call_at(100.0, lambda: setattr(processes.nodes[1], "hangs", True))
        loop.call_at(200.0, watched.supervisor.stop)
        await watched.supervisor.run()

    played(whole)
    first, second, again = processes.nodes
    assert [Command(settings=changed) in node.told for node in (first, second, again)] == [True, True, False]
    assert again.start.settings == changed


def test_a_limited_rate_is_shared_out_with_every_report() -> None:
    """These nodes make a request with each report, and that is all that the rate allows them."""
    processes = ScriptedProcesses()
    story(processes, {}, max_rate=4.0)
    for node in processes.nodes:
        allowed = [command.allowed for command in node.told if command.allowed]
        assert 380 <= allowed[-1] <= 2 * 200 + 3
        assert max(later - before for before, later in pairwise(allowed)) <= 3
