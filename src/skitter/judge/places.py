"""Where a URL is among those of its host, and which name there can't be anybody's. Pure."""

from __future__ import annotations

import re
from string import ascii_lowercase
from urllib.parse import unquote, urlsplit

import xxhash

from skitter.url.shape import shape_of

NAME = 25
"""Letters of a name that nobody has."""
LARGE = 10**9
"""Larger than most numbers that anything has, and small enough to be one everywhere."""

_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")
_HOME = re.compile(r"/?([a-z]{2}([-_][a-z]{2})?/?)?((index|home|default|main|start)(\.[a-z]{2,5})?/?)?", re.IGNORECASE)
_LOGIN = re.compile(
    r"\b(log[-_]?[io]n|sign[-_]?(in|up)|auth|sso|session|account|anmelden|anmeldung|connexion|acceso|register)\b",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"\b(40[34]|410|not?[-_]?(found|page)|errors?|missing|oops|sorry|fehler|erreur|unavailable|gone|lost)\b|error|404",
    re.IGNORECASE,
)


def place_of(href: str) -> str:
    """Returns the shape of the directory, the ending and the parameters of a URL: what one handler may answer for."""
    head, tail = _split(href)
    names = sorted({part.partition("=")[0] for part in href.partition("?")[2].split("&")} - {""})
    return f"{shape_of(head)}{'0' if _is_number(tail) else '*'}{_ending(tail)}?{'&'.join(names)}"


def probe_of(href: str, salt: bytes) -> str:
    """Returns a URL at the place of `href` that can't be there; other `salt`, other name."""
    script, _, query = href.partition("?")
    if query:
        names, _, value = query.rpartition("=")
        return f"{script}?{names}{'=' if names else ''}{_name(salt, value)}"
    head, tail = _split(href)
    return f"{head}{_name(salt, tail)}{_ending(tail)}"


def is_root(href: str) -> bool:
    """Whether a URL is the home page of its host."""
    return href.split("/", 3)[-1] == ""


def is_home(href: str) -> bool:
    """Whether a URL looks like a home page: the root, or that of a language."""
    return _HOME.fullmatch(_path(href)) is not None


def is_login(href: str) -> bool:
    """Whether a URL looks like one where visitors say who they are."""
    return _LOGIN.search(_path(href)) is not None


def is_error(href: str) -> bool:
    """Whether a URL looks like one that tells of an error."""
    return _ERROR.search(_path(href)) is not None


def is_telling(target: str) -> bool:
    """Whether a redirect there may be a way to say that there is nothing."""
    return is_home(target) or is_login(target) or is_error(target)


def aim_of(target: str) -> str:
    """Returns a redirect's target as it is compared: where it tells, what it says beside that may be about the name."""
    return target.partition("?")[0] if is_telling(target) else target


def _name(salt: bytes, instead_of: str) -> str:
    """Returns letters, or digits in the place of a number: where numbers are wanted, letters are nobody's business."""
    number = xxhash.xxh3_128_intdigest(salt)
    if _is_number(instead_of):
        return str(LARGE + number % LARGE)
    return "".join(ascii_lowercase[number // 26**place % 26] for place in range(NAME))


def _is_number(tail: str) -> bool:
    return tail.removesuffix(_ending(tail)).isdecimal()


def _split(href: str) -> tuple[str, str]:
    """Returns a URL up to its last directory, and the rest of its path."""
    whole = href.partition("?")[0]
    end = whole.rstrip("/").rfind("/") + 1
    root = len(whole) - len(whole.split("/", 3)[-1])
    end = max(end, root)
    return whole[:end], whole[end:]


def _ending(tail: str) -> str:
    if tail.endswith("/"):
        return "/"
    found = _SUFFIX.search(tail)
    return found.group() if found is not None else ""


def _path(href: str) -> str:
    return unquote(urlsplit(href).path)
