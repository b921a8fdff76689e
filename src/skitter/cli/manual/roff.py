"""The man page, as `man` reads it (man-pages(7))."""

from __future__ import annotations

from collections.abc import Iterator

from skitter.cli.manual.tree import Command, Option

CODES = (
    ("0", "Done."),
    ("1", "A check failed."),
    ("2", "A mistake in what was asked for; it is named."),
    ("3", "Stopped early with work left: the same command goes on."),
    ("4", "A broken disk, or a broker that does not answer."),
)


def man_page(top: Command, version: str) -> str:
    """Returns the man page of the whole command line."""
    return "\n".join([*_head(top, version), *_commands(top), *_tail()]) + "\n"


def _head(top: Command, version: str) -> Iterator[str]:
    name = top.words[0]
    yield f'.TH {name.upper()} 1 "" "{name} {version}" "User Commands"'
    yield from (".SH NAME", f"{name} \\- {_text(top.summary.rstrip('.')[:1].lower() + top.summary.rstrip('.')[1:])}")
    yield from (".SH SYNOPSIS", f".B {name}", ".I COMMAND", "[\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]")
    yield ".SH DESCRIPTION"
    yield "One request to a host at a time, never sooner than its delay, and nothing that robots.txt forbids."
    yield "A crawl is a folder: the same command again goes on with it, whatever ended it before."


def _commands(top: Command) -> Iterator[str]:
    panel = None
    for command in top.all():
        if command.commands and command is top:
            continue
        if len(command.words) == 2 and command.panel != panel:
            panel = command.panel
            yield f".SH {_text(panel.upper())}"
        yield from (".SS " + _text(command.usage), _text(command.summary))
        if command.more:
            yield from (".PP", _text(command.more))
        for argument in command.arguments:
            if argument.meaning:
                yield from (".TP", f".I {_text(argument.name)}", _text(argument.meaning))
        for option in command.options:
            yield from _option(option)


def _option(option: Option) -> Iterator[str]:
    names = ", ".join(f"\\fB{_text(name)}\\fR" for name in option.names)
    takes = f" \\fI{_text(option.takes)}\\fR" if option.takes else ""
    yield from (".TP", names + takes, _text(option.meaning) or "\\&")


def _tail() -> Iterator[str]:
    yield ".SH EXIT STATUS"
    for code, meaning in CODES:
        yield from (".TP", f".B {code}", meaning)
    yield from (".SH ENVIRONMENT", ".TP", ".B SKITTER_SECTION_FIELD")
    yield "Any setting, as \\fBSKITTER_POLITENESS_DELAY=2\\fR. \\fBskitter config \\-\\-default\\fR prints them all."


def _text(text: str) -> str:
    """What roff would take for a request or an escape is taken as it stands."""
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in plain.splitlines())
