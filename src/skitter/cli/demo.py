"""`skitter demo`: a small web on this machine and a crawl of it; no internet is needed."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path
from typing import Annotated, NoReturn

import msgspec
import typer

from skitter.cli.demo_web import Web, web_of
from skitter.cli.say import say
from skitter.cli.summary import WORK_LEFT, exit_code
from skitter.cli.watch import tell, watched
from skitter.config.load import load
from skitter.inspection.folder import Folder
from skitter.messages import State
from skitter.settings import Settings
from skitter.shard.records import URLS
from skitter.simweb.settings import DEMO
from skitter.supervisor.job import Job

DELAY = 0.2
LINGER = 2.0
MAX_SECONDS = 50.0
NODES = 2

SHOWN = {State.SKIPPED: "was skipped", State.DEAD: "was given up", State.FAILED: "failed", State.DONE: "was fetched"}


def demo(
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="The crawl's folder (a temporary one).")] = None,
    fleet: Annotated[
        bool, typer.Option("--fleet", help="Three nodes on Kafka and S3, one killed with its disk. Downloads them.")
    ] = False,
    dashboard: Annotated[
        bool, typer.Option("--dashboard", help="A longer crawl with its dashboard, until Ctrl-C; prints a link.")
    ] = False,
    hosts: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Hosts of the web of --dashboard (120).")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="End with one JSON object on standard output.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show nothing but errors.")] = False,
) -> None:
    """Start a small simulated web on loopback and crawl it: done in under a minute, with no internet.

    With --fleet: a Kafka broker and an S3 server too, which are downloaded if they are not there; under three minutes.
    With --dashboard: a crawl of some twenty minutes to look at in a browser; it goes on until Ctrl-C.
    Exit code: 0 done, 1 a promise was not kept, 2 a server can't be had, 3 work left, 4 a server did not start.
    """
    directory = out if out is not None else Path(tempfile.mkdtemp(prefix="skitter-demo-"))
    if fleet:
        _fleet(directory, json=json, quiet=quiet)
    if dashboard:
        from skitter.cli.demo_dashboard import run_dashboard_demo  # here: few need it

        run_dashboard_demo(directory, hosts, quiet=quiet)
        raise typer.Exit
    if not quiet:
        say(
            f"skitter: a web of {DEMO.hosts} hosts, with robots rules, sitemaps, redirects, errors and slow pages, "
            f"runs on this machine for the demo. The crawl goes to {directory}",
            err=True,
        )
    with web_of(directory, "demo") as web:
        job = Job(directory, _settings(web), web.seeds, NODES, max_seconds=MAX_SECONDS)
        finished = watched(job, quiet=quiet)
    # The web is gone with the demo: there is no going on.
    tell(finished, job, None, quiet=quiet, as_object=json)
    if not quiet:
        say(next_steps(directory, _examples(directory)), err=json)
    raise typer.Exit(exit_code(finished))


def _fleet(directory: Path, *, json: bool, quiet: bool) -> NoReturn:
    from skitter.cli.demo_fleet import run_fleet_demo  # here: few need it

    try:
        story, code = run_fleet_demo(directory, quiet=quiet)
    except KeyboardInterrupt:
        raise typer.Exit(WORK_LEFT) from None  # nodes and servers have ended by now
    if json:
        say(msgspec.json.encode(story))
    raise typer.Exit(code)


def next_steps(directory: Path, examples: dict[State, str]) -> str:
    """Returns commands to try on a crawl that is done."""
    commands = [(_command("status", directory), "how it stands"), (_command("hosts", directory), "each host")]
    commands += [(_command("why", directory, url), f"why this URL {SHOWN[state]}") for state, url in examples.items()]
    width = max(len(command) for command, _ in commands)
    return "\n".join(["", "Try next:", *(f"  {command:<{width}}  # {meaning}" for command, meaning in commands)])


def _command(name: str, *words: object) -> str:
    return shlex.join(["skitter", name, *map(str, words)])


def _settings(web: Web) -> Settings:
    flags = {
        "dns.hosts_file": str(web.hosts_file.absolute()),
        "dns.allow_nets": (DEMO.network,),
        "scope.reach": "any",
        "scope.suffixes": (DEMO.domain,),  # its hosts stand for domains: there is work for every node
        "politeness.delay": DELAY,
        "node.linger": LINGER,
        "node.stop_seconds": LINGER,  # some pages never answer: whoever stops a demo will not wait for them
    }
    return load(flags=flags).settings


def _examples(directory: Path) -> dict[State, str]:
    """Returns a URL of each state that is worth asking about."""
    found: dict[State, str] = {}
    with Folder(directory) as folder:
        for shard in folder.shards():
            for _, raw in shard.iterate(b"u"):
                record = URLS.decode(raw)
                if record.state in SHOWN:
                    found.setdefault(record.state, record.href)
    return {state: found[state] for state in SHOWN if state in found}
