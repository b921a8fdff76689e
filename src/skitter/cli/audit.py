"""`skitter audit`: were we polite? Proved from the archive alone; and for one host, in a text for its owner."""

from __future__ import annotations

import contextlib
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from skitter.cli.options import JsonOption, crawl_folder
from skitter.cli.say import say
from skitter.errors import OperatorError, SkitterError

if TYPE_CHECKING:  # what it imports would delay the start of every other command
    from skitter.audit.report import Report
    from skitter.audit.telling import Telling

FolderArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="DIR", help="The folder of a crawl, or its bucket.", parser=crawl_folder, show_default=False
    ),
]
AlsoOption = Annotated[
    list[Path] | None,
    typer.Option(metavar="DIR", help="More of the same crawl: a worker's folder, another node's. Repeatable."),
]
HostOption = Annotated[str | None, typer.Option("--host", metavar="HOST", help="Look at this host alone.")]
ReportOption = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE", help="With --host: what was asked of it, for its owner, signed."),
]
VerifyOption = Annotated[
    Path | None, typer.Option("--verify", metavar="FILE", help="Check the signature of such a report, and no more.")
]


def audit(
    directory: FolderArgument = None,
    json: JsonOption = False,
    digests: Annotated[
        bool,
        typer.Option("--digests/--no-digests", help="Check the digest of every record too; without, it is quicker."),
    ] = True,
    also: AlsoOption = None,
    host: HostOption = None,
    report: ReportOption = None,
    verify: VerifyOption = None,
) -> None:
    """Prove from the WARC files alone that delays were kept and robots.txt was obeyed.

    Exit code: 0 all is well, 1 something is not.
    """
    if verify is not None:
        raise typer.Exit(_verified(verify, json=json))
    if directory is None:
        raise OperatorError("DIR", "", "must be the folder of a crawl, unless --verify FILE is all that is wanted")
    from skitter.audit.render import as_json, render
    from skitter.audit.telling import Telling

    if report is not None and host is None:
        raise OperatorError("--report", str(report), "is about one host: say which with --host")
    telling = Telling(_host(host)) if host is not None else None
    found = _proved(directory, also or [], telling, digests=digests)
    if telling is not None and report is not None:
        _write(report, telling.text(found, time.time()), directory)
    say(as_json(found) if json else render(found), nl=json)
    raise typer.Exit(0 if found.is_clean else 1)


def _proved(directory: Path, also: list[Path], telling: Telling | None, *, digests: bool) -> Report:
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

    from skitter.audit.audit import audit as prove
    from skitter.store.shipping.bringing import with_bucket

    def note(text: str) -> None:
        say(f"skitter: {text}", err=True)

    columns = ("[progress.description]{task.description}", BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with (
        with_bucket(directory, note) as folder,
        Progress(*columns, transient=True, disable=not sys.stderr.isatty()) as progress,
    ):
        task = progress.add_task("reading the archive", total=None)
        return prove(
            folder,
            digests=digests,
            on_progress=lambda done, size: progress.update(task, completed=done, total=size),
            telling=telling,
            also=also,
        )


def _host(text: str) -> str:
    from skitter.messages import Url
    from skitter.url.canon import Canon

    url = Canon()(text if "://" in text else f"http://{text}")
    if not isinstance(url, Url):
        raise OperatorError("--host", text, "is not a host; right would be example.org or example.org:8080")
    return url.host


def _write(path: Path, text: str, directory: Path) -> None:
    """Writes a report, signed with the key of the crawl if it has one."""
    from skitter.audit.signed import with_signature
    from skitter.fetch.signing import agent_of, read_key
    from skitter.inspection.folder import Folder

    settings = None
    with contextlib.suppress(SkitterError), Folder(directory) as folder:
        settings = folder.settings
    is_signed = settings is not None and bool(settings.identity.key_file)
    if settings is not None and is_signed:
        text = with_signature(text, read_key(Path(settings.identity.key_file)), agent_of(settings))
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OperatorError("--report", str(path), f"can't be written ({error.strerror})") from None
    how = "signed" if is_signed else "not signed: the crawl has no identity.key_file"
    say(f"skitter: {path} is written, {how}", err=True)


def _verified(path: Path, *, json: bool) -> int:
    from skitter.audit.signed import signature_of

    try:
        found = signature_of(path.read_bytes())
    except OSError as error:
        raise OperatorError("--verify", str(path), f"can't be read ({error.strerror})") from None
    if json:
        say(msgspec.json.encode(found).decode())
    elif found.holds:
        say(f"{path} is as it was signed, by the key {found.keyid}.")
        say(f"Whose that is: it must be listed at {found.directory}")
    else:
        say(f"{path}: {found.why}.")
    return 0 if found.holds else 1
