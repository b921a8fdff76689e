"""The live view on a terminal: it is painted over itself, so that the screen does not scroll away."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from skitter.cli.sentences import errors, pages, received, states, time_left
from skitter.errors import harmless
from skitter.node.status import HostLine
from skitter.supervisor.progress import Snapshot
from skitter.words.figures import clock, number, span

EVERY = 0.5
OTHER_LINES = 12
"""Lines that the view has beside the hosts: what is left of the window's height is theirs."""

STAGES = {
    "new": "new",
    "resolving": "looking up its name",
    "rest": "resting",
    "asleep": "asleep (backing off)",
    "paused": "paused",
    "ready": "ready",
    "robots": "reading robots.txt",
    "leased": "fetching",
    "idle": "nothing to fetch",
}


class About(Table):
    """Two columns: what, and how much."""

    def __init__(self) -> None:
        super().__init__(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
        self.add_column(style="dim", no_wrap=True, min_width=8)
        self.add_column(overflow="ellipsis", no_wrap=True)


def view(
    snapshot: Snapshot, title: str, height: int, footer: str, limits: tuple[int | None, float | None]
) -> RenderableType:
    """Returns the view for a window of `height` lines."""
    facts = About()
    for name, text in _facts(snapshot, limits):
        facts.add_row(name, text)
    troubles = [Text(harmless(trouble), style="bold red") for trouble in snapshot.troubles]
    hosts = snapshot.busiest[: max(0, height - OTHER_LINES - len(troubles))]
    parts: list[RenderableType] = [_head(snapshot, title), facts, *troubles]
    if hosts:
        parts += [Text(""), _hosts(hosts)]
    return Group(*parts, Text(""), Text(footer, style="dim"))


def _head(snapshot: Snapshot, title: str) -> RenderableType:
    head = Table.grid(expand=True)
    head.add_column(no_wrap=True, overflow="ellipsis")
    head.add_column(justify="right", no_wrap=True)
    head.add_row(f"[bold]skitter[/]  {escape(harmless(title))}", clock(snapshot.seconds))
    return head


def _facts(snapshot: Snapshot, limits: tuple[int | None, float | None]) -> list[tuple[str, str]]:
    stages = snapshot.stages
    at_work = sum(stages.get(stage, 0) for stage in ("leased", "robots"))
    waiting = sum(stages.get(stage, 0) for stage in ("rest", "resolving", "ready"))
    apart = "".join(f" · {number(stages[name])} {name}" for name in ("asleep", "paused", "idle") if stages.get(name))
    return [
        ("pages", pages(snapshot)),
        ("received", received(snapshot)),
        ("URLs", f"{number(snapshot.discovered)}: {states(snapshot)}"),
        ("hosts", f"{number(snapshot.hosts)}: {number(at_work)} at work · {number(waiting)} resting{apart}"),
        ("errors", errors(snapshot.counted.failures)),
        ("time", time_left(snapshot, *limits) or "no estimate yet"),
    ]


def _hosts(hosts: Sequence[HostLine]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("busiest hosts", no_wrap=True, overflow="ellipsis", min_width=24)
    table.add_column("a second", justify="right", no_wrap=True)
    table.add_column("delay", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True, overflow="ellipsis")
    for host in hosts:
        table.add_row(
            escape(harmless(host.host)), f"{host.rate:.2f}", span(host.delay), STAGES.get(host.stage, host.stage)
        )
    return table


class LiveView:
    """Paints the view on `console`. Use it in `with`: leaving it gives the terminal back."""

    every = EVERY

    def __init__(self, console: Console, title: str, max_pages: int | None, max_seconds: float | None) -> None:
        self._console = console
        self._title = title
        self._limits = (max_pages, max_seconds)
        self._footer = "Ctrl-C stops in order; nothing is lost."
        self._live = Live(console=console, auto_refresh=False, transient=True, vertical_overflow="crop")

    def show(self, snapshot: Snapshot) -> None:
        """Paints the view anew."""
        shown = view(snapshot, self._title, self._console.size.height, self._footer, self._limits)
        self._live.update(shown, refresh=True)

    def note(self, text: str) -> None:
        """Writes a line above the view."""
        self._console.print(Text(harmless(f"skitter: {text}"), style="yellow"))

    def stopping(self) -> None:
        """Says in the view that the end has begun."""
        self._footer = "Stopping in order: what is under way is finished. Ctrl-C again ends it at once."

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()
