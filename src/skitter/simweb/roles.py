"""What a page of the simulated web can be: a table from role to path, share and answer.

The path tells the role, so that an address can be read in a log; the number in it tells which page of its host it is.
Whatever is not a role's own path is 404.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Role(StrEnum):
    """The part that a page plays."""

    HOME = "home"
    HOSTS = "hosts"  # only on the first host: a list of hosts
    PAGE = "p"
    DOCS = "docs"
    PRIVATE = "private"  # a page like any other; many a robots.txt forbids its folder
    MEMBERS = "members"  # the same
    SEARCH = "search"
    FILE = "files"
    HIDDEN = "hidden"  # no link leads to it, only the sitemap
    SHUNNED = "shunned"  # every link to it is nofollow
    MOVED = "moved"
    AWAY = "away"
    CHAIN = "chain"
    LONG_CHAIN = "long"
    LOOP = "loop"
    SLASH = "dir"
    MISSING = "missing"
    GONE = "gone"
    DENIED = "denied"
    BROKEN = "broken"
    FLAKY = "flaky"
    BUSY = "busy"
    LIMITED = "limited"
    RESET = "reset"
    SLOW = "slow"
    BIG = "big"
    PACKED = "packed"
    CHUNKED = "chunked"
    LEGACY = "legacy"
    MIRROR = "mirror"
    PRINT = "print"
    GUARDED = "guarded"
    UNINDEXED = "unindexed"
    BASED = "based"
    REFRESH = "refresh"
    FRESH = "fresh"


class Row(NamedTuple):
    """A row of the table. `path` has the page's number in it."""

    path: str
    share: float
    why: str
    status: int = 200
    sturdy: bool = False  # answers with links to other pages: the tree of a host is made of these
    strains: bool = False  # answers 429, 5xx or not at all: a host has few of these, since crawlers rightly flee
    passing: bool = False  # fails the first times only
    soon: bool = False  # says when it will work, with Retry-After


ROLES: dict[Role, Row] = {
    Role.HOME: Row("/", 0, "the first page of each host", sturdy=True),
    Role.HOSTS: Row("/hosts/{}", 0, "leads from one seed to every host"),
    Role.PAGE: Row("/p/{}", 40, "an ordinary page", sturdy=True),
    Role.DOCS: Row("/docs/{}.html", 10, "an ordinary page with an ending", sturdy=True),
    Role.PRIVATE: Row("/private/{}", 5, "linked, and forbidden by many"),
    Role.MEMBERS: Row("/members/{}", 3, "linked, and forbidden by some"),
    Role.SEARCH: Row("/search?q={}", 3, "the query tells the page"),
    Role.FILE: Row("/files/{}.pdf", 2, "no HTML"),
    Role.HIDDEN: Row("/hidden/{}", 3, "found by the sitemap alone"),
    Role.SHUNNED: Row("/shunned/{}", 2, "linked with rel=nofollow only"),
    Role.MOVED: Row("/moved/{}", 3, "a redirect on the same host, also into what is forbidden"),
    Role.AWAY: Row("/away/{}", 2, "a redirect to another host"),
    Role.CHAIN: Row("/chain/{}", 1, "four redirects, then a page"),
    Role.LONG_CHAIN: Row("/long/{}", 0.5, "thirteen redirects, then a page"),
    Role.LOOP: Row("/loop/{}", 1, "a redirect that comes back"),
    Role.SLASH: Row("/dir/{}", 2, "a redirect to itself with a slash: the same URL in a better form"),
    Role.MISSING: Row("/missing/{}", 2, "a dead link", status=404),
    Role.GONE: Row("/gone/{}", 1, "gone for good", status=410),
    Role.DENIED: Row("/denied/{}", 1, "not for us", status=403),
    Role.BROKEN: Row("/broken/{}", 1, "never works", status=500, strains=True),
    Role.FLAKY: Row("/flaky/{}", 1, "fails, later works", status=500, strains=True, passing=True),
    Role.BUSY: Row("/busy/{}", 1, "busy for a moment", status=503, strains=True, passing=True, soon=True),
    Role.LIMITED: Row("/limited/{}", 1, "asks us to go slower", status=429, strains=True, passing=True, soon=True),
    Role.RESET: Row("/reset/{}", 0.5, "the connection is reset", status=0, strains=True, passing=True),
    Role.SLOW: Row("/slow/{}", 2, "takes its time"),
    Role.BIG: Row("/big/{}", 1, "many bytes"),
    Role.PACKED: Row("/packed/{}", 3, "Content-Encoding: gzip"),
    Role.CHUNKED: Row("/chunked/{}", 2, "Transfer-Encoding: chunked"),
    Role.LEGACY: Row("/legacy/{}", 2, "an old charset"),
    Role.MIRROR: Row("/mirror/{}", 2, "the bytes of another page of its host"),
    Role.PRINT: Row("/print/{}", 2, "names another page as its canonical form"),
    Role.GUARDED: Row("/guarded/{}", 1, "meta robots nofollow"),
    Role.UNINDEXED: Row("/unindexed/{}", 1, "meta robots noindex"),
    Role.BASED: Row("/based/{}", 1, "relative links under a base tag"),
    Role.REFRESH: Row("/refresh/{}", 1, "meta refresh to another page"),
    Role.FRESH: Row("/fresh/{}", 4, "ETag and Last-Modified, answers 304"),
}
SHARES: dict[Role, float] = {role: row.share for role, row in ROLES.items()}
PLAIN_SHARES: dict[Role, float] = {Role.PAGE: 1.0}
FOLDERS: dict[str, Role] = {role.value: role for role in Role if role is not Role.HOME}
"""By the first part of the path."""

HOPS: dict[Role, int] = {Role.CHAIN: 3, Role.LONG_CHAIN: 12, Role.LOOP: 1}
"""Steps of a chain after its first URL. A crawler that follows ten redirects never sees the end of the long one."""
