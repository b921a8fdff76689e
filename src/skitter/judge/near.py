"""Which pages of a site say the same, but for a little. Pure: what is remembered comes in, a judgement goes out.

A cheap index finds candidates, a second look decides. Of a page, a *signature* is remembered: its words, its SimHash
and the sample of its shingles (`parse.shingles`). It is looked up under a few *bands*: hashes of some of the smallest
shingles, each the smallest of a class of its own, so that two pages share one with a chance that rises steeply with
what they have in common; and one of the whole sample, for the many that say exactly the same. Whoever is found there is
compared with the page itself.

A page is only ever compared with *representatives*: pages that were near to none before them. One that is near to a
representative is not remembered, or else a chain of small steps would lead away from what the first one says.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack, unpack, unpack_from

from xxhash import xxh3_64_digest

from skitter.judge.frame import NO_FRAME, with_page, without
from skitter.kernel import IS_NATIVE
from skitter.messages import Said
from skitter.parse.shingles import SAMPLE

if IS_NATIVE:
    from skitter import _native

LEAST_WORDS = 30
"""A page of fewer words says too little to be told from others by them: a picture and its name."""
LIKENESS = 0.82
"""Of the shingles of two near pages together, so many are in both. Versions of a page that were hardly changed have 0.9
and more, the pages of a family of small classes up to 0.75."""
FEWEST = 0.75
"""Of two near pages, the shorter has at least so much of the words of the longer one."""
MOST_BITS = 20
"""Bits in which the SimHashes of near pages differ, at the most: it is asked first, since it takes no time."""
BANDS, ROWS = 5, 4
"""Bands beside the one for all, and shingles in each: pages that have 0.9 in common share one with a chance of 0.995,
0.97 of them 0.99998, and pages that have half in common 0.28."""
LEAST_OWN = 4
"""Hashes that a page must have beside the frame of its host before it is compared by them."""
MOST_PAGES = 8
"""Representatives remembered under a band. Where there are more, the band tells nothing."""

_VERSION = 1
_HEAD = ">BIQ"
_SAMPLE_AT = 13
_ALL = 2**32


def is_told_by_words(said: Said) -> bool:
    """Whether a page says enough to be told from others by it."""
    return said.words >= LEAST_WORDS


def signature_of(said: Said) -> bytes:
    """Returns what is remembered of a page; nothing of one that says too little."""
    if said.words < LEAST_WORDS:
        return b""
    return pack(_HEAD, _VERSION, min(said.words, _ALL - 1), said.simhash) + said.sample


def bands(signature: bytes, common: Sequence[int] = (), prefix: bytes = b"") -> list[bytes]:
    """Returns the keys that a page is remembered and looked up under, at most six, of eight bytes after a prefix.

    `common` is the frame of its host, see `judge.frame`: what all of its pages say tells none of them.
    """
    return _bands(prefix, signature[_SAMPLE_AT:], common) if signature else []


def bands_by_python(prefix: bytes, sample: bytes, common: Sequence[int]) -> list[bytes]:
    """Returns the keys for a sample."""
    smallest: list[int] = [_ALL] * (BANDS * ROWS)
    for number in reversed(without(_hashes(sample), common)):  # the smallest comes last
        smallest[number % (BANDS * ROWS)] = number
    rows = [smallest[band::BANDS] for band in range(BANDS)]
    keys = [_key(band, pack(f">{ROWS}Q", *row)) for band, row in enumerate(rows) if min(row) < _ALL]
    return [prefix + key for key in (_key(BANDS, sample), *keys)]


_bands = _native.bands if IS_NATIVE else bands_by_python


def is_near(one: bytes, other: bytes, common: Sequence[int] = ()) -> bool:
    """Whether two pages say the same but for a little, by their signatures, the frame of their host aside."""
    if one == other or not (one and other):
        return bool(one)
    (_, words, simhash), (_, others, hashed) = unpack_from(_HEAD, one), unpack_from(_HEAD, other)
    if not common and (words < FEWEST * others or others < FEWEST * words):
        return False
    if not common and (simhash ^ hashed).bit_count() > MOST_BITS:
        return False
    mine, theirs = _compared(one, other, common)
    if common and min(len(mine), len(theirs)) < LEAST_OWN:
        return False
    return _likeness(mine, theirs) >= LIKENESS


def similarity(one: bytes, other: bytes, common: Sequence[int] = ()) -> float:
    """Returns an estimate of how much of what two pages say, together, both say: 0 to 1."""
    return _likeness(*_compared(one, other, common))


def containment(one: bytes, other: bytes) -> float:
    """Returns an estimate of how much of what the shorter of two pages says the longer one says too: 0 to 1."""
    mine, theirs = _compared(one, other, ())
    return len(mine & theirs) / (min(len(mine), len(theirs)) or 1)


def _compared(one: bytes, other: bytes, common: Sequence[int]) -> tuple[set[int], set[int]]:
    """Returns the hashes of two pages as far as both samples have all of them."""
    mine, theirs = _hashes(one[_SAMPLE_AT:]), _hashes(other[_SAMPLE_AT:])
    end = min(_end(mine, SAMPLE), _end(theirs, SAMPLE))
    own, others = without(mine, common), without(theirs, common)
    return {number for number in own if number < end}, {number for number in others if number < end}


def _likeness(mine: set[int], theirs: set[int]) -> float:
    return len(mine & theirs) / (len(mine | theirs) or 1)


class Representatives:
    """The pages of a site that are near to none before them, in memory. The time of a look-up does not grow."""

    def __init__(self) -> None:
        self._pages: dict[bytes, dict[int, bytes]] = {}
        self._frame = NO_FRAME

    def near(self, signature: bytes) -> int | None:
        """Returns the number of the representative that is most like a page, if any is near."""
        common = self._frame.common
        keys = bands(signature, common)
        found = {number: other for key in keys for number, other in self._pages.get(key, {}).items()}
        near = {number: other for number, other in found.items() if is_near(signature, other, common)}
        if signature and signature not in near.values():
            self._frame = with_page(self._frame, signature[_SAMPLE_AT:])
        return max(near, key=lambda number: similarity(signature, near[number], common)) if near else None

    def add(self, number: int, signature: bytes) -> None:
        """Remembers a page that is near to none."""
        for key in bands(signature, self._frame.common):
            pages = self._pages.setdefault(key, {})
            if len(pages) < MOST_PAGES:
                pages[number] = signature


def _key(band: int, row: bytes) -> bytes:
    return bytes([band]) + xxh3_64_digest(row)[1:]


def _hashes(sample: bytes) -> Sequence[int]:
    return unpack(f">{len(sample) // 4}I", sample)


def _end(hashes: Sequence[int], size: int) -> int:
    """Returns up to where a sample has all hashes of its text."""
    return hashes[-1] + 1 if len(hashes) >= size else _ALL
