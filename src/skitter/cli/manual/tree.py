"""The command line as a tree of values, read off the commands themselves: what is told of it can't be out of date."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import typer


class Option(NamedTuple):
    """An option: all its spellings, what it takes (nothing: a flag), and what it means."""

    names: tuple[str, ...]
    takes: str
    meaning: str
    choices: tuple[str, ...] = ()  # what it takes, where that is one of a few words


class Argument(NamedTuple):
    """What is said without a name, by its place."""

    name: str
    meaning: str
    choices: tuple[str, ...] = ()


class Command(NamedTuple):
    """A command, and those below it. `words` are what is typed, `skitter` first."""

    words: tuple[str, ...]
    panel: str
    summary: str
    more: str
    arguments: tuple[Argument, ...]
    options: tuple[Option, ...]
    commands: tuple[Command, ...]

    def all(self) -> Iterator[Command]:
        """Yields this command and all below it, in order."""
        yield self
        for command in self.commands:
            yield from command.all()

    @property
    def usage(self) -> str:
        """How it is typed, in one line."""
        below = ["COMMAND"] if self.commands else []
        options = ["[OPTIONS]"] if self.options else []
        return " ".join([*self.words, *options, *(argument.name for argument in self.arguments), *below])


def tree(app: typer.Typer, name: str = "skitter") -> Command:
    """Returns the tree of `app`."""
    return _command(typer.main.get_command(app), (name,))


def _command(command: Any, words: tuple[str, ...]) -> Command:
    told = _plain(command.help or "")
    summary, _, more = told.partition("\n\n")
    shown = [param for param in command.params if not getattr(param, "hidden", False)]
    return Command(
        words,
        getattr(command, "rich_help_panel", None) or "",
        " ".join(summary.split()),
        more.strip(),
        tuple(_argument(param) for param in shown if param.param_type_name == "argument"),
        tuple(_option(param) for param in shown if param.param_type_name == "option"),
        tuple(_command(below, (*words, name)) for name, below in getattr(command, "commands", {}).items()),
    )


def _option(param: Any) -> Option:
    is_flag = getattr(param, "is_flag", False)
    takes = "" if is_flag else (param.metavar or param.name.upper())
    return Option((*param.opts, *param.secondary_opts), takes, _plain(param.help or ""), _choices(takes))


def _argument(param: Any) -> Argument:
    name = param.metavar or param.name.upper()
    return Argument(name, _plain(getattr(param, "help", None) or ""), _choices(name))


def _choices(takes: str) -> tuple[str, ...]:
    """`auto|never|always` are words to type; `DIR|s3://…` are not."""
    words = takes.split("|")
    return tuple(words) if len(words) > 1 and all(re.fullmatch(r"[a-z0-9-]+", word) for word in words) else ()


def _plain(text: str) -> str:
    """Without the marks for colours on a terminal, `[bold]…[/bold]`."""
    return re.sub(r"\[/?(?:bold|dim|italic|red|green|yellow|blue|cyan|magenta)[a-z ]*\]", "", text).strip()
