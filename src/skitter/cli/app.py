"""The commands, all in one place, and how each of them ends: by the exit code."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from skitter import __version__
from skitter.cli.audit import audit
from skitter.cli.config import config
from skitter.cli.crawl import crawl
from skitter.cli.demo import demo
from skitter.cli.hosts import hosts
from skitter.cli.say import say
from skitter.cli.status import status
from skitter.cli.tools import tools
from skitter.cli.why import why
from skitter.cli.wishes import dead, pause, rate, resume, seeds
from skitter.errors import SkitterError

app = typer.Typer(
    help="A web crawler that is polite, durable and fast.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
RUNNING = "Crawl"
LOOKING = "Look into a crawl, running or not"
STEERING = "Steer a crawl, running or not"
OTHER = "Other"

app.command(rich_help_panel=RUNNING)(crawl)
app.command(rich_help_panel=RUNNING)(demo)
app.command(rich_help_panel=LOOKING)(status)
app.command(rich_help_panel=LOOKING)(why)
app.command(rich_help_panel=LOOKING)(hosts)
app.command(rich_help_panel=LOOKING)(audit)
app.add_typer(seeds, name="seeds", rich_help_panel=STEERING)
app.add_typer(dead, name="dead", rich_help_panel=STEERING)
app.command(rich_help_panel=STEERING)(pause)
app.command(rich_help_panel=STEERING)(resume)
app.command(rich_help_panel=STEERING)(rate)
app.command(rich_help_panel=OTHER)(config)
app.add_typer(tools, name="tools", rich_help_panel=OTHER)


def main() -> None:
    """Runs the command line and exits: 0 done, 1 a check failed, 2 the operator's mistake, 3 work left, 4 broken."""
    try:
        app(prog_name="skitter")
    except SkitterError as error:
        say(f"skitter: {error}", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # Whoever read our output has seen enough. Python must not try to flush the rest on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


@app.callback(invoke_without_command=True)
def _top(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        say(f"skitter {__version__}")
        raise typer.Exit
