"""What a snapshot of the crawl says, in the words that the live view, the lines in a pipe and the summary share."""

from __future__ import annotations

from collections.abc import Mapping

from skitter.messages import State
from skitter.supervisor.progress import Snapshot
from skitter.words.figures import counted, distance, number, rate, size, span
from skitter.words.kinds import kind_in_words

GROWS = 0.5
"""More left than before, by so many a second: then the time left is a lower bound at best."""


def pages(snapshot: Snapshot) -> str:
    """Returns `1,234 pages, 12.3/s`."""
    return f"{counted(snapshot.counted.pages, 'page')}, {rate(snapshot.page_rate)}/s"


def received(snapshot: Snapshot) -> str:
    """Returns `45.2 MB, 1.1 MB/s`."""
    return f"{size(snapshot.counted.received)}, {size(snapshot.byte_rate)}/s"


def states(snapshot: Snapshot) -> str:
    """Returns how many URLs are in each state, those without any left out."""
    shown = ((state.value if state is not State.LEASED else "under way", snapshot.states[state]) for state in State)
    return " · ".join(f"{number(many)} {name}" for name, many in shown if many) or "none yet"


def errors(failures: Mapping[str, int], limit: int = 6) -> str:
    """Returns the kinds of failure, the most frequent first."""
    ranked = sorted(failures.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{number(many)} {kind_in_words(kind)}" for kind, many in ranked[:limit]]
    rest = sum(many for _, many in ranked[limit:])
    return " · ".join([*shown, f"{number(rest)} others"] if rest else shown) or "none"


def time_left(snapshot: Snapshot, max_pages: int | None = None, max_seconds: float | None = None) -> str:
    """Returns an estimate from the rate of late, or what is waited for; empty if there is nothing to go by."""
    if snapshot.ready < snapshot.nodes:
        return f"starting: {snapshot.ready} of {counted(snapshot.nodes, 'node')} ready"
    to_fetch = snapshot.states[State.QUEUED] + snapshot.states[State.LEASED]
    if not (to_fetch or snapshot.in_flight) and snapshot.next_at is not None and max_pages is max_seconds is None:
        return f"waiting: the next turn is {distance(max(snapshot.at, snapshot.next_at), snapshot.at)}"
    bounds = [] if max_seconds is None else [max(0.0, max_seconds - snapshot.seconds)]
    if snapshot.page_rate:
        if to_fetch:
            bounds.append(to_fetch / snapshot.page_rate)
        if max_pages is not None:
            bounds.append(max(0, max_pages - snapshot.counted.pages) / snapshot.page_rate)
    elif snapshot.next_at is not None and not snapshot.in_flight:
        return f"waiting: the next turn is {distance(max(snapshot.at, snapshot.next_at), snapshot.at)}"
    if not bounds:
        return ""
    is_open = max_pages is None and max_seconds is None and snapshot.growth > GROWS
    return f"{'at least' if is_open else 'about'} {span(round(min(bounds)))} left"
