"""The commands, all in one place, and how each of them ends: by the exit code."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from typing import Annotated

import typer

from skitter import __version__
from skitter.cli.say import say
from skitter.errors import SkitterError

RUNNING = "Crawl"
LOOKING = "Look into a crawl, running or not"
STEERING = "Steer a crawl, running or not"
OTHER = "Other"

# By name: the panel of the help that shows it, and the module that has it.
COMMANDS = {
    "crawl": (RUNNING, "skitter.cli.crawl"),
    "demo": (RUNNING, "skitter.cli.demo"),
    "fleet": (RUNNING, "skitter.cli.fleet"),
    "worker": (RUNNING, "skitter.cli.worker"),
    "serve": (LOOKING, "skitter.cli.serve"),
    "status": (LOOKING, "skitter.cli.status"),
    "why": (LOOKING, "skitter.cli.why"),
    "history": (LOOKING, "skitter.cli.history"),
    "hosts": (LOOKING, "skitter.cli.hosts"),
    "host": (LOOKING, "skitter.cli.host"),
    "audit": (LOOKING, "skitter.cli.audit"),
    "rank": (LOOKING, "skitter.cli.rank"),
    "plan": (LOOKING, "skitter.cli.plan"),
    "doctor": (LOOKING, "skitter.cli.doctor"),
    "seeds": (STEERING, "skitter.cli.operator"),
    "dead": (STEERING, "skitter.cli.operator"),
    "pause": (STEERING, "skitter.cli.operator"),
    "resume": (STEERING, "skitter.cli.operator"),
    "rate": (STEERING, "skitter.cli.operator"),
    "recrawl": (STEERING, "skitter.cli.operator"),
    "review": (STEERING, "skitter.cli.review"),
    "block": (STEERING, "skitter.cli.review"),
    "boost": (STEERING, "skitter.cli.review"),
    "export": (OTHER, "skitter.cli.export"),
    "reparse": (OTHER, "skitter.cli.reparse"),
    "config": (OTHER, "skitter.cli.config"),
    "tools": (OTHER, "skitter.cli.tools"),
}


def app(only: str | None = None) -> typer.Typer:
    """Returns the command line. If `only` is a command, no other is loaded: that takes a while, and memory."""
    made = typer.Typer(
        help="A web crawler that is polite, durable and fast.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    made.callback(invoke_without_command=True)(_top)
    for name in [only] if only in COMMANDS else COMMANDS:
        panel, home = COMMANDS[name]
        command = getattr(import_module(home), name)
        if isinstance(command, typer.Typer):
            made.add_typer(command, name=name, rich_help_panel=panel)
        else:
            made.command(name, rich_help_panel=panel)(command)
    return made


def main() -> None:
    """Runs the command line and exits: 0 done, 1 a check failed, 2 the operator's mistake, 3 work left, 4 broken."""
    try:
        gc.disable()  # while a command is loaded nothing becomes garbage
        command = app(next(iter(sys.argv[1:]), None))
        gc.enable()
        command(prog_name="skitter")
    except SkitterError as error:
        say(f"skitter: {error}", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # Whoever read our output has seen enough. Python must not try to flush the rest on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def _top(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        say(f"skitter {__version__}")
        raise typer.Exit
