"""`skitter host`: what is thought of one host, and how to have it otherwise."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Annotated

import msgspec
import typer

from skitter.cli.figures import counted, when
from skitter.cli.hosts import as_table
from skitter.cli.operator import HostArgument, instruct
from skitter.cli.options import DirectoryArgument, JsonOption
from skitter.cli.say import say
from skitter.errors import OperatorError
from skitter.inspection.folder import Folder
from skitter.inspection.judged import JudgedHost, judged_host
from skitter.inspection.meant import known_host
from skitter.ports import Refuse

RULES = {
    "used": "makes no difference",
    "learning": "may make no difference",
    "broken": "makes a difference now and then",
    "refused": "is not left out, as you said",
}

MIRRORS = {
    "used": "it is taken for another name of that host",
    "learning": "that is not sure enough yet",
    "broken": "but not all of them, so it is a host of its own",
    "refused": "it is a host of its own, as you said",
}

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


def in_words(found: JudgedHost, now: float) -> Iterable[str]:
    """Yields what is thought of a host, for people."""
    if found.host.worth is not None:
        yield f"By the nightly look it is worth {found.host.worth:.2f}, of 1 at the most."
    for closed in found.closed:
        yield f"{closed.corner} was closed as a trap {when(closed.closed_at, now)}: {closed.why}."
        yield f"  One URL of it is looked at again {when(closed.review_at, now)}."
    for rule in found.rules:
        yield f"The {rule.piece} `{rule.name}` {RULES[rule.standing]}: {counted(rule.agreed, 'page')} agreed."
    if (mirror := found.mirror) is not None:
        paths = counted(mirror.agreed, "path says", "paths say")
        yield f"It is a mirror of `{mirror.original}`, {paths} the same on both: {MIRRORS[mirror.standing]}."
    for suspect in found.suspects:
        yield f"{suspect.corner} comes after other pages: {suspect.why}."
    if found.is_flooding:
        yield "So many of its URLs were found today that no more are added: see `skitter review list`."
    if found.hub:
        yield f"It names a WebSub hub, which tells whoever asks there of what is new: {found.hub}"
    if not (found.closed or found.rules or found.mirror or found.suspects):
        yield "Nothing is held against it, and nothing was learnt about its URLs."


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
