"""Progress in a pipe."""

from __future__ import annotations

import io
from collections.abc import Callable

from skitter.cli.lines import Lines, line
from skitter.supervisor.progress import Snapshot


def test_a_line_has_pages_rate_bytes_states_and_the_time_left(snapshot: Callable[..., Snapshot]) -> None:
    shown = snapshot(
        counted={"pages": 1234, "received": 5_000_000}, states={"queued": 50, "done": 9}, page_rate=5.0, byte_rate=1e4
    )
    assert line(shown) == ("0:01:00  1,234 pages, 5.0/s | 5.0 MB, 10.0 kB/s | 50 queued · 9 done | about 10 s left")


def test_a_long_start_is_shown(snapshot: Callable[..., Snapshot]) -> None:
    assert line(snapshot(ready=0)) == "0:01:00  starting: 0 of 2 nodes ready"


def test_trouble_is_shown(snapshot: Callable[..., Snapshot]) -> None:
    assert line(snapshot(troubles=["node 1: the disk is full"])).endswith(" | node 1: the disk is full")


def test_a_reader_that_is_gone_does_not_stop_the_crawl(snapshot: Callable[..., Snapshot]) -> None:
    class Gone(io.StringIO):
        def write(self, _: str) -> int:
            raise BrokenPipeError

    lines = Lines(Gone())
    lines.show(snapshot())
    lines.note("a node died")


def test_notes_are_lines(snapshot: Callable[..., Snapshot]) -> None:
    stream = io.StringIO()
    Lines(stream).note("a node died")
    assert stream.getvalue() == "skitter: a node died\n"
