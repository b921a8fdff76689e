"""`skitter hosts`: every host of a crawl, those with the most to do first."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Annotated

import msgspec
import typer

from skitter.cli.options import DirectoryArgument, JsonOption
from skitter.cli.say import say
from skitter.inspection.folder import Folder
from skitter.inspection.hosts import HostLook
from skitter.inspection.hosts import hosts as look
from skitter.inspection.standing import Standing
from skitter.words.figures import distance, number, span

STANDINGS: dict[Standing, str] = {
    Standing.NEW: "not visited yet",
    Standing.READY: "",
    Standing.ASLEEP: "asleep",
    Standing.NO_ROBOTS: "robots.txt can't be read",
    Standing.OFF_HOURS: "not at this hour",
    Standing.OVER_QUOTA: "quota used up",
    Standing.OVER_BUDGET: "its domain has had its share",
    Standing.SINGLE: "a single host leads to it",
    Standing.UNVOUCHED: "nobody vouches for its domain",
    Standing.BLOCKED: "blocked",
    Standing.PAUSED: "paused",
    Standing.IDLE: "nothing to fetch",
}
COLUMNS = ("host", "queued", "done", "failed", "skipped", "dead", "delay", "health", "next")


BECAUSE = {
    "back-off": " (slowed)",
    "robots.txt": " (robots)",
    "agreed": " (agreed)",
    "hours": " (hours)",
    "load": " (loaded)",
}


def hosts(
    directory: DirectoryArgument,
    json: JsonOption = False,
    limit: Annotated[int, typer.Option(min=0, metavar="N", help="Show so many hosts; 0: all.")] = 50,
) -> None:
    """Show each host: queued, done, delay, health and when it has its turn."""
    now = time.time()
    with Folder(directory) as folder:
        found = look(folder, now)
        is_running = folder.running is not None
    if json:
        say(msgspec.json.encode({"hosts": found, "running": is_running}))
    else:
        say(as_table(found, now, limit=limit, is_running=is_running))


def as_table(found: Sequence[HostLook], now: float, *, limit: int, is_running: bool) -> str:
    """Returns the hosts as a table for people."""
    shown = found[:limit] if limit else found
    rows = [COLUMNS, *(_row(one, now, is_running=is_running) for one in shown)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS) - 1)]
    lines = [_line(row, widths) for row in rows]
    if len(shown) < len(found):
        lines.append(f"… and {number(len(found) - len(shown))} more: --limit 0 shows all, --json gives all.")
    return "\n".join(lines)


def _row(one: HostLook, now: float, *, is_running: bool) -> tuple[str, ...]:
    urls = one.urls
    return (
        one.host,
        number(urls["queued"]),
        number(urls["done"] + urls["scheduled"]),
        number(urls["failed"]),
        number(urls["skipped"]),
        number(urls["dead"]),
        span(one.delay) + BECAUSE.get(one.delay_because, ""),
        f"{one.health:.2f}",
        _next(one, now, is_running=is_running),
    )


def _next(one: HostLook, now: float, *, is_running: bool) -> str:
    standing = STANDINGS[one.standing]
    if one.next_at is None:
        return standing
    turn = distance(one.next_at, now) if is_running or one.next_at > now + 1 else "when the crawl is started"
    return f"{turn}, {standing}" if standing else turn


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    name, *numbers, turn = row
    padded = [f"{text:>{width}}" for text, width in zip(numbers, widths[1:], strict=True)]
    return "  ".join([f"{name:<{widths[0]}}", *padded, turn]).rstrip()
