"""Which hosts are copies of others, by what their pages say. Pure; the kernel does the same.

Two pages are near if their SimHashes differ in three bits at the most; where there is none, if their bytes are equal.
Of 64 bits in six blocks, three blocks at least are then the same: for each choice of three, pages are put in order by
those bits, and only neighbours are compared (Manku et al. 2007). A host most of whose pages are near to pages of
another, which is better supported, is a mirror of that one. While less was seen of the other than of the mirror, few of
the mirror's pages can have a copy there: then it counts whether most of the other's are on the mirror.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from skitter.rank.survey.content import Page

BITS = 3
BLOCKS = (11, 11, 11, 11, 10, 10)
NEIGHBOURS = 64
"""Others that a page is compared with in each order: so the time stays linear where thousands say nearly the same."""

MOST_OF = 0.6
FEWEST = 3
"""Pages with a copy elsewhere that make a mirror."""
ENOUGH = 10
"""Pages that make one if it is told by most of the other's: sites share a few pages that are no mirrors."""


def masks() -> list[int]:
    """Returns the bits of each choice of three blocks."""
    blocks, at = [], 0
    for size in BLOCKS:
        blocks.append((1 << size) - 1 << at)
        at += size
    return [one | two | three for one, two, three in combinations(blocks, 3)]


def near(values: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yields the places of values that are within three bits, some pairs more than once."""
    for mask in masks():
        ordered = sorted((value & mask, value, place) for place, value in enumerate(values))
        for at, (key, value, place) in enumerate(ordered):
            for other_key, other, other_place in ordered[at + 1 : at + 1 + NEIGHBOURS]:
                if other_key != key:
                    break
                if (value ^ other).bit_count() <= BITS:
                    yield place, other_place


def mirrors(pages: Sequence[Page], standing: Sequence[int]) -> dict[int, int]:
    """Returns the hosts that are mirrors, each with what it is a mirror of. The best of `standing` is the original."""
    texts = [page.simhash or page.digest for page in pages]
    best: dict[int | str, int] = {}
    for page, text in zip(pages, texts, strict=True):
        if text:
            best[text] = _better(best.get(text, page.host), page.host, standing)
    simhashes = sorted(text for text in best if isinstance(text, int))
    original = dict(best)
    for one, other in near(simhashes):
        a, b = simhashes[one], simhashes[other]
        original[a] = _better(original[a], best[b], standing)
        original[b] = _better(original[b], best[a], standing)
    found = ((page.host, original[text]) for page, text in zip(pages, texts, strict=True) if text)
    return dict(_most(found))


def _better(one: int, other: int, standing: Sequence[int]) -> int:
    return one if standing[one] >= standing[other] else other


def _most(found: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    pairs = Counter(found)
    pages: Counter[int] = Counter()
    for (host, _), many in pairs.items():
        pages[host] += many
    for (host, original), many in sorted(pairs.items()):
        of_mine, of_its = MOST_OF * pages[host], MOST_OF * pages[original]
        if original != host and (many >= max(FEWEST, of_mine) or many >= max(ENOUGH, of_its)):
            yield host, original
