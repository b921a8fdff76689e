"""The nightly look itself: the tables of a crawl in, the ranks of its domains and hosts out.

It only reads what is sealed, writes one file, and hands what domains are worth to the inbox: a crawl may run beside it.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from skitter.errors import OperatorError
from skitter.folder.crawlfile import read_crawl
from skitter.folder.routesfile import read_routes
from skitter.rank.forms import publish_forms
from skitter.rank.hand import hand_on
from skitter.rank.publish import batch_of, publish
from skitter.rank.published import ranks_folder
from skitter.rank.ratings import Ratings
from skitter.rank.rows import CAPTURES, FAILURES, LINKS, PAGES
from skitter.rank.survey.forms import Forms, Inlinks, preferred
from skitter.rank.survey.paths import Compared, Paths, chosen
from skitter.rank.survey.plain import Survey, Surveyed
from skitter.rank.survey.quick import new_inlinks, new_survey
from skitter.rank.tables import Table, batches, rows_of
from skitter.store.index.holding import reading
from skitter.store.index.paths import tables_of
from skitter.url.keys import host_of

OnProgress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""


class Look(Struct, frozen=True):
    """What a nightly look has done."""

    ranks: str  # the file
    links: int
    captures: int  # and failures
    domains: int
    hosts: int
    mirrors: int  # hosts that are copies of others
    seconds: float


def look(directory: Path, now: float, on_progress: OnProgress = lambda _what, _done, _all: None) -> Look:
    """Returns when the ranks of the crawl in `directory` are published. OperatorError if there is nothing to rank."""
    began = time.monotonic()
    seeds = [host_of(seed) for seed in read_crawl(directory).seeds]
    routes = read_routes(directory)
    with _alone(directory):
        survey, forms = new_survey(routes.domains), Forms()
        _taken(directory, (PAGES,), forms.take, on_progress)
        clusters = forms.clusters()
        del forms
        inlinks = new_inlinks([url for urls in clusters.values() for url in urls])
        links, captures = _read(directory, survey, inlinks if clusters else None, on_progress)
        publish_forms(directory, preferred(clusters, inlinks), now)
        on_progress("bringing together", 0, 1)
        found = survey.settle(seeds)
        del survey  # half of the memory
        ratings = Ratings(found, routes, seeds, _compared(directory, found, on_progress))
        path = publish(directory, _told(ratings, found.domains.num_rows + found.hosts.num_rows, on_progress), now)
        hand_on(directory, path, routes.shards)
    mirrors = len(found.hosts) - found.hosts["mirror_of"].null_count
    seconds = round(time.monotonic() - began, 3)
    return Look(str(path), links, captures, found.domains.num_rows, found.hosts.num_rows, mirrors, seconds)


def _read(directory: Path, survey: Survey, inlinks: Inlinks | None, on_progress: OnProgress) -> tuple[int, int]:
    def take(batch: Any) -> None:
        survey.links(batch)
        if inlinks is not None:
            inlinks.links(batch)

    links = _taken(directory, (LINKS,), take, on_progress)
    if not links:
        right = (
            "has no tables with links yet: they are made when a WARC file is sealed, at the latest when a crawl stops"
        )
        raise OperatorError("DIR", str(directory), right)
    return links, _taken(directory, (CAPTURES, FAILURES), survey.captures, on_progress)


def _taken(directory: Path, kinds: Sequence[Table], take: Callable[[Any], None], on_progress: OnProgress) -> int:
    """Returns how many rows there were, when all are taken."""
    with reading(directory):
        paths = {kind.name: tables_of(directory, kind.name) for kind in kinds}
        done, every = 0, sum(map(rows_of, paths.values()))
        for kind in kinds:
            for batch in batches(kind, paths[kind.name]):
                take(batch)
                done += batch.num_rows
                on_progress(f"reading {kind.name}", done, every)
    return every


def _compared(directory: Path, found: Surveyed, on_progress: OnProgress) -> dict[str, Compared]:
    """Returns what the paths of mirrors say for them, if there are any: the captures are read twice more for that."""
    mirrors = chosen(found.hosts)
    paths = Paths(mirrors)
    if mirrors:
        _taken(directory, (CAPTURES,), paths.sample, on_progress)
        paths.share()
        _taken(directory, (CAPTURES,), paths.pick, on_progress)
    return paths.compared()


def _told(ratings: Ratings, every: int, on_progress: OnProgress) -> Iterator[Any]:
    done = 0
    for columns in ratings.by_shard():
        batch = batch_of(columns)
        done += batch.num_rows
        on_progress("writing", done, every)
        yield batch


@contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Holds the ranks for one look: two at once would take twice the memory for the same."""
    folder = ranks_folder(directory)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OperatorError("DIR", str(directory), "is being ranked just now: wait for that") from None
        for left in (*folder.glob(".ranks-*"), *folder.glob(".forms-*")):  # by a look that was killed
            left.unlink(missing_ok=True)
        yield
