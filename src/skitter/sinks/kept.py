"""What lies in a crawl's folder about its sinks.

DIR/sinks/id              what sinks know this crawl by
DIR/sinks/NAME.bookmark   how far a sink was fed, unless it keeps that itself
DIR/sinks/NAME.lock       held by the process that feeds it
DIR/run/sink-NAME.json    how it stands, for whoever looks: nothing depends on it
"""

from __future__ import annotations

import contextlib
import fcntl
import uuid
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from skitter.errors import MachineError
from skitter.folder.atomic import keep_whole, write_whole

REMEDY = "Remove it to have everything given again; a sink that knows its rows has each of them once all the same."


class SinkState(Struct, frozen=True):
    """How a sink stands. What is counted is counted since its process was started."""

    sink: str  # its address, without any secret
    at: float
    captures: int = 0  # that were given to it, answered or not
    rows: int = 0
    lag_bytes: int = 0  # of the archive, not given yet
    lag_captures: int = 0  # about: by what a fetch takes in the archive
    lag_seconds: float = 0.0  # since the newest fetch that it has; 0: it has all
    trouble: str = ""
    failures: int = 0  # in a row
    again_at: float = 0.0  # when it is tried again
    ended: bool = False  # in order


class Bookmarks:
    """The bookmark of one sink, in a file of ours."""

    def __init__(self, directory: Path, name: str) -> None:
        self._file = folder_of(directory) / f"{name}.bookmark"

    def read(self) -> bytes | None:
        """Returns the last one, None if there is none. MachineError if it can't be read."""
        try:
            return self._file.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise MachineError(f"A bookmark can't be read ({error.strerror})", str(self._file), REMEDY) from error

    def keep(self, bookmark: bytes, *, is_hint: bool = False) -> None:
        """Returns when it is on the disk; MachineError if it can't be. A hint may be lost: the sink keeps it too."""
        if not is_hint:
            keep_whole(self._file, bookmark)
            return
        with contextlib.suppress(OSError):
            write_whole(self._file, bookmark, on_disk=False)


def folder_of(directory: Path) -> Path:
    """Returns DIR/sinks, made if it is not there."""
    folder = directory / "sinks"
    folder.mkdir(exist_ok=True)
    return folder


def crawl_id(directory: Path) -> str:
    """Returns what sinks know this crawl by: made once."""
    file = folder_of(directory) / "id"
    if not file.exists():
        with held(directory, "id"):
            if not file.exists():
                keep_whole(file, uuid.uuid4().hex.encode())
    return file.read_text().strip()


@contextlib.contextmanager
def held(directory: Path, name: str) -> Iterator[None]:
    """Waits until nobody else feeds that sink, and holds it."""
    with (folder_of(directory) / f"{name}.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def write_state(directory: Path, name: str, state: SinkState) -> None:
    """Replaces what is known of a sink. A full disk is no reason to stop: the file is only for looking."""
    with contextlib.suppress(OSError):
        (directory / "run").mkdir(exist_ok=True)
        write_whole(_state_file(directory, name), msgspec.json.encode(state), on_disk=False)


def read_state(directory: Path, name: str) -> SinkState | None:
    """Returns how a sink stands, None if nothing is known."""
    try:
        return msgspec.json.decode(_state_file(directory, name).read_bytes(), type=SinkState)
    except (OSError, msgspec.DecodeError):
        return None


def _state_file(directory: Path, name: str) -> Path:
    return directory / "run" / f"sink-{name}.json"
