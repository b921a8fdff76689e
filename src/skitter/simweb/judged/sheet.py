"""What is at a URL: what it says, before its site's template is put around it, and what the truth about it is.

Both come from one place, so that no answer can differ from its truth.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from html import escape
from typing import NamedTuple

PORT = "\N{SYMBOL FOR NULL}"
"""Stands behind the name of another host in a link: the port, if it must be said."""


class What(StrEnum):
    """What a URL is to a crawler."""

    GOOD = "good"  # must be fetched
    WASTE = "waste"  # of a corner without end
    SOFT_404 = "soft_404"  # says in so many words, or not at all, that there is nothing
    ALIAS = "alias"  # another form of a page: one of them must be fetched
    FARM = "farm"
    MISSING = "missing"  # an honest error
    LEAD = "lead"  # an honest redirect


class Fact(NamedTuple):
    """The truth about a URL. `corner` is which part of its site it is in; `of` is the page that it is a form of.

    Of a good page `of` is one that says nearly the same, if there is one: both must be fetched.
    """

    what: What
    corner: str = ""
    of: str = ""  # as `http://name/path`


GOOD = Fact(What.GOOD)
MISSING = Fact(What.MISSING)


class Sheet(NamedTuple):
    """What is at a URL."""

    title: str
    html: str  # the main part
    fact: Fact = GOOD
    status: int = 200
    location: str = ""
    crumbs: tuple[tuple[str, str], ...] = ()  # links above the main part
    head: str = ""  # more for the head of the page
    is_bare: bool = False  # no template: the page as it is
    lang: str = "en"


def link(href: str, text: str = "", rel: str = "") -> str:
    """Returns an anchor; the href is written as it is to be read, and escaped here."""
    more = f' rel="{rel}"' if rel else ""
    return f'<a href="{escape(href)}"{more}>{escape(text or href)}</a>'


def listed(links: Iterable[tuple[str, str]]) -> str:
    """Returns a list of links, each an href and its text."""
    return f"<ul>\n{''.join(f'<li>{link(*one)}</li>' + chr(10) for one in links)}</ul>\n"


def moved(location: str, fact: Fact, status: int = 302) -> Sheet:
    """Returns a redirect."""
    return Sheet("Moved", "", fact, status, location)


def away(name: str, target: str = "/") -> str:
    """Returns an href to another host."""
    return f"http://{name}{PORT}{target}"
