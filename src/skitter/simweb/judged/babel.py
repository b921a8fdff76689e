"""Text of other makes than `prose`: what a Markov chain says, and what has no spaces between its words."""

from __future__ import annotations

from functools import lru_cache

from skitter.simweb.draw import draws
from skitter.simweb.judged.prose import Prose

BOOK = 1500
"""Words of the text that a chain was made from."""
GLYPHS, FIRST_GLYPH = 900, 0x4E00
STOP = "\N{IDEOGRAPHIC FULL STOP}"


@lru_cache(64)
def _followers(prose: Prose) -> dict[str, list[str]]:
    book = prose.words(BOOK, "book")
    found: dict[str, list[str]] = {}
    for one, following in zip(book, [*book[1:], book[0]], strict=True):
        found.setdefault(one, []).append(following)
    return found


def chained(prose: Prose, count: int, *key: object) -> str:
    """Returns what a chain says that has read one text: each word follows the one before it there."""
    followers = _followers(prose)
    first, *dice = draws(count, "chained", *key)
    words = [list(followers)[first % len(followers)]]
    for die in dice:
        words.append(followers[words[-1]][die % len(followers[words[-1]])])
    return f"{' '.join(words).capitalize()}."


def glyphs(count: int, *key: object) -> str:
    """Returns sentences of signs that stand for words, without a space."""
    dice = draws(count, "glyphs", *key)
    signs = [chr(FIRST_GLYPH + int(GLYPHS ** (die % 4096 / 4096)) * 7) + STOP * (die % 17 == 0) for die in dice]
    return "".join(signs)
