"""What an operator may ask of a crawl, running or not: all of it goes through the crawl's inbox."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec
import typer

from skitter.cli.options import DirectoryArgument, JsonOption, seeds_of
from skitter.cli.say import say
from skitter.errors import OperatorError
from skitter.folder import inbox
from skitter.inspection.dead import Dead
from skitter.inspection.dead import dead as look_for_dead
from skitter.inspection.folder import Folder
from skitter.inspection.meant import (
    all_pages,
    from_when,
    given_up,
    host_meant,
    known_host,
    page_meant,
    pages_of_host,
)
from skitter.ports import Instruction, Pause, Rate, Recrawl, Resume
from skitter.settings import DAY
from skitter.supervisor.begin import add_seeds
from skitter.words.figures import counted, distance, span
from skitter.words.kinds import failure_in_words

seeds = typer.Typer(help="Add seeds to a crawl.", no_args_is_help=True)
dead = typer.Typer(help="The URLs that were given up.", no_args_is_help=True)

HostArgument = Annotated[str, typer.Argument(metavar="HOST", help="As `skitter hosts` shows it, or a URL of it.")]
AnywayOption = Annotated[bool, typer.Option("--anyway", help="Also if the crawl does not know the host yet.")]
InstructionFor: TypeAlias = Callable[[str], Instruction]
HostOption = Annotated[str | None, typer.Option("--host", metavar="HOST", help="Only those of this host.")]


@seeds.command("add")
def seeds_add(
    directory: DirectoryArgument,
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL…")] = None,
    file: Annotated[Path | None, typer.Option("--seeds", metavar="FILE", help="A file of URLs, one a line.")] = None,
) -> None:
    """Add URLs to begin with; they widen the scope as the first ones did."""
    texts = seeds_of(urls, file)
    if not texts:
        raise OperatorError("URL", "", "name at least one URL, or a file of them with --seeds")
    with Folder(directory) as folder:
        added = add_seeds(directory, texts, folder.settings)
        say(f"{counted(len(added), 'seed')} added. {from_when(folder)}")


@dead.command("list")
def dead_list(directory: DirectoryArgument, host: HostOption = None, json: JsonOption = False) -> None:
    """List the URLs that were given up: why, after how many tries, when, and when they were last to be had."""
    now = time.time()
    with Folder(directory) as folder:
        found = list(look_for_dead(folder, host_meant(folder, host) if host is not None else None))
    if json:
        say(msgspec.json.encode({"dead": found}))
    elif not found:
        say("None was given up.")
    for one in [] if json else found:
        say(dead_in_words(one, now))


def dead_in_words(one: Dead, now: float) -> str:
    """Returns a line about one URL that was given up."""
    told = failure_in_words(one.failure) if one.failure is not None else "nobody noted why"
    given_up = f", given up {distance(one.failed_at, now)}" if one.failed_at is not None else ""
    had = f", last to be had {distance(one.last_fetched, now)}" if one.last_fetched is not None else ""
    return f"{one.url}\n    {told}; {counted(one.tries, 'try', 'tries')}{given_up}{had}"


@dead.command("retry")
def dead_retry(
    directory: DirectoryArgument,
    host: HostOption = None,
    purged: Annotated[bool, typer.Option("--purged", help="Those that went when the disk ran full.")] = False,
) -> None:
    """Try URLs that were given up again, as if they had never failed."""
    with Folder(directory) as folder:
        only = known_host(folder, host) if host is not None else None
        orders = given_up(folder, only, is_purged=purged)
        for order in orders:
            inbox.post(directory, order.shard, order)
        none = f"None was {'purged' if purged else 'given up'}."
        say(f"They will be tried again. {from_when(folder)}" if orders else none)


def recrawl(
    directory: DirectoryArgument,
    what: Annotated[
        str | None, typer.Argument(metavar="URL|HOST", help="A page, or a host with all its pages.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All pages of the crawl.")] = False,
) -> None:
    """See pages again now, whenever they are due: one page, those of a host, or all."""
    if (what is None) is not every:
        raise OperatorError("URL|HOST", what, "name a page or a host, or write --all")
    with Folder(directory) as folder:
        for order in _to_see_again(folder, what):
            inbox.post(directory, order.shard, order)
        told = "All pages are" if what is None else f"{what} is"
        say(f"{told} seen again as soon as politeness allows. {from_when(folder)}")


def _to_see_again(folder: Folder, what: str | None) -> list[Recrawl]:
    if what is None:
        return all_pages(folder)
    is_host = "/" not in what.partition("://")[2 if "://" in what else 0]
    return [pages_of_host(folder, known_host(folder, what)) if is_host else page_meant(folder, what)]


def pause(directory: DirectoryArgument, host: HostArgument, anyway: AnywayOption = False) -> None:
    """Leave a host alone until it is resumed. What it has queued stays queued."""
    instruct(directory, host, Pause, "is left alone", anyway=anyway)


def resume(directory: DirectoryArgument, host: HostArgument, anyway: AnywayOption = False) -> None:
    """Take a host up again that was paused."""
    instruct(directory, host, Resume, "is taken up again", anyway=anyway)


def rate(
    directory: DirectoryArgument,
    host: HostArgument,
    seconds: Annotated[float | None, typer.Argument(min=0, max=DAY, metavar="SECONDS")] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Forget what was agreed.")] = False,
    anyway: AnywayOption = False,
) -> None:
    """Visit a host every SECONDS, as you agreed with its owner: in place of the default and of its Crawl-delay."""
    if (seconds is None) is not clear:
        raise OperatorError("SECONDS", seconds, "write the seconds that were agreed on, or --clear to forget them")
    told = "is visited as every other" if seconds is None else f"is visited every {span(seconds)}"
    instruct(directory, host, lambda name: Rate(name, seconds), told, anyway=anyway)


def instruct(directory: Path, host: str, instruction: InstructionFor, told: str, *, anyway: bool) -> None:
    """Leaves an instruction about a host for the crawl, and says what becomes of it."""
    with Folder(directory) as folder:
        name = host_meant(folder, host) if anyway else known_host(folder, host)
        inbox.post(directory, folder.shard_of(name), instruction(name))
        say(f"{name} {told}. {from_when(folder)}")
