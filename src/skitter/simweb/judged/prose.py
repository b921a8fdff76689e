"""Text as sites have it: some thousand words of which few are frequent, sentences, and a subject for each page.

The words are made, but for those that every English text has, so that no list of ours can know them.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

from skitter.simweb.draw import draws

_COMMON = (
    "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which "
    "one you were her all she there would their we him been has when who will more no if out so said what up its about "
    "into than them can only other new some could time these two may then do first any my now such like our over me "
    "even most made after also did many before must through back years where much your way well down should because"
)
COMMON = tuple(_COMMON.split())
_ONSETS = ("b", "br", "c", "cl", "d", "f", "g", "gr", "h", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "tr", "v")
_MIDDLES = ("a", "e", "i", "o", "u", "ea", "ai", "ou")
_ENDS = ("n", "r", "l", "st", "nd", "t", "m", "ck", "ring", "ter", "ly", "tion")
VOCABULARY = 4000
TABLE = 2048
SUBJECT = 24
"""Words that a page comes back to."""


@lru_cache(maxsize=1)
def _made() -> tuple[str, ...]:
    heads = ["".join(pair) for pair in product(_ONSETS, _MIDDLES)]
    dice = draws(4 * VOCABULARY, "vocabulary")
    words = [
        heads[one % len(heads)]
        + (_ENDS[two % len(_ENDS)] if three % 3 else heads[two % len(heads)] + _ENDS[four % len(_ENDS)])
        for one, two, three, four in zip(*(dice[at::4] for at in range(4)), strict=True)
    ]
    return tuple(dict.fromkeys(words))


class Prose:
    """How one site writes: which words it likes is its own."""

    def __init__(self, *key: object) -> None:
        self._key = key
        shift, *dice = draws(1 + TABLE, *key, "prose")
        made = _made()
        size = len(made)
        # Every third word is one that all texts share; the others fall off with their rank, as in any language.
        self._table = [
            COMMON[die % len(COMMON) * (die >> 8) % 97 % len(COMMON)]
            if die % 3 == 0
            else made[(shift + int(size ** ((die >> 4) % 4096 / 4096))) % size]
            for die in dice
        ]
        self._rare = made

    def words(self, count: int, *key: object) -> list[str]:
        """Returns words on the subject of `key`."""
        first, *dice = draws(1 + count, *self._key, *key)
        table, rare, size = self._table, self._rare, len(self._rare)
        return [
            rare[(first + die % SUBJECT * 31) % size] if die >> 29 == 0 else table[die >> 5 & TABLE - 1] for die in dice
        ]

    def word(self, *key: object) -> str:
        """Returns a rare word."""
        return self._rare[draws(1, *self._key, "word", *key)[0] % len(self._rare)]

    def distinct(self, count: int, *key: object) -> list[str]:
        """Returns rare words, no two of them the same."""
        found: dict[str, None] = {}
        number = 0
        while len(found) < count:
            found[self.word(*key, number)] = None
            number += 1
        return list(found)

    def title(self, *key: object) -> str:
        """Returns a title of three to five rare words."""
        dice = draws(6, *self._key, "title", *key)
        return " ".join(self._rare[die % len(self._rare)] for die in dice[: 3 + dice[5] % 3]).capitalize()

    def text(self, count: int, *key: object) -> str:
        """Returns sentences of about `count` words in all."""
        words, sentences, at = self.words(count, *key), [], 0
        while at < len(words):
            size = 6 + len(words[at]) * 7 % 13
            sentences.append(" ".join(words[at : at + size]).capitalize())
            at += size
        return ". ".join(sentences) + "."

    def paragraphs(self, count: int, *key: object) -> str:
        """Returns the same as HTML, in paragraphs."""
        sizes = [min(70, count - at) for at in range(0, count, 70)]
        return "".join(f"<p>{self.text(size, *key, part)}</p>\n" for part, size in enumerate(sizes))

    def slug(self, *key: object) -> str:
        """Returns a title as URLs have it."""
        return self.title(*key).lower().replace(" ", "-")
