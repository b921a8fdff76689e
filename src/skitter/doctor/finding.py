"""What a look at one thing found. Pure."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Level(StrEnum):
    """How it is. `BAD`: a crawl as it is set up would fail, or must not begin."""

    GOOD = "good"
    POOR = "poor"
    BAD = "bad"


class Finding(Struct, frozen=True):
    """One line: what was looked at, how it is, and what to do."""

    what: str
    level: Level
    said: str
    do: str = ""
