"""`skitter plan`: what a crawl would take and cost; with `--freshness`, what a number of visits a day would give."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from skitter.cli.options import JsonOption
from skitter.cli.plan_capacity import Asked, plan_capacity
from skitter.cli.say import say
from skitter.errors import OperatorError
from skitter.inspection.folder import Folder
from skitter.inspection.plan import ENOUGH, Planned, planned
from skitter.inspection.rehearsed import planned_for
from skitter.schedule.planning import Plan
from skitter.tools.lines import BadLine
from skitter.tools.schedule import Histories, histories
from skitter.words.figures import counted, number, span

SourceArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="[DIR|FILE]",
        help="With --freshness: a crawl's folder, or histories in the form of `skitter tools schedule`.",
        show_default=False,
    ),
]
FreshnessOption = Annotated[bool, typer.Option("--freshness", help="How fresh copies would be.")]
BudgetOption = Annotated[
    list[float] | None, typer.Option("--budget", metavar="N", help="Visits a day; say it again for another.")
]


PagesOption = Annotated[float | None, typer.Option(help="Pages to fetch in a day.", show_default="1,000,000")]
SizeOption = Annotated[
    float | None, typer.Option(help="Bytes of a page as it comes, compressed.", show_default="100 kB")
]
HostsOption = Annotated[float | None, typer.Option(help="Hosts with pages for us on any day.", show_default="10,000")]
UrlsOption = Annotated[float | None, typer.Option(help="URLs known, fetched or not.", show_default="10,000,000")]
DelayOption = Annotated[float | None, typer.Option(help="Seconds between requests to a host.", show_default="1")]
RenderedOption = Annotated[float | None, typer.Option(help="Share of pages that need a browser.", show_default="0")]
FileOption = Annotated[Path | None, typer.Option("--file", help="All that a plan rests on, as --print shows it.")]
PlotOption = Annotated[Path | None, typer.Option(help="Where to draw what it costs by pages a day, as SVG.")]
MeasureOption = Annotated[bool, typer.Option("--measure", help="Measure how quick this machine is (a moment).")]
PrintOption = Annotated[bool, typer.Option("--print", help="Print the file instead, to be edited: prices and all.")]


def plan(
    source: SourceArgument = None,
    pages: PagesOption = None,
    page_bytes: SizeOption = None,
    hosts: HostsOption = None,
    urls: UrlsOption = None,
    delay: DelayOption = None,
    rendered: RenderedOption = None,
    file: FileOption = None,
    plot: PlotOption = None,
    measure: MeasureOption = False,
    as_file: PrintOption = False,
    freshness: FreshnessOption = False,
    budget: BudgetOption = None,
    json: JsonOption = False,
) -> None:
    """Show what a crawl would take: bandwidth, machines, storage, money. With --freshness, how fresh it would be."""
    if freshness:
        _plan_freshness(source, budget, is_json=json)
        return
    if source is not None or budget:
        name, value = ("DIR|FILE", str(source)) if source is not None else ("--budget", str(budget))
        raise OperatorError(name, value, "goes with --freshness")
    asked = Asked(pages, page_bytes, hosts, urls, delay, rendered)
    plan_capacity(asked, file, plot, measure=measure, as_file=as_file, as_json=json)


def _plan_freshness(source: Path | None, budget: list[float] | None, *, is_json: bool) -> None:
    if source is None:
        raise OperatorError("DIR|FILE", "", "must be a crawl's folder, or histories as `skitter tools schedule` reads")
    for one in budget or ():
        if not one > 0:
            raise OperatorError("--budget", one, "must be more than 0")
    if source.is_dir():
        with Folder(source) as folder:
            found = planned(folder, budget or [])
    else:
        found = planned_for(_read(source), budget or [])
    say(msgspec.json.encode(found) if is_json else in_words(found))
    if not found.plans:
        raise typer.Exit(1)


def _read(source: Path) -> Histories:
    try:
        asked = histories(source.read_bytes().splitlines())
    except OSError as error:
        raise OperatorError(
            "DIR|FILE", str(source), f"no crawl's folder, and no file to read ({error.strerror})"
        ) from None
    except BadLine as error:
        raise OperatorError(
            "DIR|FILE", str(source), f"no histories as `skitter tools schedule` reads: {error}"
        ) from None
    if asked.pages and all(page.known_at >= asked.course.ends for page in asked.pages):
        raise OperatorError("DIR|FILE", str(source), "must have a page whose `known_at` is before `until`")
    return asked


def in_words(found: Planned) -> str:
    """Returns the plan for people."""
    if not found.plans:
        return _too_little(found)
    names = list(found.plans[0].classes)
    head = f"{'visits a day':>14}{'a page every':>16}{'fresh':>9}{'important':>11}{'uniform':>9}"
    lines = [head + "".join(f"{name:>10}" for name in names)]
    lines += [_row(one, names, is_now=abs(one.budget - found.now) < 1e-6 * found.now) for one in found.plans]
    lines += ["", _rests_on(found)]
    if any(one.used < 0.99 * one.budget for one in found.plans):
        lines.append("+ not all of these visits are made: pages are seen no more often than their hosts' class allows.")
    return "\n".join(lines)


def _row(one: Plan, names: list[str], *, is_now: bool) -> str:
    visits = f"{number(round(one.budget))}{'+' if one.used < 0.99 * one.budget else ' '}"
    shares = f"{one.fresh:>9.1%}{one.important:>11.1%}{one.uniform:>9.1%}"
    row = f"{visits:>14}{span(one.every):>16}{shares}" + "".join(f"{one.classes[name]:>10.1%}" for name in names)
    return f"{row}  as it is set up now" if is_now else row


def _rests_on(found: Planned) -> str:
    of = f"{counted(found.sampled, 'page')} of {number(found.pages)}"
    told = f"From {of}, {number(found.seen_again)} of them seen again so far."
    if 2 * found.seen_again < found.sampled:
        told += " Of the others only what is usual on their hosts is known: ask again when more were seen twice."
    words = "fresh: of the copies; important: each page by its importance; uniform: if all were seen equally often."
    return f"{told}\n{words}"


def _too_little(found: Planned) -> str:
    if not found.pages:
        return "No page of this crawl is to be seen again: crawl with --forever first, or give a file of histories."
    seen = f"{number(found.seen_again)} {'was' if found.seen_again == 1 else 'were'} seen again so far"
    return (
        f"There is too little to go by: of {counted(found.sampled, 'page')} looked at, {seen}, and {ENOUGH} are needed "
        "to tell how often pages change. Let the crawl run (--forever) until pages were visited twice, and ask again."
    )
