"""What many crawls came to, in words: for the terminal, and as a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

from skitter.sim.run.many import Summary


def command(name: str, more: str = "") -> str:
    """Returns what to type to see one crawl again."""
    return f"python -m skitter.sim --seed {name}{more}"


def progress(summary: Summary) -> str:
    """Returns how far it is, in a line."""
    rate = summary.crawls / summary.seconds if summary.seconds else 0.0
    return (
        f"{summary.crawls} crawls, {summary.kills.total()} kills, {len(summary.failing)} failing, {rate:.1f} crawls/s"
    )


def report(summary: Summary, *, title: str = "Simulated crawls") -> str:
    """Returns the page."""
    return "\n".join(
        [
            f"# {title}",
            "",
            *_figures(summary),
            "",
            *_table(summary.kills, "killed at", "times"),
            "",
            *_table(summary.faults, "other faults", "times"),
            "",
            *_failing(summary),
            "",
        ]
    )


def _figures(summary: Summary) -> Iterator[str]:
    seconds = max(summary.seconds, 1e-9)
    kills = summary.kills.total()
    yield f"{datetime.now(UTC):%Y-%m-%d}, from `make simulate`."
    yield ""
    yield "| | |"
    yield "|---|---|"
    yield f"| crawls | {summary.crawls:,} |"
    yield f"| that broke a promise | {len(summary.failing)} |"
    yield f"| kills | {kills:,} |"
    yield f"| other faults | {summary.faults.total():,} |"
    yield f"| sessions | {summary.sessions:,} |"
    yield f"| requests | {summary.requests:,} |"
    yield f"| URLs | {summary.urls:,} |"
    yield f"| seconds | {summary.seconds:.0f} |"
    yield f"| crawls a second | {summary.crawls / seconds:.1f} |"
    yield f"| kills an hour | {3600 * kills / seconds:,.0f} |"


def _table(counts: Counter[str], what: str, many: str) -> Iterator[str]:
    yield f"| {what} | {many} |"
    yield "|---|---|"
    for name, number in counts.most_common():
        yield f"| {name} | {number:,} |"


def _failing(summary: Summary) -> Iterator[str]:
    if not summary.failing:
        yield "No promise was broken."
    for result in summary.failing:
        yield f"- `{command(result.name)}`: {result.wrong[0].splitlines()[0]}"
