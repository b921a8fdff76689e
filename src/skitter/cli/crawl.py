"""`skitter crawl`: from what was typed to a job, and to its end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from msgspec import structs

from skitter.cli.options import (
    ApiAddressOption,
    ApiCertificateOption,
    ApiKeyOption,
    ApiNameOption,
    ApiPortOption,
    ApiTokensOption,
    ConfigOption,
    SetOption,
    api_place,
    called_as_given,
    default_state,
    pairs_of,
    seeds_of,
)
from skitter.cli.say import say
from skitter.cli.summary import WORK_LEFT, exit_code, go_on
from skitter.cli.watch import tell, watched
from skitter.config.buckets import is_address, parse_address
from skitter.config.load import Flag, Loaded
from skitter.errors import OperatorError
from skitter.settings import Settings
from skitter.sinks.kept import SinkState
from skitter.supervisor.begin import canonical_seeds
from skitter.supervisor.job import Plan, settings_for
from skitter.words.figures import counted, size

Render = Annotated[
    str | None,
    typer.Option(
        metavar="auto|never|always", help="Run pages in a browser that are empty without (auto).", show_default=False
    ),
]
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
        str | None,
        typer.Option(
            metavar="DIR|s3://…", help="The crawl's folder, or a bucket; the same one again goes on (crawl-HOST)."
        ),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="With a bucket: the folder for all that is not archive (crawl-BUCKET-PREFIX)."
        ),
    ] = None,
    archive_after: Annotated[
        int | None,
        typer.Option(min=1, metavar="DAYS", help="With a bucket of S3: tag WARC files for a colder class."),
    ] = None,
    config: ConfigOption = None,
    max_pages: Annotated[int | None, typer.Option(min=1, metavar="N", help="Stop after so many pages.")] = None,
    max_depth: Annotated[int | None, typer.Option(metavar="N", help="Links from a seed, at the most.")] = None,
    max_seconds: Annotated[float | None, typer.Option(min=0, metavar="S", help="Stop after so long.")] = None,
    max_rate: Annotated[
        float | None, typer.Option(metavar="R", help="Requests a second, by the whole crawl, at the most.")
    ] = None,
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
    user_agent: Annotated[str | None, typer.Option(metavar="S", help="Our name; the contact is sent too.")] = None,
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
    api_port: ApiPortOption = None,
    api_address: ApiAddressOption = "127.0.0.1",
    api_name: ApiNameOption = "",
    api_tokens: ApiTokensOption = None,
    api_certificate: ApiCertificateOption = None,
    api_key: ApiKeyOption = None,
    sink: Annotated[
        list[str] | None,
        typer.Option(
            metavar="URL", help="Bring rows about what is fetched to postgres://, jsonl:, kafka://, https:// too."
        ),
    ] = None,
    forever: Annotated[
        bool,
        typer.Option("--forever", help="Go on until told to stop, and see pages again. SIGHUP: read settings again."),
    ] = False,
    render: Render = None,
    set_: SetOption = None,
    json: Annotated[bool, typer.Option("--json", help="End with one JSON object on standard output.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show nothing but errors.")] = False,
) -> None:
    """Crawl from URLs, or go on with the crawl in a folder.

    What is fetched goes to DIR/warc as it comes, or to a bucket. Ctrl-C stops in order, a second one at once.

    Exit code: 0 done, 2 a mistake in what was asked for, 3 stopped with work left, 4 a broken disk.
    """
    flags = {
        "scope.max_depth": Flag("--max-depth", max_depth),
        "politeness.delay": Flag("--delay", delay),
        "politeness.max_rate": Flag("--max-rate", max_rate),
        "schedule.recrawl": Flag("--forever", forever or None),
        "scope.reach": Flag("--scope", scope),
        "render.mode": Flag("--render", render),
        "identity.contact": Flag("--contact", contact),
        "identity.user_agent": Flag("--user-agent", user_agent),
        "dns.allow_private": Flag("--allow-private", allow_private or None),
        "dns.allow_nets": Flag("--allow-net", tuple(allow_net) if allow_net else None),
        "fetch.insecure": Flag("--insecure", insecure or None),
        "dns.hosts_file": Flag("--hosts-file", str(hosts_file) if hosts_file is not None else None),
        "sinks.urls": Flag("--sink", tuple(sink) if sink else None),
        "bucket.archive_after": Flag("--archive-after", archive_after),
    }
    texts = seeds_of(urls, seeds)
    directory, address = folder_and_bucket(out, state, texts)
    flags["bucket.address"] = Flag("--out", address)
    said = {key: flag for key, flag in flags.items() if flag.value is not None}

    def settings_now() -> Loaded:
        return settings_for(directory, [config] if config is not None else [], {**said, **pairs_of(set_)})

    given = settings_now()
    job = Plan(directory, given, texts, workers, max_pages, max_seconds, forever).job(directory)
    place = api_place(api_port, api_address, api_name, api_tokens, (api_certificate, api_key))
    job = structs.replace(job, has_desk=place is not None)
    bucket = given.settings.bucket
    if archive_after is not None and not bucket.address:
        raise OperatorError("--archive-after", archive_after, "needs a bucket: --out s3://BUCKET/PREFIX")
    if not quiet:
        say(f"skitter: crawling into {into(directory, bucket.address)}", err=True)
    with called_as_given(given):
        finished = watched(job, settings_now, quiet=quiet, metrics_port=metrics_port, api=place)
    command = go_on(directory, workers, is_service=forever)
    tell(finished, job, command, quiet=quiet, as_object=json, is_apart=json or has_stdout(given.settings))
    left = [*filter(None, [unsent_words(directory, bucket.address)]), *behind_words(directory, finished.sinks)]
    for words in left:
        say(f"skitter: {words}", err=True)
    raise typer.Exit(WORK_LEFT if left else exit_code(finished))


def folder_and_bucket(out: str | None, state: Path | None, texts: Sequence[str]) -> tuple[Path, str | None]:
    """Returns the crawl's folder and, if it was named, the bucket for its archive."""
    if out is not None and is_address(out):
        address = parse_address(out)
        return state or default_state(address), str(address)
    if state is not None:
        right = "is for a crawl whose archive is in a bucket, as with --out s3://BUCKET/PREFIX; a folder holds both"
        raise OperatorError("--state", str(state), right)
    return Path(out) if out is not None else default_out(texts), None


