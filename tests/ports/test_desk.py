"""The contracts of `ports.Inbox` and `ports.CrashMarker`, kept by files and by their twins in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from skitter.folder import inbox
from skitter.folder.crawlfile import CRAWL_FILE, VERSION
from skitter.folder.inbox import FolderInbox
from skitter.node.crash_marker import opened_crash_marker
from skitter.ports import CrashMarker, Inbox, Instruction, Pause, Resume
from skitter.sim.desk import Desk, MemoryInbox, MemoryMarker
from skitter.sim.life import Life

FINGERPRINT = bytes(range(16))


class Kept:
    """An inbox, how things are put into it, and how one comes back to it after a death."""

    def __init__(self, again: Callable[[], Inbox], post: Callable[[int, Instruction], None]) -> None:
        self.again = again
        self.post = post


@pytest.fixture(params=["folder", "memory"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Kept:
    if request.param == "memory":
        desk = Desk(["http://a.test/"])
        return Kept(lambda: MemoryInbox(desk, Life("one")), desk.post)
    (tmp_path / CRAWL_FILE).write_text(f'{{"version": {VERSION}, "created": 1.0, "seeds": ["http://a.test/"]}}')
    return Kept(lambda: FolderInbox(tmp_path), lambda shard, what: inbox.post(tmp_path, shard, what))


def test_instructions_are_for_their_shard_and_come_oldest_first(kept: Kept) -> None:
    kept.post(3, Pause("a.org"))
    kept.post(2, Pause("b.org"))
    kept.post(3, Resume("a.org"))
    assert [what for _, what in kept.again().pending({3})] == [Pause("a.org"), Resume("a.org")]
    assert list(kept.again().pending({4})) == []


def test_an_instruction_stays_until_it_is_done(kept: Kept) -> None:
    kept.post(1, Pause("a.org"))
    kept.post(1, Pause("b.org"))
    box = kept.again()
    (first, _), (second, _) = box.pending({1})
    box.done(first)
    box.done(first)
    assert [name for name, _ in kept.again().pending({1})] == [second]


def test_seeds_are_told_once(kept: Kept) -> None:
    box = kept.again()
    assert list(box.seeds() or ()) == ["http://a.test/"]
    assert box.seeds() is None
    assert kept.again().seeds() is not None


@pytest.fixture(params=["file", "memory"])
def markers(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Iterator[CrashMarker]]:
    desk = Desk([])
    (tmp_path / "run").mkdir()

    def opened() -> Iterator[CrashMarker]:
        if request.param == "memory":
            yield MemoryMarker(desk, Life("one", node=1))
        else:
            with opened_crash_marker(tmp_path, 1) as marker:
                yield marker

    return opened


def test_a_page_is_remembered_while_it_is_read_and_not_after(markers: Callable[[], Iterator[CrashMarker]]) -> None:
    for marker in markers():
        assert marker.left() is None
        with marker.holding(63, FINGERPRINT):
            for other in markers():
                assert other.left() == (63, FINGERPRINT)
        assert marker.left() is None


def test_what_is_dropped_is_forgotten(markers: Callable[[], Iterator[CrashMarker]]) -> None:
    for marker in markers():
        with marker.holding(63, FINGERPRINT):
            marker.drop()
            assert marker.left() is None
