"""The links of a page, with what they are to it.

A URL comes once for each kind of link, where it first appears. It is nofollow only if the page nowhere links to it
without: one link that may be followed is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from skitter.messages import Link, LinkKind, Reason, Target, Url
from skitter.parse import refresh
from skitter.parse.resolve import Resolver
from skitter.parse.scanned import Found
from skitter.robots.directives import is_nofollow
from skitter.url.canon import Canon
from skitter.url.keys import fingerprint

# What an element is to the page; a link is what its rel says.
TAGS = {
    "a": LinkKind.NAVIGATION,
    "area": LinkKind.NAVIGATION,
    "iframe": LinkKind.FRAME,
    "frame": LinkKind.FRAME,
    "form": LinkKind.FORM,
    "meta": LinkKind.REFRESH,
} | dict.fromkeys(["img", "script", "audio", "video", "source", "track", "embed", "object", "input"], LinkKind.EMBED)
RELS = {
    "canonical": LinkKind.CANONICAL,
    "stylesheet": LinkKind.EMBED,  # before alternate: an alternate stylesheet is a stylesheet
    "icon": LinkKind.EMBED,
    "apple-touch-icon": LinkKind.EMBED,
    "apple-touch-icon-precomposed": LinkKind.EMBED,
    "mask-icon": LinkKind.EMBED,
    "manifest": LinkKind.EMBED,
    "preload": LinkKind.EMBED,
    "modulepreload": LinkKind.EMBED,
    "feed": LinkKind.FEED,  # the scanners add it where the type says so
    "next": LinkKind.RELATED,
    "prev": LinkKind.RELATED,
    "previous": LinkKind.RELATED,
    "alternate": LinkKind.RELATED,
}

MAX_BYTES = 8 * 1024**2
"""Of the URLs of a page together: with a long `base`, a page of a megabyte could have a gigabyte of links."""

MAX_ABROAD = 64
"""Other hosts told of a page."""

FOLLOWED = frozenset(LinkKind) - {LinkKind.EMBED}

_NAVIGATION, _EMBED, _REFRESH = LinkKind.NAVIGATION, LinkKind.EMBED, LinkKind.REFRESH


class Links:
    """Collects the links of one page: the first `max_links`, and as many embeds, which never crowd out links."""

    def __init__(self, resolve: Resolver, max_links: int) -> None:
        self.resolve = resolve
        self._found: dict[tuple[LinkKind, str], Link] = {}
        self._room = {True: max_links, False: max_links}  # for embeds, for links
        self._bytes = MAX_BYTES
        self._full: set[LinkKind] = set()

    def __iter__(self) -> Iterator[Link]:
        """Yields the links in the order of the page."""
        return iter(self._found.values())

    @property
    def cut(self) -> bool:
        """Whether the page had more links than the limit; embeds are not counted."""
        return _NAVIGATION in self._full

    def targets(self, canon: Canon) -> tuple[list[Target], dict[int, Reason]]:
        """Returns where the links lead that may be followed, in the order of the page; two may have the same key.

        And by their places, why others of the same kinds may not be.
        """
        return targets_of(self, canon)

    def read(self, links: Iterable[Found]) -> None:
        """Adds links, until nothing more would be kept."""
        found, full, resolve = self._found, self._full, self.resolve
        for tag, href, rel, anchor in links:
            kind, nofollow = treatment(tag, rel)
            if kind is None or kind in full:
                if len(full) == len(LinkKind):
                    return
                continue
            url = resolve(href) if kind is not _REFRESH else refreshed(href, resolve)
            if url is None:
                continue
            known = found.get((kind, url))
            if known is None:
                self._keep(Link(url, tag, kind, nofollow, anchor))
            elif known.nofollow and not nofollow:
                found[kind, url] = known._replace(nofollow=False)

    def _keep(self, link: Link) -> None:
        is_embed = link.kind is _EMBED
        if self._room[is_embed] and len(link.url) <= self._bytes:
            self._room[is_embed] -= 1
            self._bytes -= len(link.url)
            self._found[link.kind, link.url] = link
        else:
            self._full.update(other for other in LinkKind if (other is _EMBED) == is_embed)


def targets_of(links: Iterable[Link], canon: Canon) -> tuple[list[Target], dict[int, Reason]]:
    """Returns where links lead that may be followed, and by their places why others of the same kinds may not be."""
    targets, refused = list[Target](), dict[int, Reason]()
    for place, link in enumerate(links):
        if link.kind not in FOLLOWED:
            continue
        led = Reason.NOFOLLOW if link.nofollow else target_of(link.url, canon)
        if isinstance(led, Reason):
            refused[place] = led
        else:
            targets.append((*led, place))
    return targets, refused


def abroad(targets: Iterable[Target], home: str) -> dict[str, int]:
    """Returns the hosts that links lead to, but for the page's own, each with the place of the first link to it."""
    hosts = dict[str, int]()
    for _, host, _, place in targets:
        if host != home:
            hosts.setdefault(host, place)
    return dict(islice(hosts.items(), MAX_ABROAD))


def treatment(tag: str, rel: str) -> tuple[LinkKind | None, bool]:
    """Returns what a link is to the page, None if it is nothing to us, and whether it asks not to be followed."""
    return TAGS.get(tag) or _said(rel), rel != "" and is_nofollow(rel)


def refreshed(content: str, resolve: Resolver) -> str | None:
    """Returns where the content of a refresh leads."""
    asked = refresh.read(content)
    return resolve(asked[1]) if asked else None


def target_of(href: str, canon: Canon) -> tuple[str, str, bytes] | Reason:
    """Returns what the frontier is to know of a URL as `url.parse` returned it, or why it can't be crawled."""
    url = canon.of_parsed(href)
    return (url.href, url.host, fingerprint(url.key)) if isinstance(url, Url) else url


def _said(rel: str) -> LinkKind | None:
    """Returns what a link element with this rel is to the page, None if it is nothing to us."""
    rels = rel.lower().split()
    return next((kind for name, kind in RELS.items() if name in rels), None)
