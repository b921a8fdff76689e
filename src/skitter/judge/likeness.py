"""Whether two answers say the same, names that they echo aside. Pure.

An answer to a name that is not there often repeats that name, and puts a date, a number or other suggestions beside it.
So short texts are compared word by word, without what comes from either URL and without numbers; long ones by a sample.
"""

from __future__ import annotations

import re
from collections import Counter
from urllib.parse import unquote_plus

from msgspec import Struct

from skitter.judge.telltale import telltale_of
from skitter.kernel import IS_NATIVE
from skitter.messages import Said

if IS_NATIVE:
    from skitter import _native

SAME = 0.9
"""The share of their words that two short texts have in common, if they say the same."""
FEW = 2
"""Words that one of them has and the other has not: a day, a name. A page of three words may stand in a large frame."""
SAME_LONG = 0.8
"""The share of their shingles that two long ones have."""
RUN = 4
"""Words in a row, those that tell among them, that two short texts share if the rest is made up anew each time."""
OWN = 0.75
"""The share of a text that may be made up anew."""

_WORD = re.compile(r"\w+(?:'\w+)*")
_ESCAPES = frozenset({"amp", "lt", "gt", "quot"})
_TELLING = frozenset({"404", "410"})
"""The numbers that are no chance."""
_ESCAPES_LISTED, _TELLING_LISTED = [*_ESCAPES], [*_TELLING]


class Saying(Struct, frozen=True, array_like=True):
    """What an answer says."""

    title: str = ""
    brief: str = ""  # the main text itself, if it is short
    sample: bytes = b""  # of its shingles, if it is not
    words: int = 0
    sketch: bytes = b""
    links: bool = False  # whether it leads anywhere


NOTHING_SAID = Saying()
_LONGEST_TITLE = 400


def saying_of(title: str, said: Said, sketch: bytes | None, *, links: bool) -> Saying:
    """Returns what is kept of what an answer says."""
    sample = said.sample if not said.brief else b""  # one of the two is enough
    return Saying(_cut(title), said.brief, sample, said.words, sketch or b"", links)


def _cut(title: str) -> str:
    """Returns a title that is not too long: of whole words, for half of one is nobody's echo."""
    return title if len(title) <= _LONGEST_TITLE else title[:_LONGEST_TITLE].rpartition(" ")[0]


def is_nothing(saying: Saying) -> bool:
    """Whether nothing at all is said."""
    return not (saying.title or saying.brief or saying.words)


def is_short(saying: Saying) -> bool:
    """Whether all of the main text is at hand."""
    return bool(saying.brief) or not saying.words


def echoes_of(href: str) -> frozenset[str]:
    """Returns the words that an answer may have from the URL that was asked for, escaped once too often maybe."""
    return _ESCAPES.union(_words(unquote_plus(href.split("/", 3)[-1])))


def mark_of(title: str, brief: str, href: str) -> str:
    """Returns what a short answer says without what it may have from its URL: equal for answers that say the same."""
    tail = href.split("/", 3)[-1]
    found = _native.short_mark(title, brief, tail, _ESCAPES_LISTED, _TELLING_LISTED) if IS_NATIVE else None
    return mark_by_python(title, brief, href) if found is None else found


def mark_by_python(title: str, brief: str, href: str) -> str:
    """Does what `mark_of` does."""
    echoes = echoes_of(href)
    return f"{_in_order(title, echoes)}\n{_in_order(brief, echoes)}"


def _in_order(text: str, echoes: frozenset[str]) -> str:
    return " ".join(sorted(own_words(text, echoes)))


def adds_at_most(count: int, one: Saying, other: Saying) -> bool:
    """Whether a short text has at most so many words that another one has not."""
    return (Counter(_words(one.brief)) - Counter(_words(other.brief))).total() <= count


def alike(one: Saying, other: Saying, echoes: frozenset[str]) -> str:
    """Returns in which way two answers say the same, as words for `why`; empty if they do not.

    `echoes` are the words that either may have from its URL.
    """
    titles = [own_words(saying.title, echoes) for saying in (one, other)]
    if titles[0] == titles[1] and telltale_of(" ".join(titles[0])):
        return f"it is called “{one.title}”"
    if not (is_short(one) and is_short(other)):
        return _alike_long(one, other)
    return _alike_short(one, other, echoes) if _shared(*map(Counter, titles)) >= SAME else ""


def _alike_long(one: Saying, other: Saying) -> str:
    share = _sampled(one.sample, other.sample)
    return f"{share:.0%} of the text is the same" if share >= SAME_LONG else ""


def _alike_short(one: Saying, other: Saying, echoes: frozenset[str]) -> str:
    mine, theirs = own_words(one.brief, echoes), own_words(other.brief, echoes)
    if not mine and not theirs:
        return ""  # nothing is said, and nothing is what many pages say: pictures, lists of links, programs
    said, other_said = Counter(mine), Counter(theirs)
    share = _shared(said, other_said)
    if share >= SAME and (said - other_said).total() <= FEW >= (other_said - said).total():
        return f"{share:.0%} of the words are the same"
    return _alike_in_part(mine, theirs)


def _alike_in_part(mine: list[str], theirs: list[str]) -> str:
    """What changes with every request may be much of a short text; what tells stands in a row in both."""
    from difflib import SequenceMatcher  # here and not above: hardly a page needs it

    match = SequenceMatcher(a=mine, b=theirs, autojunk=False).find_longest_match()
    run = " ".join(mine[match.a : match.a + match.size])
    is_enough = match.size >= RUN and match.size >= (1 - OWN) * len(mine)
    return f"both say “{run}”" if is_enough and telltale_of(run) else ""


def _sampled(one: bytes, other: bytes) -> float:
    """Returns the share of all shingles of two texts that both have, by the smallest hashes of each."""
    mine, theirs = ({sample[at : at + 4] for at in range(0, len(sample), 4)} for sample in (one, other))
    smallest = sorted(mine | theirs)[: max(len(mine), len(theirs))]
    return sum(shingle in mine and shingle in theirs for shingle in smallest) / (len(smallest) or 1)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold().replace("’", "'"))


def own_words(text: str, echoes: frozenset[str]) -> list[str]:
    """Returns the words of a text that it has not from a URL, and that are no chance."""
    return [
        word
        for word in _words(text)
        # Nearly all are letters alone, and that is seen at once.
        if word not in echoes and (word.isalpha() or word in _TELLING or not any(map(str.isdigit, word)))
    ]


def _shared(one: Counter[str], other: Counter[str]) -> float:
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 1.0