def has_stdout(settings: Settings) -> bool:
    """Whether standard output belongs to a sink."""
    return any(text.startswith("jsonl:-") for text in settings.sinks.urls)


def into(directory: Path, address: str) -> str:
    """Returns where a crawl goes to, in words."""
    return f"{address}; its frontier, and what is not there yet, are in {directory}" if address else str(directory)


def unsent_words(directory: Path, address: str) -> str:
    """Returns what is to be said of files that could not be sent before the end; nothing if there are none."""
    if not address:
        return ""
    from skitter.store.shipping.sent import waiting  # here: few crawls need it

    unsent = waiting(directory)
    return (
        ""
        if not unsent.files
        else (
            f"{counted(unsent.files, 'WARC file')} ({size(unsent.bytes)}) are not in {address} yet and are kept in "
            f"{directory / 'warc'}: {go_on(directory)} sends them"
        )
    )


def behind_words(directory: Path, sinks: Sequence[SinkState]) -> list[str]:
    """Returns what is to be said of sinks that did not get all before the end."""
    return [
        f"{state.sink} lacks {counted(state.lag_captures, 'capture')} or so ({size(state.lag_bytes)} of the archive)"
        f"{f', since {state.trouble}' if state.trouble else '.'} Nothing is lost: {go_on(directory)} goes on with it, "
        f"and so does skitter export {directory} --to {state.sink}"
        for state in sinks
        if state.lag_bytes or state.trouble
    ]


def default_out(texts: Sequence[str]) -> Path:
    """Returns the folder that a crawl from these seeds goes to unless one is named: the first seed's host."""
    if not texts:
        raise OperatorError("URL", "", "name at least one URL to begin with, or with --out the crawl to go on with")
    host = canonical_seeds(texts[:1], Settings())[0].host
    return Path(f"crawl-{host.replace(':', '-')}")
