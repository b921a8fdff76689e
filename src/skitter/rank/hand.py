"""Handing what domains are worth to the nodes that own them: as instructions, carried out whenever the crawl runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path

from skitter.folder import inbox
from skitter.ports import Ranks
from skitter.rank.published import Rank, ranks_of

DOMAINS_AT_A_TIME = 1000
"""Domains in one instruction: a node takes some 20 ms for it, and a second between two of them."""


def hand_on(directory: Path, path: Path, shards: int) -> int:
    """Returns how many domains were handed on, when all instructions are safe on disk."""
    domains = (rank for rank in ranks_of(path, range(shards)) if rank.kind == "domain")
    handed = 0
    for shard, ranks in groupby(domains, attrgetter("shard")):
        while some := list(islice(ranks, DOMAINS_AT_A_TIME)):
            inbox.post(directory, shard, Ranks(list(_worths(some))))
            handed += len(some)
    return handed


def _worths(ranks: list[Rank]) -> Iterator[tuple[str, float]]:
    for rank in ranks:
        yield rank.domain, round(rank.worth, 4)
