"""The mode of a running crawl, in virtual time: who sets it, who is told, what is kept, and how it is undone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from msgspec import structs

from skitter.folder.modefile import RULE, read_mode, set_mode
from skitter.node.status import Command
from skitter.schedule.modes import HOLD, Mode, Signals
from skitter.settings import ModeSettings, Settings
from skitter.supervisor.ending import EndDetector, Ending
from skitter.supervisor.moding import Moding, machine_of
from tests.metrics.reports import report
from tests.supervisor.virtual import BEGAN, ScriptedProcesses, Watched, clock, played

ENOUGH = Signals(room=1e12, memory=0.5)


class Story:
    """A supervisor with a mode, and what the machine is made to look like."""

    def __init__(self, directory: Path, **more: object) -> None:
        self.processes = ScriptedProcesses(**more)  # type: ignore[arg-type]
        self.watched = Watched(self.processes)
        self.machine = ENOUGH
        self.directory = directory
        supervisor = self.watched.supervisor
        self.moding = Moding(
            directory,
            ModeSettings(room=1000),
            clock,
            supervisor.reports,
            supervisor.take_mode,
            self.watched._note,
            lambda _: self.machine,
        )
        supervisor.begin_in(self.moding.standing.mode)

    async def run(self, happens: dict[float, Callable[[], object]], seconds: float) -> Ending:
        loop = asyncio.get_running_loop()
        for at, what in happens.items():
            loop.call_at(at, what)
        loop.call_at(seconds, self.watched.supervisor.stop)
        minding = asyncio.create_task(self.moding.keep_minding())
        ending = await self.watched.supervisor.run()
        minding.cancel()
        return ending

    def modes(self) -> list[Mode]:
        return [one.mode for one in self.processes.nodes[0].told if one.mode is not None]


Happens = Callable[[Story], dict[float, Callable[[], object]]]


def played_story(directory: Path, happens: Happens, seconds: float) -> tuple[Story, Ending]:
    async def whole() -> tuple[Story, Ending]:
        story = Story(directory)
        return story, await story.run(happens(story), seconds)

    return played(whole)


def test_the_operator_sets_it_on_a_running_crawl(tmp_path: Path) -> None:
    story, ending = played_story(
        tmp_path,
        lambda _: {
            10.0: lambda: set_mode(tmp_path, Mode.GENTLY, 0.0),
            20.0: lambda: set_mode(tmp_path, Mode.MAINTENANCE, 0.0),
            30.0: lambda: set_mode(tmp_path, Mode.AS_SET, 0.0),
        },
        100.0,
    )
    assert ending.why == "stopped"
    assert story.modes() == [1, 3, 0]
    told = [one for one in story.processes.nodes[0].told if one.mode is not None]
    assert [one.settings.politeness.delay for one in told if one.settings is not None] == [2.0, 2.0, 1.0]
    assert [note for _, note in story.watched.notes] == [
        "mode 1 (gently: delays doubled, the best pages only; by the operator); it was 0",
        "mode 3 (maintenance: nothing is fetched; by the operator); it was 1",
        "mode 0 (as set); it was 3",
    ]


def test_a_full_stop_ends_the_crawl_in_order(tmp_path: Path) -> None:
    story, ending = played_story(tmp_path, lambda _: {10.0: lambda: set_mode(tmp_path, Mode.FULL_STOP, 0.0)}, 100.0)
    assert ending == Ending("mode", is_done=False)
    assert [node.returncode for node in story.processes.nodes] == [0, 0]
    assert read_mode(tmp_path).mode is Mode.FULL_STOP


def test_a_disk_that_fills_raises_it_and_room_undoes_it_in_order(tmp_path: Path) -> None:
    story, _ = played_story(
        tmp_path,
        lambda story: {
            10.0: lambda: setattr(story, "machine", Signals(room=400.0)),
            50.0: lambda: setattr(story, "machine", ENOUGH),
        },
        400.0,
    )
    assert story.modes() == [2, 1, 0]
    times = [at for at, _ in story.watched.notes]
    assert 10 <= times[0] <= 11
    assert 50 + HOLD <= times[1] <= 50 + HOLD + 3
    assert 50 + 2 * HOLD <= times[2] <= 50 + 2 * HOLD + 4
    assert "by rule: the disk has 0 MB left" in story.watched.notes[0][1]


def test_it_is_kept_over_a_restart_and_nodes_begin_in_it(tmp_path: Path) -> None:
    story, _ = played_story(
        tmp_path, lambda story: {10.0: lambda: setattr(story, "machine", Signals(room=400.0))}, 30.0
    )
    assert (tmp_path / RULE).exists()
    story, _ = played_story(tmp_path, lambda _: {}, 20.0)
    assert [(node.start.mode, node.start.settings.politeness.delay) for node in story.processes.nodes] == [(2, 2.0)] * 2
    assert story.watched.notes[0][1].startswith("mode 2 (known pages only")


def test_a_node_that_is_started_again_begins_in_it(tmp_path: Path) -> None:
    story, _ = played_story(
        tmp_path,
        lambda story: {
            10.0: lambda: set_mode(tmp_path, Mode.MAINTENANCE, 0.0),
            20.0: lambda: story.processes.nodes[0].crash(1),
        },
        60.0,
    )
    assert [node.start.mode for node in story.processes.nodes] == [0, 0, 3]


def test_a_storm_of_429_raises_it(tmp_path: Path) -> None:
    statuses = {200: 1000}
    moding = Moding(
        tmp_path,
        ModeSettings(),
        lambda: BEGAN,
        lambda: [_report(statuses)],
        lambda _: None,
        lambda _: None,
        lambda _: ENOUGH,
    )
    moding.look()
    statuses |= {429: 300, 503: 100, 200: 1200}
    moding.look()
    assert moding.standing.mode == 1
    assert moding.standing.why == "67% of the answers of late are 429 or 503"


def _report(statuses: dict[int, int]) -> object:
    one = report(0)
    return structs.replace(one, counted=structs.replace(one.counted, statuses=dict(statuses)))


def test_a_mode_file_that_is_broken_changes_nothing_and_is_said_once(tmp_path: Path) -> None:
    story, _ = played_story(
        tmp_path,
        lambda _: {
            10.0: lambda: set_mode(tmp_path, Mode.GENTLY, 0.0),
            20.0: lambda: (tmp_path / "mode.json").write_text("{"),
        },
        60.0,
    )
    assert story.modes() == [1]
    assert sum("the mode can't be read" in note for _, note in story.watched.notes) == 1


def test_what_is_held_back_is_not_the_end() -> None:
    ends = EndDetector(Settings())
    waiting = structs.replace(report(0), idle=True)
    held = structs.replace(waiting.frontier, states={**waiting.frontier.states, "queued": 3}, stages={}, next_at=None)
    waiting = structs.replace(waiting, frontier=held)
    ends.mode = Mode.GENTLY
    assert isinstance(ends.heard([waiting], 0.0), int)
    assert isinstance(ends.heard([structs.replace(waiting, asked=1)], 0.0), int)
    ends.mode = Mode.AS_SET
    found = [ends.heard([structs.replace(waiting, asked=asked)], 0.0) for asked in (0, 0, 1, 1)]
    assert any(isinstance(one, Ending) for one in found)


def test_the_machine_can_be_looked_at(tmp_path: Path) -> None:
    found = machine_of(tmp_path)
    assert found.room is not None
    assert found.room > 0
    assert found.memory is None or 0 < found.memory <= 1
    assert machine_of(tmp_path / "nowhere").room is None


def test_a_command_without_a_mode_leaves_it() -> None:
    assert Command().mode is None
