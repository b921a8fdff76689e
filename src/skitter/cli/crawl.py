"""`skitter crawl`: from what was typed to a job, and to its end."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from msgspec import structs

from skitter.cli.options import ConfigOption, SetOption, called_as_given, loaded, seeds_of
from skitter.cli.say import say
from skitter.cli.summary import exit_code, go_on
from skitter.cli.watch import tell, watched
from skitter.config.load import Flag, Loaded
from skitter.errors import OperatorError
from skitter.folder.crawlfile import settings_file
from skitter.settings import Settings
from skitter.supervisor.begin import canonical_seeds
from skitter.supervisor.run import Job

Reach = Annotated[
    str | None,
    typer.Option(
        "--scope", metavar="host|domain|any", help="How far from the seeds to go (domain).", show_default=False
    ),
]


def crawl(
    urls: Annotated[
        list[str] | None, typer.Argument(metavar="URL…", help="Where to begin. A bare example.org is taken as https.")
    ] = None,
    seeds: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A file of URLs to begin with, one a line.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The crawl's folder; the same one again goes on (crawl-HOST).")
    ] = None,
    config: ConfigOption = None,
    max_pages: Annotated[int | None, typer.Option(min=1, metavar="N", help="Stop after so many pages.")] = None,
    max_depth: Annotated[int | None, typer.Option(metavar="N", help="Links from a seed, at the most (20).")] = None,
    max_seconds: Annotated[float | None, typer.Option(min=0, metavar="S", help="Stop after so long.")] = None,
    delay: Annotated[
        float | None,
        typer.Option(metavar="S", help="Seconds between two requests to a host (1); robots.txt may ask for more."),
    ] = None,
    scope: Reach = None,
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Processes that crawl (one for each core).")
    ] = None,
    contact: Annotated[
        str | None,
        typer.Option(metavar="URL|E-MAIL", help="Where a site's owner can reach you; needed beyond this machine."),
    ] = None,
    user_agent: Annotated[str | None, typer.Option(metavar="S", help="What to call ourselves.")] = None,
    allow_private: Annotated[bool, typer.Option("--allow-private", help="Connect to private addresses too.")] = False,
    allow_net: Annotated[
        list[str] | None, typer.Option(metavar="CIDR", help="Connect to this reserved network too. Repeatable.")
    ] = None,
    insecure: Annotated[bool, typer.Option("--insecure", help="Accept bad certificates; pages are marked.")] = False,
    hosts_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Addresses as in /etc/hosts, asked before any server.")
    ] = None,
    metrics_port: Annotated[
        int | None, typer.Option(min=0, max=65535, metavar="N", help="Show metrics for Prometheus at this local port.")
    ] = None,
    set_: SetOption = None,
    json: Annotated[bool, typer.Option("--json", help="End with one JSON object on standard output.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show nothing but errors.")] = False,
) -> None:
    """Crawl from URLs, or go on with the crawl in a folder.

    What is fetched goes to DIR/warc as it comes. Ctrl-C stops in order, a second one at once.

    Exit code: 0 done, 2 a mistake in what was asked for, 3 stopped with work left, 4 a broken disk.
    """
    flags = {
        "scope.max_depth": Flag("--max-depth", max_depth),
        "politeness.delay": Flag("--delay", delay),
        "scope.reach": Flag("--scope", scope),
        "identity.contact": Flag("--contact", contact),
        "identity.user_agent": Flag("--user-agent", user_agent),
        "dns.allow_private": Flag("--allow-private", allow_private or None),
        "dns.allow_nets": Flag("--allow-net", tuple(allow_net) if allow_net else None),
        "fetch.insecure": Flag("--insecure", insecure or None),
        "dns.hosts_file": Flag("--hosts-file", str(hosts_file) if hosts_file is not None else None),
    }
    texts = seeds_of(urls, seeds)
    directory = out if out is not None else default_out(texts)
    given = _settings(directory, config, set_, flags)
    job = Job(directory, given.settings, texts, _nodes(workers, given.settings), max_pages, max_seconds)
    if not quiet:
        say(f"skitter: crawling into {directory}", err=True)
    with called_as_given(given):
        finished = watched(job, quiet=quiet, metrics_port=metrics_port)
    tell(finished, job, go_on(directory, workers), quiet=quiet, as_object=json)
    raise typer.Exit(exit_code(finished))


def default_out(texts: Sequence[str]) -> Path:
    """Returns the folder that a crawl from these seeds goes to unless one is named: the first seed's host."""
    if not texts:
        raise OperatorError("URL", "", "name at least one URL to begin with, or with --out the crawl to go on with")
    host = canonical_seeds(texts[:1], Settings())[0].host
    return Path(f"crawl-{host.replace(':', '-')}")


def _settings(directory: Path, config: Path | None, pairs: Sequence[str] | None, flags: Mapping[str, Flag]) -> Loaded:
    """Returns what the earlier run in the folder had, then what is said now."""
    earlier = settings_file(directory)
    said = {key: flag for key, flag in flags.items() if flag.value is not None}
    given = loaded(config, pairs, said, [earlier] if earlier is not None else [])
    dns = given.settings.dns
    if dns.hosts_file:
        # The folder keeps its settings: they must hold wherever the crawl is taken up again.
        dns = structs.replace(dns, hosts_file=str(Path(dns.hosts_file).absolute()))
    return structs.replace(given, settings=structs.replace(given.settings, dns=dns))


def _nodes(workers: int | None, settings: Settings) -> int:
    cores = len(os.sched_getaffinity(0))
    return min(workers or cores, settings.frontier.shards)
