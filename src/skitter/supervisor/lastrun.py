"""How the last run of a crawl went, or goes: a small file that the supervisor's process writes for those who look.

DIR/run/last.json    written every two seconds, whole or not at all; nothing depends on it
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from skitter.folder.atomic import write_whole
from skitter.node.counters import Counted
from skitter.node.status import HostLine
from skitter.supervisor.nodelines import NodeLine
from skitter.supervisor.progress import Snapshot

EVERY = 2.0


class SettingsTaken(Struct, frozen=True):
    """When a running crawl last read its settings again, and what came of it, key by key."""

    at: float
    sentences: list[str]


class Note(Struct, frozen=True):
    """Something that happened in a run, as a sentence. Numbers rise within a run."""

    number: int
    at: float
    text: str


class LastRun(Struct, frozen=True):
    """A run as it was when this was written. `ended` is why it ended, None if it has not, or had no time to say so."""

    began: float
    at: float
    nodes: int
    counted: Counted
    page_rate: float
    byte_rate: float
    in_flight: int
    stages: dict[str, int]
    troubles: list[str]
    ended: str | None = None
    taken: SettingsTaken | None = None
    ready: int = 0  # nodes that have reported
    urls: dict[str, int] = {}  # by state
    busiest: list[HostLine] = []
    fresh: float | None = None  # these four as in `progress.Snapshot`
    margin: float | None = None
    late: float = 0.0
    to_render: int = 0
    notes: list[Note] = []  # the last ones
    lines: list[NodeLine] = []


def write_last_run(
    directory: Path,
    snapshot: Snapshot,
    ended: str | None = None,
    taken: SettingsTaken | None = None,
    notes: Sequence[Note] = (),
    lines: Sequence[NodeLine] = (),
) -> None:
    """Replaces the file. A full disk is no reason to stop: the file is only for looking."""
    last = LastRun(
        snapshot.at - snapshot.seconds,
        snapshot.at,
        snapshot.nodes,
        snapshot.counted,
        snapshot.page_rate,
        snapshot.byte_rate,
        snapshot.in_flight,
        snapshot.stages,
        list(snapshot.troubles),
        ended,
        taken,
        snapshot.ready,
        snapshot.states,
        list(snapshot.busiest),
        snapshot.fresh,
        snapshot.margin,
        snapshot.late,
        snapshot.to_render,
        list(notes),
        list(lines),
    )
    with contextlib.suppress(OSError):
        write_whole(_file(directory), msgspec.json.encode(last), on_disk=False)


def read_last_run(directory: Path) -> LastRun | None:
    """Returns how the last run went, or None if there was none or it left nothing that can be read."""
    try:
        return msgspec.json.decode(_file(directory).read_bytes(), type=LastRun)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def _file(directory: Path) -> Path:
    return directory / "run" / "last.json"
