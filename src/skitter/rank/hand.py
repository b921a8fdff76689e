"""Handing what was found of domains and hosts to the nodes that own them: as instructions, carried out whenever the
crawl runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path

from skitter.folder import inbox
from skitter.ports import HostRank, Ranks
from skitter.rank.published import Rank, ranks_of

AT_A_TIME = 1000
"""Domains and hosts in one instruction: a node takes some 20 ms for it, and a second between two of them."""


def hand_on(directory: Path, path: Path, shards: int) -> int:
    """Returns how many domains and hosts were handed on, when all instructions are safe on disk."""
    told = (rank for rank in ranks_of(path, range(shards)) if rank.kind == "domain" or rank.pages)
    handed = 0
    for shard, ranks in groupby(told, attrgetter("shard")):
        while some := list(islice(ranks, AT_A_TIME)):
            inbox.post(directory, shard, Ranks(list(_worths(some)), list(_hosts(some))))
            handed += len(some)
    return handed


def _worths(ranks: list[Rank]) -> Iterator[tuple[str, float]]:
    for rank in ranks:
        if rank.kind == "domain":
            yield rank.domain, round(rank.worth, 4)


def _hosts(ranks: list[Rank]) -> Iterator[HostRank]:
    """Yields hosts of which any page was fetched: of the others nothing but links is known."""
    for rank in ranks:
        if rank.kind == "host":
            paths = rank.same_paths or 0, rank.other_paths or 0
            yield HostRank(rank.name, round(rank.worth, 4), rank.mirrored_at or "", *paths)
