"""The frame of a site: what nearly all of its pages say. Pure.

Old templates mark nothing as navigation: a column of text and a long last line are on every page, and taken for what it
says. Then short pages that differ are alike, and a page and its version for print are not. A host has many pages,
and so it can be told: what a third of them say is the frame, and pages are compared without it.

Only samples are counted (`parse.shingles`), so a frame is told by the few hashes of it that are the smallest of a page:
just those that would be in the way when pages are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import unpack

from msgspec import Struct

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
    counts: dict[int, int] = {}
    common: tuple[int, ...] = ()  # the hashes of the frame


NO_FRAME = Frame()


def with_page(frame: Frame, sample: bytes) -> Frame:
    """Returns the frame after one more page, which says what no other one says to the letter."""
    pages, counts = frame.pages + 1, dict(frame.counts)
    for number in unpack(f">{len(sample) // 4}I", sample):
        counts[number] = counts.get(number, 0) + 1
    if len(counts) > MOST_HASHES:
        counts = _frequent(counts, pages)
    if pages >= FADES:
        pages, counts = pages // 2, {number: count // 2 for number, count in counts.items() if count > 1}
    common = frame.common if pages % LEARNT_EVERY else _common(counts, pages)
    return Frame(pages, counts, common)


def _frequent(counts: dict[int, int], pages: int) -> dict[int, int]:
    """Returns the counts that may come to be of the frame, and as many of the last ones as there is room for."""
    least = max(2, pages // 4)
    kept = {number: count for number, count in counts.items() if count >= least}
    return dict(list(kept.items())[-MOST_HASHES // 2 :])


def _common(counts: dict[int, int], pages: int) -> tuple[int, ...]:
    if pages < ENOUGH:
        return ()
    return tuple(number for number, count in counts.items() if count > SHARE * pages)


def without(hashes: Sequence[int], common: Sequence[int]) -> Sequence[int]:
    """Returns the hashes of a sample that are not of the frame."""
    if not common:
        return hashes
    of_frame = set(common)
    return [number for number in hashes if number not in of_frame]
