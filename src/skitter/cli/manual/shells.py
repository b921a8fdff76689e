"""Completion for shells, as scripts that hold all words: nothing is started while one types."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping

from skitter.cli.manual.tree import Command

FILES = ("FILE", "DIR", "FILE.toml", "DIR|s3://…")
"""What an option takes, where files are to be offered."""


def bash(top: Command) -> str:
    """Returns the script for bash: the longest command that was typed says which words may follow."""
    lines = [
        f'# Completion of {top.words[0]} for bash: eval "$({top.words[0]} completion bash)"',
        f"_{top.words[0]}() {{",
        "    local current=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]} path= word",
        '    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        '        case "$path $word" in',
        *(f"            {shlex.quote(_path(one))}) path={shlex.quote(_path(one))} ;;" for one in _below(top)),
        "        esac",
        "    done",
        '    case "$path:$last" in',
        *_bash_values(top),
        "    esac",
        '    case "$path" in',
        *(f"        {shlex.quote(_path(one))}) word={shlex.quote(' '.join(_words(one)))} ;;" for one in top.all()),
        "    esac",
        '    COMPREPLY=($(compgen -W "$word" -- "$current"))',
        '    if [ ${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$current")); fi',
        "}",
        f"complete -o filenames -F _{top.words[0]} {top.words[0]}",
    ]
    return "\n".join(lines) + "\n"


def _bash_values(top: Command) -> Iterator[str]:
    for command in top.all():
        for option in command.options:
            if not option.takes:
                continue
            made = f'$(compgen -W {shlex.quote(" ".join(option.choices))} -- "$current")' if option.choices else ""
            made = made or ('$(compgen -f -- "$current")' if option.takes in FILES else "")
            names = "|".join(shlex.quote(f"{_path(command)}:{name}") for name in option.names)
            yield f"        {names}) COMPREPLY=({made}); return ;;"


def zsh(top: Command) -> str:
    """Returns the script for zsh, which understands bash's."""
    return "#compdef skitter\nautoload -U +X bashcompinit && bashcompinit\n" + bash(top).replace("for bash", "for zsh")


def fish(top: Command) -> str:
    """Returns the script for fish."""
    name = top.words[0]
    lines = [f"# Completion of {name} for fish: {name} completion fish | source", f"complete -c {name} -f"]
    for command in top.all():
        where = _fish_place(top, command)
        for below in command.commands:
            told = shlex.quote(below.summary)
            lines.append(f"complete -c {name} -n {where} -a {below.words[-1]} -d {told}")
        for argument in command.arguments:
            words = f"-a {shlex.quote(' '.join(argument.choices))}" if argument.choices else "-F"
            lines.append(f"complete -c {name} -n {where} {words}")
        for option in command.options:
            spelled = " ".join(f"-l {spelling[2:]}" for spelling in option.names if spelling.startswith("--"))
            takes = ""
            if option.takes:
                takes = f" -x -a {shlex.quote(' '.join(option.choices))}" if option.choices else " -r"
                takes += " -F" if option.takes in FILES else ""
            lines.append(f"complete -c {name} -n {where} {spelled}{takes} -d {shlex.quote(option.meaning)}")
    return "\n".join(lines) + "\n"


def _fish_place(top: Command, command: Command) -> str:
    if command is top:
        return "__fish_use_subcommand"
    seen = " ".join(f"__fish_seen_subcommand_from {word}" for word in command.words[1:2])
    if len(command.words) > 2:
        seen += f"; and __fish_seen_subcommand_from {command.words[2]}"
    elif command.commands:
        seen += "; and not __fish_seen_subcommand_from " + " ".join(below.words[-1] for below in command.commands)
    return shlex.quote(seen)


def _below(top: Command) -> Iterator[Command]:
    return (command for command in top.all() if command is not top)


def _path(command: Command) -> str:
    """What `path` holds when this command was typed: its words, each after a space."""
    return "".join(f" {word}" for word in command.words[1:])


def _words(command: Command) -> list[str]:
    options = [name for option in command.options for name in option.names]
    choices = [word for argument in command.arguments for word in argument.choices]
    return [*(below.words[-1] for below in command.commands), *choices, *options, "--help"]


SHELLS: Mapping[str, Callable[[Command], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
