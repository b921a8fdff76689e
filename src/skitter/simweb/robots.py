"""What a host of the simulated web can say in robots.txt: a table from kind to text, answer and meaning.

The meaning (`forbids`) is written beside the text, not read out of it, so that the truth does not depend on the reader
of robots.txt that it is there to judge.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from skitter.simweb.roles import Role

NOTHING: frozenset[Role] = frozenset()
EVERYTHING = frozenset(Role)


class Detour(StrEnum):
    """Where a redirected robots.txt is found."""

    NONE = ""
    PATH = "path"
    CHAIN = "chain"  # five redirects, as many as RFC 9309 wants followed
    WWW = "www"
    AWAY = "away"  # on another host; its rules are valid for this one


class RobotsKind(NamedTuple):
    """A row of the table."""

    share: float
    text: str = ""
    forbids: frozenset[Role] = NOTHING  # to `skitter`
    status: int = 200
    readable: bool = True  # if not, nothing may be fetched
    passing: bool = False  # fails the first times only
    slow: bool = False
    delayed: bool = False  # has a Crawl-delay
    detour: Detour = Detour.NONE
    media: str = "text/plain"

    @property
    def can_name_sitemap(self) -> bool:
        """Whether a `Sitemap:` line would be read, and the sitemap be allowed."""
        is_read = self.status == 200 and self.media == "text/plain" and self.detour is not Detour.AWAY
        return is_read and not {Role.HOME, Role.DOCS} & self.forbids


_PRIVATE = frozenset({Role.PRIVATE})
_SHARED = "User-agent: *\nDisallow: /private/\n"
_HTML = "<!DOCTYPE html><html><head><title>Welcome</title></head><body>User-agent: *<p>Disallow: /</body></html>"

ROBOTS: dict[str, RobotsKind] = {
    "none": RobotsKind(14, status=404),
    "empty": RobotsKind(4),
    "comments": RobotsKind(2, "# Disallow: /\n\n   # nothing else\n"),
    "allow-all": RobotsKind(4, "User-agent: *\nDisallow:\n"),
    "folder": RobotsKind(16, _SHARED, _PRIVATE),
    "folders": RobotsKind(
        6, "User-agent: *\nDisallow: /private/\nDisallow: /members/\n", frozenset({Role.PRIVATE, Role.MEMBERS})
    ),
    "wildcards": RobotsKind(
        6, "User-agent: *\nDisallow: /*.pdf$\nDisallow: /*?q=\n", frozenset({Role.FILE, Role.SEARCH})
    ),
    "tie": RobotsKind(3, "User-agent: *\nDisallow: /private/\nAllow: /private/\nAllow: /members/\n"),
    "longest": RobotsKind(
        3, "User-agent: *\nAllow: /private\nDisallow: /private/\nDisallow: /members\nAllow: /members/*\n", _PRIVATE
    ),
    "few": RobotsKind(
        3,
        "User-agent: *\nDisallow: /\nAllow: /$\nAllow: /?\nAllow: /index.html\nAllow: /p/\n",
        EVERYTHING - {Role.HOME, Role.PAGE},
    ),
    "ours": RobotsKind(
        4, "User-agent: *\nDisallow: /\n\nUser-agent: Skitter\nDisallow: /members/\n", frozenset({Role.MEMBERS})
    ),
    "against-us": RobotsKind(2, "User-agent: *\nDisallow:\n\nUser-agent: skitter\nDisallow: /\n", EVERYTHING),
    "others": RobotsKind(
        3,
        "User-agent: skit\nDisallow: /\n\nUser-agent: skitterbot\nDisallow: /\n\n" + _SHARED,
        _PRIVATE,
    ),
    "merged": RobotsKind(
        2,
        "User-agent: skitter\nDisallow: /private/\n\nUser-agent: *\nDisallow: /\n\nUser-agent: SKITTER\n"
        "Disallow: /search\n",
        frozenset({Role.PRIVATE, Role.SEARCH}),
    ),
    "untidy": RobotsKind(
        2, "\ufeffUSER-AGENT : *\r\nnonsense\rdisallow:/private/ # kept out\r\nDisallow: private\r\n", _PRIVATE
    ),
    "escaped": RobotsKind(2, "User-agent: *\nDisallow: /%70rivate/\n", _PRIVATE),
    "crawl-delay": RobotsKind(6, _SHARED + "Crawl-delay: {delay}\n", _PRIVATE, delayed=True),
    "all-forbidden": RobotsKind(3, "User-agent: *\nDisallow: /\n", EVERYTHING),
    "forbidden": RobotsKind(2, status=403),
    "unauthorised": RobotsKind(1, status=401),
    "gone": RobotsKind(1, status=410),
    "no-content": RobotsKind(1, status=204),
    "html": RobotsKind(2, _HTML, media="text/html"),
    "error": RobotsKind(2, status=500, forbids=EVERYTHING, readable=False),
    "reset": RobotsKind(1, status=0, forbids=EVERYTHING, readable=False),
    "limited": RobotsKind(1, status=429, forbids=EVERYTHING, readable=False),
    "unavailable-first": RobotsKind(2, _SHARED, _PRIVATE, status=503, passing=True),
    "redirected": RobotsKind(2, _SHARED, _PRIVATE, detour=Detour.PATH),
    "redirected-far": RobotsKind(1, _SHARED, _PRIVATE, detour=Detour.CHAIN),
    "redirected-www": RobotsKind(2, _SHARED, _PRIVATE, detour=Detour.WWW),
    "redirected-away": RobotsKind(1, _SHARED, _PRIVATE, detour=Detour.AWAY),
    "slow": RobotsKind(2, _SHARED, _PRIVATE, slow=True),
}
ROBOTS_SHARES: dict[str, float] = {name: kind.share for name, kind in ROBOTS.items()}

SHARED_PATH = "/robots-shared.txt"
"""Where every host has the text that `Detour` leads to."""
SHARED_TEXT = _SHARED
