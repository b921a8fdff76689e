"""How much of what a page says was said before, by samples of shingles alone. Pure.

The sample of many pages together is made of theirs: the smallest hashes of all that they say, up to the place from
which on one of them is not known in full. What a page has beyond that place can't be told. The more was seen, the
fewer hashes of one page count: an estimate of one page is rough then, a sum over many is not.

The last hash of a union is that place. A union of pages so short that all is known of them ends with `END`.
"""

from __future__ import annotations

from skitter.parse.shingles import SAMPLE

SEEN = 256
"""Hashes kept of many pages."""
END = b"\xff\xff\xff\xff"

_SIZE = 4


def united(seen: bytes, sample: bytes) -> bytes:
    """Returns the union of what was seen before (at first nothing) and what one page more says."""
    hashes = _known(sample)
    last = min(seen[-_SIZE:] or END, hashes[-1])
    new = [one for one in hashes if one <= last and not _has(seen, one)]
    if not new and seen.endswith(last):
        return seen
    return b"".join(sorted([*new, *(one for one in _hashes(seen) if one <= last)])[:SEEN])


def compared(sample: bytes, seen: bytes) -> tuple[int, int]:
    """Returns how many hashes of a page are new, of how many that can be told."""
    told = [one for one in _hashes(sample) if one <= seen[-_SIZE:]]
    return sum(not _has(seen, one) for one in told), len(told)


def novelty(sample: bytes, seen: bytes) -> float:
    """Returns an estimate of the share of what a page says that is new; all of it, if nothing can be told."""
    new, told = compared(sample, seen)
    return new / told if told else 1.0


def _known(sample: bytes) -> list[bytes]:
    """Returns the hashes of a page, the last one being where what is known of it ends."""
    hashes = _hashes(sample)
    return hashes if len(hashes) >= SAMPLE else [*hashes, END]


def _hashes(sample: bytes) -> list[bytes]:
    return [sample[at : at + _SIZE] for at in range(0, len(sample), _SIZE)]


def _has(seen: bytes, one: bytes) -> bool:
    at = seen.find(one)
    while at > 0 and at % _SIZE:  # the end of one and the beginning of the next
        at = seen.find(one, at + 1)
    return at >= 0
