"""`skitter export`: what a crawl has stored, to a database, to files, to Kafka or to a webhook."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from skitter.cli.options import ConfigOption, DirectoryArgument, JsonOption, SetOption, pairs_of
from skitter.cli.say import say
from skitter.errors import OperatorError, SinkError
from skitter.supervisor.job import settings_for
from skitter.words.figures import counted, number

if TYPE_CHECKING:
    from skitter.sinks.export import Exported, Order


def export(
    directory: DirectoryArgument,
    to: Annotated[
        str, typer.Option(metavar="URL|parquet|jsonl", help="postgres://…, kafka://…, https://…, parquet or jsonl.")
    ],
    table: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="captures, failures, links, robots, or text alone. Repeatable."),
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="TIME", help="Only what was fetched from then on: 2026-11-18T08:00:00 (UTC).")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE|DIR", help="The file for jsonl (standard output), or the folder for parquet."),
    ] = None,
    despite: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SIGNAL", help="Take texts in spite of this signal of their sites: you have the right. Repeatable."
        ),
    ] = None,
    config: ConfigOption = None,
    set_: SetOption = None,
    json: JsonOption = False,
) -> None:
    """Bring what a crawl has stored so far to somewhere else. Broken off, the same command goes on.

    Texts that their sites keep back (noindex, noarchive, nosnippet, noai, tdm-reservation, content-signal,
    content-usage) are left out, counted and said.
    """
    # Here and not above: what it imports would delay the start of every other command.
    from skitter.folder.crawlfile import read_crawl
    from skitter.sinks.export import export as bring
    from skitter.store.shipping.bringing import with_bucket

    read_crawl(directory)  # whatever is wrong with the folder is told first
    settings = settings_for(directory, [config] if config is not None else [], pairs_of(set_)).settings
    order = ordered(to, table or [], since, out, despite or [])
    is_stream = order.address.target == "jsonl:-"
    try:
        with with_bucket(directory, lambda text: say(f"skitter: {text}", err=True)) as archive:
            done = bring(directory, archive, settings, order, on_batch=_live)
    except SinkError as error:
        if error.kind == "refused":
            raise OperatorError("--to", to, str(error)) from error
        raise
    say(msgspec.json.encode(done) if json else in_words(done), err=is_stream)


def ordered(to: str, tables: list[str], since: str | None, out: Path | None, despite: list[str]) -> Order:
    """Returns what was asked for, or raises OperatorError."""
    from skitter.sinks.address import SinkAddress, parse_sink
    from skitter.sinks.export import Order, require_signals
    from skitter.sinks.signals import SIGNALS
    from skitter.sinks.tables import TABLES, USUAL

    known = [*TABLES, "text"]
    for name in tables:
        if name not in known:
            raise OperatorError("--table", name, f"must be one of {', '.join(known)}")
    if "text" in tables and len(set(tables)) > 1:
        raise OperatorError("--table", "text", "is read from another place than the others: export it by itself")
    require_signals(despite, SIGNALS)
    wanted = list(dict.fromkeys(tables))
    moment = _moment(since)
    if to == "parquet":
        if out is None:
            raise OperatorError("--out", "", "name the folder for the Parquet files")
        target = f"parquet:{out.absolute()}"
        address = SinkAddress("parquet", target, tuple(wanted) or USUAL, _name("parquet", target, wanted))
        return Order(address, moment, despite, out)
    if out is not None and to != "jsonl":
        raise OperatorError("--out", str(out), "is for --to parquet and --to jsonl; others are named by their address")
    text = f"jsonl:{'-' if out is None else out.absolute()}" if to == "jsonl" else to
    address = parse_sink(text, "--to")
    if wanted:
        address = msgspec.structs.replace(
            address, tables=tuple(wanted), name=_name(address.scheme, address.target, wanted)
        )
    return Order(address, moment, despite)


def in_words(done: Exported) -> str:
    """Returns what was done, for people."""
    lines = [f"Brought {counted(done.rows, 'row')} of {', '.join(done.tables)} to {done.to}."]
    if done.kept_back:
        by = ", ".join(f"{number(many)} {signal}" for signal, many in sorted(done.kept_back_by.items()))
        lines.append(f"Left out: {counted(done.kept_back, 'text')} that their sites keep back ({by}).")
    if done.despite:
        lines.append(f"Taken in spite of {', '.join(done.despite)}, by your word: the manifest says so.")
    return "\n".join(lines)


def _name(scheme: str, target: str, tables: list[str]) -> str:
    from skitter.sinks.address import sink_name

    return sink_name(scheme, target, tuple(tables))


def _moment(since: str | None) -> datetime | None:
    if since is None:
        return None
    try:
        moment = datetime.fromisoformat(since)
    except ValueError:
        raise OperatorError("--since", since, "must be a time, as 2026-11-18 or 2026-11-18T08:00:00") from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _live(rows: int) -> None:
    if sys.stderr.isatty():
        say(f"\r{counted(rows, 'row')} …", err=True, nl=False)
