"""What was measured, as Markdown: a table for each case, then each goal beside what was seen. Ratios come first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import picture
from cases import Case
from contenders import CONTENDERS
from serve import Asked
from tree import Tree

OURS = "skitter-1"
"""Whom the others are compared with."""

ENDS_SO = {0, 3}
"""Exit codes of a crawl that did its work; 3 says that some is left, as on hosts that are paused."""


class Row(NamedTuple):
    """What one contender has cost."""

    name: str
    version: str
    cpu: float  # seconds, user and system
    megabytes: float
    seconds: float
    exit: int | str
    asked: Asked
    pages: int  # that it worked on: all that it fetched, or all of the tree for a bound that fetches nothing

    @property
    def cost(self) -> float:
        """CPU seconds for a thousand pages."""
        return self.cpu / max(1, self.pages) * 1000

    @property
    def cost_of_request(self) -> float:
        """CPU seconds for a thousand requests: a host's robots.txt is one too."""
        asked = self.asked
        return self.cpu / max(1, asked.pages + asked.again + asked.robots + asked.others) * 1000

    @property
    def rate(self) -> float:
        """Pages a second while it was at work: the start of a program is not in it, though it is in its CPU time."""
        return self.asked.pages / self.asked.seconds if self.asked.seconds else 0.0


def best(rows: Sequence[Row]) -> Row:
    """Returns what counts of several runs: the CPU time of the cheapest, and the time at work of the quickest.

    Whatever else the machine does makes a run slower and dearer, and none of them quicker or cheaper.
    """
    cheapest = min(rows, key=lambda row: row.cpu)
    quickest = min(row.asked.seconds for row in rows if row.asked.pages == cheapest.asked.pages)
    return cheapest._replace(asked=cheapest.asked._replace(seconds=quickest))


Rows = Mapping[tuple[str, str], Row]
"""By case and contender."""


def table(case: Case, tree: Tree, rows: Sequence[Row], known: int) -> str:
    """Returns the table of one case."""
    says = f"{case.says}: {tree.says()}" + (f", {known:,} URLs known before" if case.known else "")
    ours = next((row.cost for row in rows if row.name == OURS), None)
    head = [
        "| | CPU against Skitter's | CPU s for 1000 pages | pages/s | MB | missed | again | others | s | does |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    return "\n".join([f"### {says[0].upper()}{says[1:]}\n", *head, *(_line(row, ours) for row in rows), ""])


def _line(row: Row, ours: float | None) -> str:
    contender, asked = CONTENDERS[row.name], row.asked
    title = f"{contender.title} ({row.version})" if row.version else contender.title
    name = f"**{title}**" if _is_ours(row) else f"*{title}*" if contender.is_bound else title
    ratio = f"{row.cost / ours:.2f} ×" if ours else ""
    judged = [f"{row.rate:.0f}", asked.missed, asked.again, asked.others] if asked.pages else [""] * 4
    ended = "" if row.exit == 0 or (_is_ours(row) and row.exit in ENDS_SO) else f" (ended with {row.exit})"
    cells = [name, ratio, f"{row.cost:.3f}", judged[0], f"{row.megabytes:.0f}", *judged[1:], f"{row.seconds:.1f}"]
    return "| " + " | ".join(map(str, [*cells, contender.does + ended])) + " |"


def _is_ours(row: Row) -> bool:
    return row.name.startswith("skitter")


def bars(rows: Sequence[Row]) -> list[picture.Bar]:
    """Returns the contenders that did the whole work, for a picture."""
    whole = [row for row in rows if not CONTENDERS[row.name].is_bound and not row.asked.missed]
    return [picture.Bar(CONTENDERS[row.name].title, row.cost, is_ours=_is_ours(row)) for row in whole]


# What is wanted


class Goal(NamedTuple):
    """A figure out of all rows, what it must be and what it should be."""

    says: str
    seen: Callable[[Rows], float]
    least: float
    aim: float
    unit: str
    more_is_better: bool = False


def _ratio(above: tuple[str, str], below: tuple[str, str], figure: str = "cost") -> Callable[[Rows], float]:
    return lambda rows: float(getattr(rows[above], figure) / getattr(rows[below], figure))


_PLAIN = ("plain", OURS)
GOALS = (
    Goal("CPU of Scrapy with JOBDIR", _ratio(("plain", "scrapy-disk"), _PLAIN), 10, 25, "× ours", more_is_better=True),
    Goal("our CPU against the bare script", _ratio(_PLAIN, ("plain", "bare")), 1, 0.5, "×"),
    Goal("our CPU against wget2 that keeps its files", _ratio(_PLAIN, ("plain", "wget2")), 2, 1, "×"),
    Goal("peak memory, 2 nodes", lambda rows: rows["plain", "skitter-2"].megabytes, 250, 120, "MB"),
    Goal("pages/s, 2 nodes against 1", _ratio(("plain", "skitter-2"), _PLAIN, "rate"), 1.6, 1.9, "×", True),
    Goal("CPU with URLs known against none", _ratio(("known", OURS), _PLAIN), 1.3, 1.1, "×"),
    Goal(
        "CPU of a request, many hosts against 200",
        _ratio(("many-hosts", OURS), _PLAIN, "cost_of_request"),
        1.2,
        1.05,
        "×",
    ),
)


def goals(rows: Rows, links: float | None) -> str:
    """Returns each goal that something was measured for beside what was seen. `links`: discovered a CPU second."""
    lines = []
    for goal in GOALS:
        try:
            lines.append(_goal(goal, goal.seen(rows)))
        except (KeyError, ZeroDivisionError):
            continue  # not measured this time
    if links is not None:
        wanted = Goal("links discovered, 90 % seen", lambda _: links, 100_000, 300_000, "a CPU second", True)
        lines.append(_goal(wanted, links))
    return "\n".join(["### Goals\n", "| | seen | at least | aim | |", "|---|---|---|---|---|", *lines]) if lines else ""


def _goal(goal: Goal, seen: float) -> str:
    sign = 1 if goal.more_is_better else -1
    verdict = "aim" if sign * seen >= sign * goal.aim else "met" if sign * seen >= sign * goal.least else "**missed**"
    cells = [f"{figure:,.0f}" if figure >= 50 else f"{figure:.2f}" for figure in (seen, goal.least, goal.aim)]
    return f"| {goal.says} | {cells[0]} {goal.unit} | {cells[1]} | {cells[2]} | {verdict} |"
