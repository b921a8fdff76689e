"""`skitter reparse`: the archive read again with today's parser."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from skitter.cli.options import DirectoryArgument, JsonOption
from skitter.cli.say import say
from skitter.words.figures import counted

if TYPE_CHECKING:
    from skitter.reparse.run import Done

FOLDER = "reparsed"
BROKEN = 4


def reparse(
    directory: DirectoryArgument,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Where the new tables go. Default: DIR/reparsed.")
    ] = None,
    workers: Annotated[
        int, typer.Option("--workers", metavar="N", min=1, max=1024, help="Processes. Default: one for each core.")
    ] = len(os.sched_getaffinity(0)),
    anew: Annotated[bool, typer.Option("--anew", help="Begin again, also with what is done.")] = False,
    json: JsonOption = False,
) -> None:
    """Read the archive again with today's parser: new text, links and tables. Nothing is fetched.

    Reads sealed WARC files, beside a running crawl or not. Stopped, the same command goes on.
    """
    # Here and not above: what it imports would delay the start of every other command.
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

    from skitter.reparse.run import reparse as read_again
    from skitter.store.shipping.bringing import with_bucket

    def note(text: str) -> None:
        say(f"skitter: {text}", err=True)

    columns = ("[progress.description]{task.description}", BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with (
        with_bucket(directory, note) as folder,
        Progress(*columns, transient=True, disable=not sys.stderr.isatty()) as progress,
    ):
        task = progress.add_task("files", total=None)
        done = read_again(
            folder,
            out or directory / FOLDER,
            workers,
            is_anew=anew,
            on_file=lambda some, every: progress.update(task, completed=some, total=every),
        )
    say(msgspec.json.encode(done) if json else in_words(done))
    if done.troubles:
        raise typer.Exit(BROKEN)


def in_words(done: Done) -> str:
    """Returns what was done, for people."""
    told = f"Read {counted(done.captures, 'capture')} with {counted(done.links, 'link')}"
    told += f" in {counted(done.files, 'file')} again"
    told += f", {counted(done.before, 'file was', 'files were')} done before" if done.before else ""
    lines = [f"{told}; {counted(done.changed, 'capture says', 'captures say')} something else now: {done.out}"]
    if done.documents:
        lines.append(f"Text of {counted(done.documents, 'document')}, and {counted(done.images, 'picture')}.")
    if done.kept:
        lines.append(
            f"{counted(done.kept, 'capture is as it was: its body is', 'captures are as they were: their bodies are')}"
            " in a WARC file that is not here."
        )
    lines += [f"Not read: {one.trouble}" for one in done.troubles]
    return "\n".join(lines)
