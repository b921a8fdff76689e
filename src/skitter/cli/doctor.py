"""`skitter doctor`: what is installed, reachable, quick enough, and what to do where it is not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from skitter.cli.options import ConfigOption, JsonOption, SetOption, loaded
from skitter.cli.say import say
from skitter.doctor.disk import of_disk
from skitter.doctor.engines import of_browser, of_bucket, of_fleet
from skitter.doctor.finding import Finding, Level
from skitter.doctor.machine import of_machine
from skitter.doctor.world import of_world
from skitter.settings import Settings

MARKS = {Level.GOOD: "ok ", Level.POOR: "-- ", Level.BAD: "BAD"}
OutOption = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the crawl will be: its disk is measured.")]
FleetOption = Annotated[Path | None, typer.Option("--fleet", metavar="FILE", help="A fleet file: its broker is asked.")]
BucketOption = Annotated[
    str, typer.Option("--bucket", metavar="s3://…", help="A bucket: an object is put there, read and removed.")
]
WorkersOption = Annotated[int | None, typer.Option(min=1, metavar="N", help="Nodes on this machine (its cores).")]


def doctor(
    config: ConfigOption = None,
    set_: SetOption = None,
    out: OutOption = Path(),
    fleet: FleetOption = None,
    bucket: BucketOption = "",
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Look whether this machine is fit for a crawl: what is there, what is missing, and what to do about it.

    Nothing but your own contact page is fetched. Exit code: 0 all is well enough, 1 something is bad.
    """
    settings = loaded(config, set_).settings
    found = []
    for one in _all(settings, out, fleet, bucket or settings.bucket.address, workers or os.cpu_count() or 1):
        found.append(one)
        if not json:
            say(in_words(one))
    bad = sum(one.level is Level.BAD for one in found)
    if json:
        say(msgspec.json.encode({"findings": found, "bad": bad}).decode())
    if bad:
        raise typer.Exit(1)


def _all(settings: Settings, out: Path, fleet: Path | None, bucket: str, nodes: int) -> Iterator[Finding]:
    yield from of_machine(settings, nodes)
    yield from of_disk(settings, out)
    yield from of_world(settings)
    yield of_browser(settings)
    if fleet is not None:
        yield from of_fleet(fleet)
    if bucket:
        yield of_bucket(bucket)


def in_words(found: Finding) -> str:
    """Returns a line or two."""
    line = f"{MARKS[found.level]} {found.what:<12}{found.said}"
    return f"{line}\n{'':16}→ {found.do}" if found.do else line
