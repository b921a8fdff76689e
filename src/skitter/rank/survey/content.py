"""What the captures of a host say of it: how many pages it has, and how many are copies, empty, broken. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from skitter.rank.survey.marks import CaptureMark

OUTCOME = CaptureMark.PAGE | CaptureMark.ERROR


class Counts(NamedTuple):
    """What is counted of a host or a domain. A URL counts as it last was."""

    urls: int = 0  # that are pages or errors
    pages: int = 0
    duplicates: int = 0
    soft_404: int = 0
    thin: int = 0
    errors: int = 0
    again: int = 0  # visits to a page that was there before
    changed: int = 0  # of these, those that found something else


class Visit(NamedTuple):
    """One capture or failure of a URL."""

    host: int
    url: str
    digest: str
    simhash: int  # 0: none
    at: int
    mark: int


class Page(NamedTuple):
    """A page as it last was."""

    host: int
    digest: str
    simhash: int
    mark: int


def counts_of(visits: Iterable[Visit], hosts: int) -> tuple[list[Counts], list[Page]]:
    """Returns what is counted of each of so many hosts, and the pages as they last were."""
    by_url: dict[str, list[Visit]] = {}
    for visit in visits:
        by_url.setdefault(visit.url, []).append(visit)
    tallies: list[Counter[str]] = [Counter() for _ in range(hosts)]
    pages = []
    for seen in by_url.values():
        page = _followed(sorted(seen, key=lambda visit: visit.at), tallies)
        if page is not None:
            pages.append(page)
    for host, copies in _copies(pages):
        tallies[host]["duplicates"] += copies
    return [Counts(**tally) for tally in tallies], pages


def _followed(seen: Sequence[Visit], tallies: Sequence[Counter[str]]) -> Page | None:
    """Counts the visits to one URL, in order of time, and returns the page that it is now, if it is one."""
    tally = tallies[seen[-1].host]
    page: Visit | None = None
    is_page = is_error = False
    for visit in seen:
        if page is not None and visit.mark & (CaptureMark.PAGE | CaptureMark.SAME):
            tally["again"] += 1
            tally["changed"] += not visit.mark & CaptureMark.SAME and _differ(page, visit)
        if visit.mark & OUTCOME:
            is_page, is_error = bool(visit.mark & CaptureMark.PAGE), bool(visit.mark & CaptureMark.ERROR)
        if visit.mark & CaptureMark.PAGE:
            page = visit
    tally["urls"] += is_page or is_error
    tally["errors"] += is_error
    if page is None or not is_page:
        return None
    tally["pages"] += 1
    tally["soft_404"] += bool(page.mark & CaptureMark.SOFT_404)
    tally["thin"] += bool(page.mark & CaptureMark.THIN)
    return Page(seen[-1].host, page.digest, page.simhash, page.mark)


def _differ(one: Visit, other: Visit) -> bool:
    """Whether a page changed: what it says, if that is known, else any byte of it."""
    if one.simhash and other.simhash:
        return one.simhash != other.simhash
    return one.digest != other.digest


def _copies(pages: Iterable[Page]) -> Iterable[tuple[int, int]]:
    """Yields hosts with how many pages are copies of others there: those marked so, or all but one of equal bytes."""
    alike: Counter[tuple[int, str]] = Counter()
    marked: Counter[tuple[int, str]] = Counter()
    for page in pages:
        key = page.host, page.digest
        alike[key] += 1
        marked[key] += bool(page.mark & CaptureMark.DUPLICATE)
    for key, many in alike.items():
        host, digest = key
        yield host, max(marked[key], many - 1 if digest else 0)
