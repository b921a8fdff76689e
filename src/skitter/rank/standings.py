"""The best and the worst of all ranks, and how worth is spread over them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappush, heappushpop

from msgspec import Struct

from skitter.rank.published import Rank

SHOWN = 10
BINS = 20


class Standings(Struct, frozen=True):
    """Domains at both ends, and of each kind how many are in each twentieth of worth."""

    best: Sequence[Rank]  # domains, the best first
    worst: Sequence[Rank]  # domains, the worst first
    spread: dict[str, list[int]]  # by kind


def standings(ranks: Iterable[Rank], shown: int = SHOWN) -> Standings:
    """Returns how all of `ranks` stand; of those that are worth the same, the one that comes first in the alphabet."""
    best: list[tuple[_Backwards, Rank]] = []
    worst: list[tuple[_Backwards, Rank]] = []
    spread: dict[str, list[int]] = {}
    for rank in ranks:
        spread.setdefault(rank.kind, [0] * BINS)[min(BINS - 1, int(rank.worth * BINS))] += 1
        if rank.kind == "domain":
            _keep(best, _Backwards((-rank.worth, rank.name)), rank, shown)
            _keep(worst, _Backwards((rank.worth, rank.name)), rank, shown)
    return Standings(_in_order(best), _in_order(worst), spread)


class _Backwards(Struct, frozen=True):
    """A key that orders the other way, so that the least of a heap is the first to go."""

    key: tuple[float, str]

    def __lt__(self, other: _Backwards) -> bool:
        return other.key < self.key


def _keep(heap: list[tuple[_Backwards, Rank]], key: _Backwards, rank: Rank, shown: int) -> None:
    if len(heap) < shown:
        heappush(heap, (key, rank))
    else:
        heappushpop(heap, (key, rank))


def _in_order(heap: list[tuple[_Backwards, Rank]]) -> list[Rank]:
    return [rank for _, rank in sorted(heap, reverse=True)]
