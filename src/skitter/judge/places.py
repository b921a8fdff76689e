"""Where a URL is among those of its host, and which name there can't be anybody's. Pure."""

from __future__ import annotations

import re
from enum import IntEnum
from string import ascii_lowercase
from urllib.parse import unquote, urlsplit

import xxhash

NAME = 25
"""Letters of a name that nobody has."""
LARGE = 10**9
"""Larger than most numbers that anything has, and small enough to be one everywhere."""

_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")
_NUMBERED = re.compile(r"(?:^|(?<=/))[0-9][^/]*/")
_HOME = re.compile(r"/?([a-z]{2}([-_][a-z]{2})?/?)?((index|home|default|main|start)(\.[a-z]{2,5})?/?)?", re.IGNORECASE)
_LOGIN = re.compile(
    r"\b(log[-_]?(in|on|out|off)|sign[-_]?(in|up|out)|auth|sso|session|account|anmelden|anmeldung|connexion|acceso|register)\b",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"\b(40[34]|410|not?[-_]?(found|page)|errors?|missing|oops|sorry|fehler|erreur|unavailable|gone|lost)\b|error|404",
    re.IGNORECASE,
)


class Where(IntEnum):
    """Where a name is asked for that can't be there."""

    BESIDE = 0  # the page
    BEFORE_NUMBERS = 1  # where a number alone says which page is meant (`/news/123/any-words`), all beside it are one
    AT_TOP = 2  # in the first directory of its path
    AT_ROOT = 3  # right below the host, without its ending


def probe_of(href: str, salt: bytes, where: Where = Where.BESIDE) -> str:
    """Returns a URL that can't be there, of the make of `href` without its parameters; other `salt`, other name."""
    path, name = _path_of(href)
    top = href[: len(href) - len(href.split("/", 3)[-1])]
    if where is Where.AT_ROOT:
        return top + _name(salt, "")
    if where is not Where.BESIDE:
        path = path[: _end_of_words(path)]
    if where is Where.AT_TOP:
        path = path[: path.find("/") + 1]
    return f"{top}{path}{_name(salt, name)}{_ending(name)}"


def place_of(probe: str) -> str:
    """Returns what one handler may answer for: the shape of a directory, and the ending of the names in it."""
    path, name = _path_of(probe)
    return f"/{path}{'0' if _is_number(name) else '*'}{_ending(name)}"


def top_of(href: str) -> str:
    """Returns the first piece of a URL's path."""
    return href.split("/", 4)[3].partition("?")[0]


def is_root(href: str) -> bool:
    """Whether a URL is the home page of its host."""
    return href.endswith("/") and href.count("/") == 3


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


def leads_up(href: str, target: str) -> bool:
    """Whether a redirect leads from a URL to the folder that it is in, below the root of its host."""
    folder = href.partition("?")[0].rstrip("/").rpartition("/")[0]
    return folder.count("/") > 2 and target.rstrip("/") == folder


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


def _path_of(href: str) -> tuple[str, str]:
    """Returns the directories of a URL and the name in them; that of a directory ends with a slash."""
    whole = href.partition("?")[0].split("/", 3)[-1]
    end = whole.rstrip("/").rfind("/") + 1
    return whole[:end], whole[end:]


def _end_of_words(path: str) -> int:
    """Returns where the first directory begins that is a number."""
    found = _NUMBERED.search(path)
    return found.start() if found is not None else len(path)


def _ending(tail: str) -> str:
    if tail.endswith("/"):
        return "/"
    found = _SUFFIX.search(tail)
    return found.group() if found is not None else ""


def _path(href: str) -> str:
    return unquote(urlsplit(href).path)
