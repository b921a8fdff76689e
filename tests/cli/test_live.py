"""The live view, as text."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from rich.console import Console

from skitter.cli.live import LiveView, view
from skitter.node.status import HostLine
from skitter.supervisor.progress import Snapshot

HOSTS = [HostLine(f"host{number}.org", 1.25 - number / 10, 0.5, "leased") for number in range(10)]


def painted(snapshot: Snapshot, *, width: int = 80, height: int = 24) -> list[str]:
    stream = io.StringIO()
    console = Console(file=stream, width=width, height=height, force_terminal=True, color_system=None)
    console.print(view(snapshot, "crawl-a.org", height, "the footer", (None, None)))
    return stream.getvalue().splitlines()


def test_the_view_has_everything_an_operator_looks_for(snapshot: Callable[..., Snapshot]) -> None:
    shown = painted(
        snapshot(
            counted={"pages": 1234, "received": 5_000_000, "failures": {"gone": 3}},
            states={"queued": 500, "done": 99},
            page_rate=5.0,
            stages={"leased": 2, "rest": 5, "asleep": 1},
            hosts=8,
            busiest=HOSTS,
        )
    )
    text = "\n".join(shown)
    for told in (
        "skitter  crawl-a.org",
        "0:01:00",
        "1,234 pages, 5.0/s",
        "5.0 MB",
        "599: 500 queued · 99 done",
        "8: 2 at work · 5 resting · 1 asleep",
        "3 gone",
        "about 1 min 40 s left",
        "host0.org",
        "1.25",
        "the footer",
    ):
        assert told in text


@pytest.mark.parametrize("height", [10, 14, 24, 60])
@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_view_fits_the_window(snapshot: Callable[..., Snapshot], width: int, height: int) -> None:
    shown = painted(snapshot(busiest=HOSTS, troubles=["node 0: full"]), width=width, height=height)
    assert len(shown) <= max(height, 11)
    assert max(map(len, shown)) <= width
    assert any("node 0: full" in line for line in shown)


def test_markup_in_names_is_shown_as_it_is(snapshot: Callable[..., Snapshot]) -> None:
    assert any("[red]x.org" in line for line in painted(snapshot(busiest=[HostLine("[red]x.org", 1, 1.0, "rest")])))


def test_what_is_painted_twice_is_there_once(snapshot: Callable[..., Snapshot]) -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=80, height=24, force_terminal=True, color_system=None)
    with LiveView(console, "crawl-a.org", None, None) as live:
        live.show(snapshot())
        live.show(snapshot())
        live.note("a node died")
    # Each painting goes up over the one before it, and the last is wiped out on leaving.
    assert stream.getvalue().count("\x1b[1A") >= 2 * 8
    assert "skitter: a node died\n" in stream.getvalue()
