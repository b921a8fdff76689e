"""The frame of a site: what nearly all of its pages say. Pure.

Old templates mark nothing as navigation: a column of text and a long last line are on every page, and taken for what it
says. Then short pages that differ are alike, and a page and its version for print are not. A host has many pages,
and so it can be told: what a third of them say is the frame, and pages are compared without it.

Only samples are counted (`parse.shingles`), so a frame is told by the few hashes of it that are the smallest of a page:
just those that would be in the way when pages are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import iter_unpack, pack

from msgspec import Struct

from skitter.kernel import IS_NATIVE

if IS_NATIVE:
    from skitter import _native

ENOUGH = 12
"""Pages before anything counts as the frame."""
SHARE = 0.35
"""Of the pages of a host, so many have what is of its frame: half of them may be versions for print without one."""
LEARNT_EVERY = 4
"""Pages between two looks at what the frame is."""
MOST_HASHES = 256
"""Hashes that are counted; those that few pages have make room."""
FADES = 64
"""Pages after which what was counted counts half: sites get new clothes."""


class Frame(Struct, frozen=True, array_like=True):
    """What is remembered of what the pages of a host have in common."""

    pages: int = 0
    counts: bytes = b""  # hashes and on how many pages each was, five bytes, in the order in which they came
    common: tuple[int, ...] = ()  # the hashes of the frame


NO_FRAME = Frame()
_ENTRY = ">IB"


def with_page(frame: Frame, sample: bytes) -> Frame:
    """Returns the frame after one more page, which says what no other one says to the letter."""
    pages = frame.pages + 1
    counts = _count_page(frame.counts, sample, MOST_HASHES, max(2, pages // 4))
    if pages >= FADES:
        pages, counts = pages // 2, b"".join(_halved(counts))
    return Frame(pages, counts, frame.common if pages % LEARNT_EVERY else _common(counts, pages))


def _halved(counts: bytes) -> Iterator[bytes]:
    for number, count in iter_unpack(_ENTRY, counts):
        if count > 1:
            yield pack(_ENTRY, number, count // 2)


def _common(counts: bytes, pages: int) -> tuple[int, ...]:
    return _frequent(counts, int(SHARE * pages)) if pages >= ENOUGH else ()


def count_page_by_python(counts: bytes, sample: bytes, most: int, least: int) -> bytes:
    """Returns the counts after one more page.

    Of more than `most` hashes those are kept that `least` pages have, and of these the last half of `most`.
    """
    after: dict[int, int] = dict(iter_unpack(_ENTRY, counts))
    for (number,) in iter_unpack(">I", sample):
        after[number] = min(255, after.get(number, 0) + 1)
    if len(after) > most:
        kept = {number: count for number, count in after.items() if count >= least}
        after = dict(list(kept.items())[-(most // 2) :])
    return b"".join(pack(_ENTRY, number, count) for number, count in after.items())


def frequent_by_python(counts: bytes, pages: int) -> tuple[int, ...]:
    """Returns the hashes that more pages have than so many."""
    return tuple(number for number, count in iter_unpack(_ENTRY, counts) if count > pages)


_count_page = _native.count_page if IS_NATIVE else count_page_by_python
_frequent = _native.frequent if IS_NATIVE else frequent_by_python


def without(hashes: Sequence[int], common: Sequence[int]) -> Sequence[int]:
    """Returns the hashes of a sample that are not of the frame."""
    if not common:
        return hashes
    of_frame = set(common)
    return [number for number in hashes if number not in of_frame]
