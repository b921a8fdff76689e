"""The language of a text, as a tag: `de`, `zh-Hant`. Pure: the model is in the library, and nothing is ever fetched.

CLD2 is a table of short runs of letters for 83 languages, made for web pages. Where there is no wheel of it, no
language is detected, and what a page declares is all there is to know.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MIN_DETECTED = 60
"""Characters of text from which on what we detect counts more than what the page declares: many templates say `en`."""
MAX_READ = 4000
"""Characters looked at: more hardly change what is found, and are dear."""

# Names that CLD2 kept from before they were changed.
RENAMED = {"iw": "he", "in": "id", "jw": "jv", "mo": "ro"}
UNKNOWN = "un"

# What it takes for broken UTF-8: control codes, surrogates, and code points that never are characters.
_REFUSED = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]|[^\u0000-\uffff]")
_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8})*+")


class Language(NamedTuple):
    """A language, and the share of the text that is in it; None: it was only declared."""

    tag: str | None
    share: float | None = None


def language_of(text: str, declared: str = "") -> str | None:
    """Returns the language that a text is in: detected if it is long enough to tell, else as declared, else None."""
    return language_in(text, declared).tag


def language_in(text: str, declared: str = "") -> Language:
    """Returns what `language_of` does, and how much of the text is in that language."""
    detected = detect_share(text) if len(text) >= MIN_DETECTED else Language(None)
    said = tag(declared)
    if detected.tag is None:
        return Language(said) if said or not text else detect_share(text)
    # The page may say more of it: `pt-BR` where we see `pt`.
    return detected._replace(tag=said) if said is not None and said.partition("-")[0] == detected.tag else detected


def detect(text: str) -> str | None:
    """Returns the language that a text seems to be in, None if that can't be told."""
    return detect_share(text).tag


def detect_share(text: str) -> Language:
    """Returns the language that a text seems to be in, and how much of it is."""
    try:
        import pycld2  # a tool and its kind need it, a crawl does not
    except ImportError:
        return Language(None)
    read = text[:MAX_READ]
    try:
        _, _, languages = pycld2.detect(read, isPlainText=True, bestEffort=True)
    except (
        pycld2.error,
        UnicodeEncodeError,
    ):  # few texts have what it refuses, and to look for that takes half as long
        _, _, languages = pycld2.detect(_REFUSED.sub(" ", read), isPlainText=True, bestEffort=True)
    _, code, percent, _ = languages[0]
    return Language(None) if code == UNKNOWN else Language(RENAMED.get(code, code), percent / 100)


def tag(declared: str) -> str | None:
    """Returns a declared language as tags are written, None if it is none."""
    found = _TAG.fullmatch(declared.strip())
    if found is None:
        return None
    first, *rest = re.split("[-_]", found[0])
    return "-".join([first.lower(), *map(_cased, rest)])


def _cased(subtag: str) -> str:
    """Regions in capitals, scripts with one."""
    if len(subtag) == 2:
        return subtag.upper()
    return subtag.title() if len(subtag) == 4 else subtag.lower()
