"""`skitter demo --dashboard`: a simulated web, a crawl of it that goes on, and its dashboard."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

from skitter.api.server import LOOPBACK, ApiPlace, extra
from skitter.api.tokens import Role, token_of
from skitter.cli.demo_web import Web, web_of
from skitter.cli.say import say
from skitter.cli.watch import watched
from skitter.config.load import load
from skitter.settings import Settings
from skitter.simweb.settings import DASHBOARD
from skitter.supervisor.job import Job

PORT = 8800
NODES = 2


def run_dashboard_demo(directory: Path, hosts: int | None, *, quiet: bool) -> None:
    """Returns when the operator has ended it. OperatorError if what the API needs is not there."""
    extra()
    what = f"the dashboard of a crawl of {hosts or DASHBOARD.hosts} simulated hosts"
    say(f"skitter: {what}; the crawl goes to {directory}", err=True)
    with web_of(directory, "dashboard", hosts) as web:
        job = Job(directory, settings_of(web), web.seeds, NODES, is_service=True)
        watched(job, quiet=quiet, api=ApiPlace(_free(PORT)), on_api=_tell)


def _tell(where: str, tokens: Path) -> None:
    """Says the link that signs in by itself: browsers keep what follows the `#` to themselves."""
    say(f"{where}/login#token={token_of(tokens, Role.OPERATOR)}")
    sys.stdout.flush()


def settings_of(web: Web) -> Settings:
    """Returns the settings of such a crawl."""
    flags = {
        "dns.hosts_file": str(web.hosts_file.absolute()),
        "dns.allow_nets": (DASHBOARD.network,),
        "scope.reach": "any",
        "scope.suffixes": (DASHBOARD.domain,),
        "politeness.delay": 1.0,
        "schedule.recrawl": True,
        "schedule.host_class": "news",
        "node.stop_seconds": 2.0,
    }
    return load(flags=flags).settings


def _free(wanted: int) -> int:
    """Returns a port that nobody listens on: the one that is wanted, if it is free."""
    for port in (wanted, 0):
        with socket.socket() as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind((LOOPBACK, port))
            except OSError:
                continue
            return int(tried.getsockname()[1])
    return 0
