"""Pages of the documentation that are read off the code: commands, and settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from skitter.cli.manual.roff import CODES
from skitter.cli.manual.tree import Command
from skitter.config.fields import Field
from skitter.config.show import written


def commands_page(top: Command) -> str:
    """Returns the page of all commands."""
    lines = [
        "# Commands",
        "",
        "Made by `make reference` from the commands themselves; `skitter COMMAND --help` says the same.",
        "",
    ]
    lines += ["Exit codes: " + " ".join(f"**{code}** {meaning}" for code, meaning in CODES), ""]
    panel = None
    for command in top.all():
        if command is top:
            continue
        if len(command.words) == 2 and command.panel != panel:
            panel = command.panel
            lines += [f"## {panel}", ""]
        lines += _command(command)
    return "\n".join(lines).rstrip() + "\n"


def _command(command: Command) -> Iterator[str]:
    yield from (f"### `{' '.join(command.words)}`", "", command.summary, "")
    if command.more:
        yield from (command.more, "")
    yield from ("```", command.usage, "```", "")
    rows = [(f"`{argument.name}`", argument.meaning) for argument in command.arguments if argument.meaning]
    rows += [
        (f"`{', '.join(option.names)}{' ' + option.takes if option.takes else ''}`", option.meaning)
        for option in command.options
    ]
    if rows:
        yield from ("| | |", "|---|---|", *(f"| {_cell(name)} | {_cell(meaning)} |" for name, meaning in rows), "")


def settings_page(fields: Mapping[str, Field]) -> str:
    """Returns the page of all settings."""
    lines = [
        "# Settings",
        "",
        "Made by `make reference` from `settings.py`. A TOML file (`--config`), then `SKITTER_SECTION_FIELD` in the",
        "environment, then `--set SECTION.FIELD=VALUE`: the later wins. An unknown key stops the start.",
        "`skitter config` prints those in force.",
    ]
    section = None
    for key, field in fields.items():
        if key.partition(".")[0] != section:
            section = key.partition(".")[0]
            lines += ["", f"## {section}", "", "| key | default | meaning | what is right |", "|---|---|---|---|"]
        default = written(field.default)
        lines.append(f"| `{key}` | `{_cell(default)}` | {_cell(field.meaning)} | {_cell(field.right)} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """As it stands in a table: a bar would end the cell."""
    return " ".join(text.split()).replace("|", "\\|")
