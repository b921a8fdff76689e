"""What is said when a crawl has ended: how it went, what is left, and the command that goes on."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from skitter.cli.sentences import errors
from skitter.inspection.standing import WAITS, Standing
from skitter.messages import Errand, State
from skitter.node.counters import Counted
from skitter.supervisor.progress import Snapshot
from skitter.supervisor.run import Finished
from skitter.words.figures import counted, number, rate, size, span, when

DONE, WORK_LEFT = 0, 3

# Why a run ended, by the supervisor's word for it, and whether that was before its time.
ENDINGS: dict[str, tuple[str, bool]] = {
    "done": ("Done: nothing is left to fetch.", False),
    "waiting": ("Done for now: what is left is not due soon.", False),
    "pages": ("Stopped at --max-pages.", True),
    "seconds": ("Stopped at --max-seconds.", True),
    "mode": ("Stopped by mode 4: it begins again when the mode is set to another (`skitter mode`).", True),
    "stopped": ("Stopped as you asked.", True),
}


def exit_code(finished: Finished) -> int:
    """Returns 3 if the crawl was stopped with work left, else 0."""
    was_early = ENDINGS[finished.ending.why][1]
    return WORK_LEFT if was_early and finished.snapshot.left else DONE


def go_on(directory: Path, workers: int | None = None, *, is_service: bool = False) -> str:
    """Returns the command that takes the crawl up again: the folder knows its seeds and settings."""
    options = ["--workers", str(workers)] if workers is not None else []
    options += ["--forever"] if is_service else []
    return shlex.join(["skitter", "crawl", "--out", str(directory), *options])


def summary(finished: Finished, archive: str, command: str | None, waits: Mapping[Standing, int]) -> str:
    """Returns the end of a crawl in a few lines. `waits`: what those that are left wait for, as far as it is known."""
    snapshot = finished.snapshot
    lines = [ENDINGS[finished.ending.why][0], *_work(snapshot), *_left(snapshot, waits)]
    lines += [f"Trouble: {trouble}" for trouble in snapshot.troubles]
    lines.append(f"Archive: {archive}")
    if (snapshot.left or _is_interrupted(finished)) and command is not None:
        lines.append(f"To go on: {command}")
    return "\n".join(lines)


def as_json(finished: Finished, directory: Path, command: str | None, waits: Mapping[Standing, int]) -> dict[str, Any]:
    """Returns the end of a crawl for programs. What is counted is counted for this run; `urls` is for all runs."""
    snapshot = finished.snapshot
    counts = snapshot.counted
    return {
        "pages": counts.pages,
        "bytes": counts.received,
        "urls": snapshot.states,
        "discovered": snapshot.discovered,
        "left": snapshot.left,
        "seconds": round(snapshot.seconds, 3),
        "requests": counts.requests,
        "robots": counts.robots,
        "sitemaps": counts.sitemaps,
        "probes": _fetches(counts, Errand.PROBE),
        "soundings": _fetches(counts, Errand.SOUNDING),
        "statuses": {str(status): many for status, many in sorted(counts.statuses.items())},
        "failures": counts.failures,
        "ended": finished.ending.why,
        "done": not snapshot.left,
        "waits": {standing.value: many for standing, many in waits.items()},
        "next_at": snapshot.next_at,
        "out": str(directory),
        "go_on": command,
        "sinks": {state.sink: {"captures": state.captures, "lag": state.lag_captures} for state in finished.sinks},
    }


def _fetches(counts: Counted, errand: Errand) -> int:
    return sum(many for name, many in counts.fetches.items() if name.startswith(f"{errand} "))


def _work(snapshot: Snapshot) -> Sequence[str]:
    counts = snapshot.counted
    pace = counts.pages / snapshot.seconds if snapshot.seconds else 0.0
    told = [
        f"Fetched: {counted(counts.pages, 'page')} in {span(snapshot.seconds)} ({rate(pace)} a second), "
        f"{size(counts.received)}, {counted(counts.requests, 'request')} with robots.txt and sitemaps.",
        f"URLs: {number(snapshot.discovered)} found; {_states(snapshot, DONE_WITH)}.",
    ]
    if counts.failures:
        told.append(f"Errors: {errors(counts.failures, limit=10)}.")
    return told


def _left(snapshot: Snapshot, waits: Mapping[Standing, int]) -> Sequence[str]:
    if not snapshot.left:
        return _seen_again(snapshot)
    told = f"Left: {_states(snapshot, STILL_TO_DO)}."
    told += "".join(f" {number(many)} wait {WAITS[standing]}." for standing, many in waits.items() if many)
    if snapshot.next_at is not None and snapshot.next_at > snapshot.at:
        told += f" The next is due {when(snapshot.next_at, snapshot.at)}."
    return (told,)


def _seen_again(snapshot: Snapshot) -> Sequence[str]:
    """Returns when the next page is to be seen again, where that is all that is left."""
    if not snapshot.states[State.SCHEDULED] or snapshot.next_at is None:
        return ()
    return (f"Left: {counted(snapshot.states[State.SCHEDULED], 'page')} to be seen again, {_next(snapshot)}.",)


def _next(snapshot: Snapshot) -> str:
    assert snapshot.next_at is not None
    is_due = snapshot.next_at <= snapshot.at
    return "the first of them now" if is_due else f"the first of them {when(snapshot.next_at, snapshot.at)}"


def _is_interrupted(finished: Finished) -> bool:
    """Whether a crawl was stopped that would have gone on for ever."""
    return finished.ending.why == "stopped" and bool(finished.snapshot.states[State.SCHEDULED])


DONE_WITH = {
    State.DONE: "fetched",
    State.SCHEDULED: "to be seen again",
    State.SKIPPED: "skipped (robots.txt or a rule)",
    State.DEAD: "given up",
}
STILL_TO_DO = {State.QUEUED: "queued", State.LEASED: "under way", State.FAILED: "to be tried again"}


def _states(snapshot: Snapshot, words: dict[State, str]) -> str:
    shown = [f"{number(snapshot.states[state])} {word}" for state, word in words.items() if snapshot.states[state]]
    return ", ".join(shown) or "none of them is done with"
