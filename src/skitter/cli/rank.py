"""`skitter rank`: the nightly look, now."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from skitter.cli.options import DirectoryArgument, JsonOption
from skitter.cli.say import say
from skitter.words.figures import counted, number, span

if TYPE_CHECKING:
    from skitter.rank.look import Look
    from skitter.rank.published import Rank
    from skitter.rank.standings import Standings

COLUMNS = ("domain", "worth", "linked from", "independent", "supporters", "pages", "why")
PICTURE = "worth.svg"


def rank(
    directory: DirectoryArgument,
    show: Annotated[
        bool, typer.Option("--show", help="Show the best and the worst with the reasons, and draw how worth is spread.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Find out what each domain and host is worth, from all links and captures.

    Reads the tables of sealed files, beside a running crawl or not, and writes DIR/parquet/ranks.
    """
    # Here and not above: what it imports would delay the start of every other command.
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TimeElapsedColumn

    from skitter.rank.look import look

    columns = ("[progress.description]{task.description}", BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("looking for tables", total=None)
        done = look(
            directory,
            time.time(),
            lambda what, some, every: progress.update(task, description=what, completed=some, total=every),
        )
    shown = _standings(directory, done) if show else None
    if json:
        say(msgspec.json.encode(as_object(done, shown)))
        return
    if shown is not None:
        say(in_tables(shown))
    say(in_words(done))


def as_object(done: Look, shown: Standings | None) -> dict[str, Any]:
    """Returns what was done, and what is to be shown, for programs."""
    told: dict[str, Any] = msgspec.to_builtins(done)
    return told if shown is None else told | msgspec.to_builtins(shown)


def in_words(done: Look) -> str:
    """Returns what was done, in one line."""
    told = f"Ranked {counted(done.domains, 'domain')} and {counted(done.hosts, 'host')}"
    told += f" by {counted(done.links, 'link')} and {counted(done.captures, 'capture')} in {span(done.seconds)}"
    mirrors = f"; {counted(done.mirrors, 'host is a mirror', 'hosts are mirrors')}" if done.mirrors else ""
    return f"{told}{mirrors}: {done.ranks}"


def in_tables(shown: Standings) -> str:
    """Returns the best and the worst for people, and what their reasons mean."""
    from skitter.rank.worth import REASONS

    ends = {"The best": shown.best, "The worst": shown.worst}
    named = {reason for ranks in ends.values() for one in ranks for reason in one.reasons}
    meanings = [f"  {reason:<10}  {meaning}" for reason, meaning in REASONS.items() if reason in named]
    tables = [f"{title}:\n{as_table(ranks)}\n" for title, ranks in ends.items()]
    return "\n".join([*tables, *meanings, ""])


def as_table(ranks: Sequence[Rank]) -> str:
    """Returns ranks as a table for people."""
    rows = [COLUMNS, *map(_row, ranks)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS) - 1)]
    return "\n".join(_line(row, widths) for row in rows)


def _row(one: Rank) -> tuple[str, ...]:
    why = [*one.reasons, *([f"of {one.mirror_of}"] if one.mirror_of else [])]
    counts = (one.in_degree, one.vouchers, one.supporters, one.pages)
    return (one.name, f"{one.worth:.2f}", *map(number, counts), " ".join(why))


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    name, *numbers, why = row
    padded = [f"{text:>{width}}" for text, width in zip(numbers, widths[1:], strict=True)]
    return "  ".join([f"{name:<{widths[0]}}", *padded, why]).rstrip()


def _standings(directory: Path, done: Look) -> Standings:
    """Returns how all stand, when the picture of it is written."""
    from skitter.folder.atomic import write_whole
    from skitter.rank.picture import drawn
    from skitter.rank.published import ranks_folder
    from skitter.rank.standings import standings

    found = standings(_all_ranks(done))
    write_whole(ranks_folder(directory) / PICTURE, drawn(found.spread, in_words(done)).encode(), on_disk=False)
    return found


def _all_ranks(done: Look) -> Iterator[Rank]:
    from skitter.rank.published import ranks_of
    from skitter.url.routes import SLOTS

    return ranks_of(Path(done.ranks), range(SLOTS))
