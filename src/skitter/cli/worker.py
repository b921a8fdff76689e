"""`skitter worker`: fetch for a crawl that runs elsewhere."""

from __future__ import annotations

import re
import socket
import sys
from pathlib import Path
from typing import Annotated

import typer

from skitter.cli.say import say
from skitter.errors import OperatorError, SkitterError, first_of

ERRANDS = ("page", "render")


def worker(
    api: Annotated[list[str], typer.Option("--api", metavar="URL", help="The API of a node. Repeatable.")],
    token_file: Annotated[
        Path, typer.Option(metavar="FILE", help="A line `NAME TOKEN` of the crawl's api-tokens.", show_default=False)
    ],
    region: Annotated[str, typer.Option(metavar="NAME", help="Where we are, as in work.regions.")] = "",
    errands: Annotated[
        str, typer.Option(metavar="page,render", help="What we do: fetch, have pages run in browsers.")
    ] = "page",
    browsers: Annotated[int, typer.Option(min=1, max=64, metavar="N", help="Browsers at a time, to render.")] = 2,
    browser: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The browser, if it is not to be looked for.")
    ] = None,
    name: Annotated[str, typer.Option(help="The worker's own name.", show_default="of the machine")] = "",
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where records go, or wait for a bucket.")] = Path("worker"),
    in_flight: Annotated[int, typer.Option(min=1, max=10_000, metavar="N", help="Leases at a time.")] = 100,
    allow_private: Annotated[bool, typer.Option("--allow-private", help="Connect to private addresses too.")] = False,
    allow_net: Annotated[
        list[str] | None, typer.Option(metavar="CIDR", help="Connect to this reserved network too. Repeatable.")
    ] = None,
    hosts_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Addresses as in /etc/hosts, asked before any server.")
    ] = None,
    plugins: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where files of the crawl's plug-ins are, if they are no packages."),
    ] = None,
    key_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Sign requests with this key: the crawl's own (identity.key_file)."),
    ] = None,
    ca_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Certificates to trust for --api beside the system's.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show nothing but errors.")] = False,
) -> None:
    """Work for a crawl elsewhere: lease pages over its API, fetch, read and store them, and tell what came of it.

    It keeps nothing that the crawl needs: killed, its leases end and others have them.

    Exit code: 0 stopped in order, 2 a mistake (a token that is not known), 4 a broken disk.
    """
    import uvloop

    from skitter.api.tokens import token_in
    from skitter.worker.client import Client
    from skitter.worker.parts import MOST_CLIENTS, Own
    from skitter.worker.run import Ways, run_worker

    if wrong := [one for one in errands.split(",") if one not in ERRANDS]:
        raise OperatorError("--errands", ",".join(wrong), f"must be of {', '.join(ERRANDS)}")
    if re.fullmatch(r"[A-Za-z0-9_.-]{0,64}", region) is None:
        raise OperatorError("--region", region, "must be letters, digits, - . and _, as in work.regions")
    name = name or re.sub(r"[^A-Za-z0-9_]", "_", socket.gethostname())[:40]
    if re.fullmatch(r"[A-Za-z0-9_]{1,64}", name) is None:
        raise OperatorError("--name", name, "must be letters, digits and _: files are called by it")
    if len(api) > MOST_CLIENTS:
        raise OperatorError("--api", f"given {len(api)} times", f"must be given at most {MOST_CLIENTS} times")
    token = token_in(token_file)
    cafile = str(ca_file) if ca_file is not None else None
    clients = [Client(url, token, cafile) for url in api]
    own = Own(
        name,
        out,
        allow_private,
        tuple(allow_net or ()),
        str(hosts_file.absolute()) if hosts_file is not None else "",
        str(key_file.absolute()) if key_file is not None else "",
        str(plugins.absolute()) if plugins is not None else "",
    )

    def tell(text: str) -> None:
        if not quiet:
            say(f"skitter: {text}", err=True)

    try:
        where = str(browser.absolute()) if browser is not None else ""
        ways = Ways(region, in_flight, tuple(errands.split(",")), browsers, where)
        uvloop.run(run_worker(clients, own, ways, tell))
    except* SkitterError as group:
        error = first_of(group)
        say(f"skitter: {error}", err=True)
        sys.exit(error.exit_code)
