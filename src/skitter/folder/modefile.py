"""The mode of a crawl, in its folder: what the operator set, and what rules made of it. Each file has one writer.

DIR/mode.json        {"mode": 2, "at": …}                   the operator: `skitter mode`
DIR/mode-rule.json   {"mode": 1, "why": "the disk has …"}   the supervisor
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from skitter.errors import MachineError
from skitter.folder.atomic import keep_whole
from skitter.schedule.modes import Mode, Standing

OPERATOR, RULE = "mode.json", "mode-rule.json"


class ModeFile(Struct, frozen=True):
    """What either file holds."""

    mode: Mode = Mode.AS_SET
    at: float = 0.0
    why: str = ""


def set_mode(directory: Path, mode: Mode, now: float) -> None:
    """Returns when what the operator wants is safe on disk."""
    keep_whole(directory / OPERATOR, msgspec.json.encode(ModeFile(mode, now)))


def keep_rule(directory: Path, standing: Standing, now: float) -> None:
    """Returns when what rules made of it is safe on disk."""
    keep_whole(directory / RULE, msgspec.json.encode(ModeFile(standing.rule, now, standing.why)))


def read_mode(directory: Path) -> Standing:
    """Returns the mode of a crawl. MachineError if it can't be read."""
    operator, rule = _read(directory / OPERATOR), _read(directory / RULE)
    return Standing(operator.mode, rule.mode, rule.why)


def _read(file: Path) -> ModeFile:
    try:
        return msgspec.json.decode(file.read_bytes(), type=ModeFile)
    except FileNotFoundError:
        return ModeFile()
    except (OSError, ValueError) as error:
        remedy = "Remove that file, and set the mode again: skitter mode DIR N."
        raise MachineError(f"the mode can't be read ({error})", str(file), remedy) from error
