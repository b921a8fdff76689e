"""The links of a scanned page, resolved, and where they lead: by the native kernel where it was built.

The kernel does the hrefs of the usual form by itself and asks `resolve` and `links` about every other one, so that
both ways find the same (`tests/parse/test_outlinks.py`). It makes no object of a link that nobody looks at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple, TypeAlias

from skitter.kernel import IS_NATIVE
from skitter.messages import Link, LinkKind, Reason, Target
from skitter.parse.links import FOLLOWED, Links, abroad, refreshed, target_of, treatment
from skitter.parse.resolve import Resolver
from skitter.parse.scanned import Found
from skitter.settings import UrlSettings
from skitter.url.canon import Canon
from skitter.url.dedup import INDEX_PAGES

if IS_NATIVE:
    from skitter import _native

_KINDS = tuple(LinkKind)
_ORDINALS = {kind: number for number, kind in enumerate(_KINDS)}
_link = partial(tuple.__new__, Link)  # what `Link._make` does, in a third of the time

IsKnown: TypeAlias = Callable[[bytes], bool]
"""Whether a URL was seen before, by the fingerprint of its key."""


class Outlinks(NamedTuple):
    """What a page links to."""

    links: Sequence[Link]
    targets: Sequence[Target]  # of those that may be followed and are not known
    known: int  # targets beside these
    cut: bool  # there were more links than the limit
    canonical: str | None  # the first link that says it is
    refused: Mapping[int, Reason]  # why links of kinds that are followed are not, by their place among the links
    abroad: Mapping[str, int]  # other hosts that the targets are on, known ones too, each with its first link's place


_outlinks: Callable[[tuple[object, ...]], Outlinks] = partial(tuple.__new__, Outlinks)


def nothing_known(_: bytes) -> bool:
    """Knows no URL."""
    return False


def read(
    found: Iterator[Found],
    home: str,
    resolve: Resolver,
    canon: Canon | None,
    max_links: int,
    is_known: IsKnown = nothing_known,
) -> Outlinks:
    """Returns the first `max_links` links and as many embeds, and if there is a `canon` where they lead.

    `home` is the host of the page.
    """
    if IS_NATIVE and isinstance(found, _native.Links):
        return _by_kernel(found, home, resolve, canon, max_links, is_known)
    links = Links(resolve, max_links)
    links.read(found)
    targets, refused = links.targets(canon) if canon else ([], {})
    new = [target for target in targets if not is_known(target[2])]
    canonical = next((link.url for link in links if link.kind is LinkKind.CANONICAL), None)
    known = len(targets) - len(new)
    return Outlinks(tuple(links), tuple(new), known, links.cut, canonical, refused, abroad(targets, home))


def as_table(links: Sequence[tuple[object, ...]]) -> _native.LinkTable | None:
    """Returns the links if it is the kernel that holds them: it writes them out itself."""
    return links if IS_NATIVE and isinstance(links, _native.LinkTable) else None


def places_of(links: Sequence[Link], kind: LinkKind) -> Sequence[int]:
    """Returns the places of the links of a kind."""
    if (table := as_table(links)) is not None:
        return table.places(_ORDINALS[kind])
    return [place for place, link in enumerate(links) if link.kind is kind]


def _by_kernel(
    found: _native.Links, home: str, resolve: Resolver, canon: Canon | None, max_links: int, is_known: IsKnown
) -> Outlinks:
    outlinks = found.read(
        _rules(canon),
        resolve.base,
        home,
        max_links,
        resolve,
        lambda content: refreshed(content, resolve),
        (lambda href: target_of(href, canon)) if canon else None,
        is_known,
    )
    return _outlinks(outlinks)


@lru_cache(maxsize=16)
def _rules(canon: Canon | None) -> _native.Rules:
    settings = canon.settings if canon else UrlSettings()
    return _native.Rules(
        link=_link,
        kinds=_KINDS,
        canonical=_ORDINALS[LinkKind.CANONICAL],
        embed=_ORDINALS[LinkKind.EMBED],
        followed=[kind in FOLLOWED for kind in _KINDS],
        nofollow=Reason.NOFOLLOW,
        treatment=_treatment,
        index_pages=INDEX_PAGES,
        max_length=settings.max_length,
        drop_www=settings.drop_www,
        drop_index=settings.drop_index,
        drop_trailing_slash=settings.drop_trailing_slash,
        merge_schemes=settings.merge_schemes,
    )


def _treatment(tag: str, rel: str) -> tuple[int | None, bool]:
    kind, nofollow = treatment(tag, rel)
    return (None if kind is None else _ORDINALS[kind]), nofollow
