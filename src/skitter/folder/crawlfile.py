"""DIR/crawl.json: the seeds of a crawl, and when it began."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from skitter.errors import MachineError, OperatorError

VERSION = 4
"""1: shards held hosts, not whole domains. 2: hosts waited one by one, not by their domains."""

CRAWL_FILE = "crawl.json"


class CrawlFile(Struct, frozen=True):
    """What DIR/crawl.json holds."""

    version: int
    created: float
    seeds: Sequence[str]


def read_crawl(directory: Path) -> CrawlFile:
    """Returns what is known of the crawl in `directory`."""
    file = directory / CRAWL_FILE
    try:
        crawl = msgspec.json.decode(file.read_bytes(), type=CrawlFile)
    except FileNotFoundError:
        raise OperatorError("DIR", str(directory), "is not the folder of a crawl: it has no crawl.json") from None
    except (OSError, ValueError) as error:
        raise MachineError("crawl.json can't be read", f"{file} ({error})", "Restore it from a copy.") from None
    if crawl.version < VERSION:
        right = (
            "was written by an older Skitter, whose frontier is laid out otherwise: finish it with that version, or "
            "start anew in another folder with the same seeds; `skitter audit`, `skitter.read` and replay still read "
            "its archive"
        )
        raise OperatorError("DIR", str(directory), right)
    if crawl.version != VERSION:
        raise OperatorError("DIR", str(directory), f"was written by another version of Skitter ({crawl.version})")
    return crawl


def settings_file(directory: Path) -> Path | None:
    """Returns the file with the settings of an earlier run, if there was one."""
    file = directory / "skitter.toml"
    return file if file.exists() else None
