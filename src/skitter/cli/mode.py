"""`skitter mode`: how much of a crawl goes on, from all of it to none."""

from __future__ import annotations

import time
from typing import Annotated

import msgspec
import typer

from skitter.cli.options import DirectoryArgument, JsonOption
from skitter.cli.say import say
from skitter.errors import OperatorError
from skitter.folder.modefile import read_mode, set_mode
from skitter.inspection.folder import Folder
from skitter.inspection.meant import from_when
from skitter.schedule.modes import WAYS, Mode

ModeArgument = Annotated[
    int | None,
    typer.Argument(metavar="0-4", help="; ".join(f"{mode:d} {WAYS[mode].words}" for mode in Mode), show_default=False),
]


def mode(directory: DirectoryArgument, number: ModeArgument = None, json: JsonOption = False) -> None:
    """Do less, or all again: 1 gently, 2 known pages only, 3 fetch nothing, 4 stop; without a number, show the mode.

    It is kept over restarts. Rules (`modes` in the settings) may raise it above what you set, never lower it.
    """
    if number is not None and number not in list(Mode):
        raise OperatorError("MODE", number, f"must be 0 to {len(Mode) - 1}")
    with Folder(directory) as folder:
        if number is not None:
            set_mode(directory, Mode(number), time.time())
        standing, told = read_mode(directory), from_when(folder)
    if json:
        found = {"mode": standing.mode, "operator": standing.operator, "rule": standing.rule, "why": standing.why}
        say(msgspec.json.encode(found).decode())
    else:
        say(f"Mode {standing.words()}.{f' {told}' if number is not None else ''}")
