"""`skitter host`: what is thought of one host, and how to have it otherwise."""

from __future__ import annotations

import time
from typing import Annotated

import msgspec
import typer

from skitter.cli.hosts import as_table
from skitter.cli.operator import HostArgument, instruct
from skitter.cli.options import DirectoryArgument, JsonOption
from skitter.cli.say import say
from skitter.errors import OperatorError
from skitter.inspection.folder import Folder
from skitter.inspection.judged import JudgedHost, judged_host
from skitter.inspection.meant import known_host
from skitter.inspection.thoughts import in_words
from skitter.ports import Refuse

RefuseOption = Annotated[
    str | None, typer.Option("--refuse", metavar="NAME", help="Do not use what was learnt about this piece of URLs.")
]
AllowOption = Annotated[str | None, typer.Option("--allow", metavar="NAME", help="Use it again.")]


def host(
    directory: DirectoryArgument,
    host: HostArgument,
    refuse: RefuseOption = None,
    allow: AllowOption = None,
    json: JsonOption = False,
) -> None:
    """Show what is thought of a host: its traps, what of its URLs makes no difference, whose mirror it is."""
    now = time.time()
    with Folder(directory) as folder:
        found = judged_host(folder, known_host(folder, host), now)
        is_running = folder.running is not None
    assert found is not None, "it was known a moment ago"
    name = refuse or allow
    if name is not None:
        _instruct(directory, found, name, is_refused=refuse is not None)
    elif json:
        say(msgspec.json.encode(found))
    else:
        say("\n".join([as_table([found.host], now, limit=1, is_running=is_running), *in_words(found, now)]))


def _instruct(directory: DirectoryArgument, found: JudgedHost, name: str, *, is_refused: bool) -> None:
    if found.mirror is not None and found.mirror.original == name:
        told = f"is {'not ' if is_refused else ''}taken for another name of {name}"
    elif any(rule.name == name for rule in found.rules):
        told = f"keeps `{name}` in its URLs" if is_refused else f"may be asked without `{name}`"
    else:
        raise OperatorError("NAME", name, f"is none of {_names(found)}")
    instruct(directory, found.host.host, lambda host: Refuse(host, name, is_refused), told, anyway=False)


def _names(found: JudgedHost) -> str:
    names = [rule.name for rule in found.rules] + ([] if found.mirror is None else [found.mirror.original])
    return ", ".join(names) or "the rules of this host: it has none"
