"""What the operator wants of a crawl as a whole, as files, for the supervisor: safe on disk before anyone acts.

    DIR/inbox/crawl/TIME-PROCESS-SERIAL.json     {"do": "settings", "set": {"politeness.delay": 2.0}}

What concerns a host or a domain goes to its shard, see `folder.inbox`. Doing one twice is harmless.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from skitter.errors import MachineError
from skitter.folder.atomic import write_whole

_serial = itertools.count()


class SetSettings(Struct, frozen=True, tag="settings", tag_field="do"):
    """Go on with other settings, by key, of those that can change at run time."""

    set: Mapping[str, object]


Order = SetSettings
_decoder = msgspec.json.Decoder(Order)


def post_order(directory: Path, order: Order) -> None:
    """Returns when `order` is safe on disk."""
    folder = directory / "inbox" / "crawl"
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{time.time_ns():020d}-{os.getpid()}-{next(_serial)}"
    write_whole(folder / f"{name}.json", msgspec.json.encode(order))


def pending_orders(directory: Path) -> list[Path]:
    """Returns the files of the orders, oldest first: each is to be removed when it is carried out."""
    return sorted((directory / "inbox" / "crawl").glob("[!.]*.json"))


def read_order(file: Path) -> Order:
    """Returns what is ordered. MachineError if it can't be read."""
    try:
        return _decoder.decode(file.read_bytes())
    except (OSError, ValueError) as error:
        remedy = "Say once more what you want."
        raise MachineError(f"an order can't be read ({error})", str(file), remedy) from error
