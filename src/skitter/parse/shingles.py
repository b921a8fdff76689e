"""What a text says in a form that can be compared: hashes of its words, four and five in a row.

A *word* is what stands between spaces and signs, in lower case as far as it is ASCII; a character of a script that has
no spaces is a word of its own. All other letters count as they are, so that no version of Unicode can change a hash:
they are on disks, see `docs/formats/said.md`. A *shingle* is some words in a row. The *SimHash* has the bits that are
set in more than half of the hashes of all shingles of four. The *sample* has the smallest hashes of all shingles of
five: as good as drawn by lot, but alike for texts that are alike, and that of a union can be made of samples alone.

The kernel makes the same (`tests/parse/test_shingles.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from heapq import nsmallest
from typing import TypeAlias

import xxhash

from skitter.kernel import IS_NATIVE
from skitter.messages import Said

if IS_NATIVE:
    from skitter import _native

Hashes: TypeAlias = tuple[int, int, bytes]
"""Words of a text, its SimHash and its sample."""

SAMPLE = 64
"""Hashes kept of a text."""
MAX_SAID = 262_144
"""Characters of a page's main text that are hashed."""
MAX_BRIEF = 1000
"""Characters of a text that is kept as it is."""

GAPS = (
    "\\x80-\\xa9\\xab-\\xb4\\xb6-\\xb9\\xbb-\\xbf\\xd7\\xf7\\u060c\\u061b\\u061f\\u06d4\\u0964\\u0965\\u2000-\\u2bff"
    "\\u2e00-\\u2e7f\\u3000-\\u303f\\ue000-\\uf8ff\\ufe10-\\ufe1f\\ufe30-\\ufe6f\\uff00-\\uff0f\\uff1a-\\uff20"
    "\\uff3b-\\uff40\\uff5b-\\uff65\\uffe0-\\uffff\\U0001f000-\\U0001faff"
)
"""Signs and spaces beyond ASCII, as in a regular expression."""
ALONE = (
    "\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u2e80-\\u2fff\\u3040-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff"
    "\\uf900-\\ufaff\\uff66-\\uff9f\\U00020000-\\U0003ffff"
)
"""Scripts without spaces: Thai, Lao, Burmese, Khmer, Chinese, Japanese."""

_WORD = f"[{ALONE}]|[^\\x00-/:-@\\[-^`{{-\\x7f{GAPS}{ALONE}]+"
_ALL = 2**64 - 1
_FACTOR = 0x9E3779B97F4A7C15
_ONE = (1).to_bytes(8, "big")


def said_of(text: str) -> Said:
    """Returns what a text says."""
    written = text.encode("utf-8", "replace")
    words, simhash, sample = _native.said(written) if IS_NATIVE else hashes(written)
    return Said(words, simhash, sample, brief_of(text))


def brief_of(text: str) -> str:
    """Returns a text that is short, nothing of one that is not."""
    return text if len(text) <= MAX_BRIEF else ""


def hashes(written: bytes) -> Hashes:
    """Returns the number of words in a text in UTF-8, its SimHash and its sample."""
    words = [xxhash.xxh3_64_intdigest(word) for word in map(str.encode, re.findall(_WORD, written.lower().decode()))]
    simhash = _majority(_shingles(words, 4))
    smallest = nsmallest(SAMPLE, {shingle >> 32 for shingle in _shingles(words, 5)})
    return len(words), simhash, b"".join([number.to_bytes(4, "big") for number in smallest])


def _shingles(words: Sequence[int], length: int) -> list[int]:
    """Returns the hash of each shingle; a text of fewer words is one."""
    folded = [0] * len(words)
    for ahead in range(min(length, len(words))):
        folded = [(before * _FACTOR + word) & _ALL for before, word in zip(folded, words[ahead:], strict=False)]
    return [_mixed(number) for number in folded]


def _mixed(number: int) -> int:
    """Returns what XXH3 does last to a hash."""
    number = ((number ^ number >> 37) * 0x165667919E3779F9) & _ALL
    return number ^ number >> 32


def _majority(numbers: Sequence[int]) -> int:
    """Returns the bits that are set in more than half, counted in all numbers at once."""
    joined = int.from_bytes(b"".join([number.to_bytes(8, "big") for number in numbers]), "big")
    lowest = int.from_bytes(_ONE * len(numbers), "big")
    return sum(1 << bit for bit in range(64) if 2 * (joined >> bit & lowest).bit_count() > len(numbers))
