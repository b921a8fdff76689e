"""`skitter audit`: were we polite? Proved from the archive alone."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from skitter.cli.options import DirectoryArgument, JsonOption
from skitter.cli.say import say


def audit(
    directory: DirectoryArgument,
    json: JsonOption = False,
    digests: Annotated[
        bool,
        typer.Option("--digests/--no-digests", help="Check the digest of every record too; without, it is quicker."),
    ] = True,
) -> None:
    """Prove from the WARC files alone that delays were kept and robots.txt was obeyed.

    Exit code: 0 all is well, 1 something is not.
    """
    # Here and not above: what it imports would delay the start of every other command.
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

    from skitter.audit.audit import audit as prove
    from skitter.audit.render import as_json, render
    from skitter.store.shipping.bringing import with_bucket

    def note(text: str) -> None:
        say(f"skitter: {text}", err=True)

    columns = ("[progress.description]{task.description}", BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with (
        with_bucket(directory, note) as folder,
        Progress(*columns, transient=True, disable=not sys.stderr.isatty()) as progress,
    ):
        task = progress.add_task("reading the archive", total=None)
        report = prove(
            folder, digests=digests, on_progress=lambda done, size: progress.update(task, completed=done, total=size)
        )
    say(as_json(report) if json else render(report), nl=json)
    raise typer.Exit(0 if report.is_clean else 1)
