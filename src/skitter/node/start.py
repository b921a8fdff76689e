"""What a node is started with: one line of JSON on its standard input."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from skitter.settings import Settings


class NodeStart(Struct, frozen=True):
    """Which node to be, for which crawl."""

    directory: str
    number: int
    nodes: int
    settings: Settings
    seeds: Sequence[str]  # for the scope
    budget: int | None = None
