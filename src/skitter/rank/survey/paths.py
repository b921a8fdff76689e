"""Whether mirrors say the same as their originals path by path: then one name stands for the other. Pure.

Captures come twice. The first time some paths of every host are chosen, by hash, so that it is as good as by lot; the
second time the pages of both hosts at these paths are picked, as they last were. Memory is bounded: `MOST` mirrors, the
largest, with `SAMPLE` paths of either host.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from heapq import heappush, heapreplace
from typing import NamedTuple

import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import compute
from xxhash import xxh3_64_intdigest

from skitter.rank.survey.marks import CaptureMark
from skitter.rank.survey.mirrors import BITS
from skitter.url.keys import origin_of

MOST = 2000
SAMPLE = 100
IS_PAGE, IS_NONE = CaptureMark.PAGE, CaptureMark.SOFT_404


class Compared(NamedTuple):
    """What the paths of a mirror say for it: how its original was asked, and how many say the same there or not."""

    origin: str = ""
    agreed: int = 0  # each something else: an empty page on every path is one
    differed: int = 0


class _Page(NamedTuple):
    at: int
    origin: str
    simhash: int
    digest: str


def chosen(hosts: pa.Table) -> dict[str, str]:
    """Returns the mirrors that are looked into, each with its original: those with the most pages."""
    mirrors = hosts.select(["name", "mirror_of", "pages"]).filter(compute.is_valid(hosts["mirror_of"]))
    some = mirrors.sort_by([("pages", "descending"), ("name", "ascending")]).slice(0, MOST)
    originals = hosts["name"].take(some["mirror_of"])
    return dict(zip(some["name"].to_pylist(), originals.to_pylist(), strict=True))


class Paths:
    """Compares mirrors with their originals. `sample` takes all captures, then `pick` does."""

    def __init__(self, mirrors: Mapping[str, str]) -> None:
        self._mirrors = mirrors
        self._hosts = pa.array({*mirrors, *mirrors.values()}, pa.string())
        self._largest: defaultdict[str, list[int]] = defaultdict(list)  # heaps, of hashes below zero
        self._wanted: dict[str, set[int]] = {host: set() for host in self._hosts.to_pylist()}
        self._pages: defaultdict[str, dict[int, _Page]] = defaultdict(dict)

    def sample(self, batch: pa.RecordBatch) -> None:
        """Takes captures, as the survey does, for the choice of paths."""
        for host, path, _ in self._pages_of(batch):
            kept, largest = self._wanted[host], self._largest[host]
            if path in kept or (len(largest) == SAMPLE and path >= -largest[0]):
                continue
            kept.add(path)
            if len(largest) < SAMPLE:
                heappush(largest, -path)
            else:
                kept.remove(-heapreplace(largest, -path))

    def share(self) -> None:
        """Has the paths of each host looked up on the other one too."""
        self._largest.clear()
        own = {host: frozenset(paths) for host, paths in self._wanted.items()}
        for mirror, original in self._mirrors.items():
            self._wanted[mirror] |= own[original]
            self._wanted[original] |= own[mirror]

    def pick(self, batch: pa.RecordBatch) -> None:
        """Takes captures again, for what the pages at the chosen paths say."""
        for host, path, page in self._pages_of(batch):
            if path in self._wanted[host]:
                known = self._pages[host].get(path)
                self._pages[host][path] = page if known is None or page.at >= known.at else known

    def compared(self) -> dict[str, Compared]:
        """Returns what came of it, by mirror."""
        return {mirror: _compared(self._pages[mirror], self._pages[of]) for mirror, of in self._mirrors.items()}

    def _pages_of(self, batch: pa.RecordBatch) -> Iterator[tuple[str, int, _Page]]:
        some = batch.filter(compute.is_in(batch["host"], self._hosts))
        columns = (some[name].to_pylist() for name in ("host", "url", "digest", "simhash", "at", "mark"))
        for host, url, digest, simhash, at, mark in zip(*columns, strict=True):
            if mark & IS_PAGE and not mark & IS_NONE:
                path = xxh3_64_intdigest(url.split("/", 3)[-1].encode())
                yield host, path, _Page(at, origin_of(url), simhash, digest)


def _compared(mine: Mapping[int, _Page], theirs: Mapping[int, _Page]) -> Compared:
    texts: set[int | str] = set()
    origins: Counter[str] = Counter()
    differed = 0
    for path in mine.keys() & theirs.keys():
        one, other = mine[path], theirs[path]
        if _is_same(one, other):
            texts.add(one.simhash or one.digest)
            origins[other.origin] += 1
        else:
            differed += 1
    origin = max(origins, key=lambda name: (origins[name], name), default="")
    return Compared(origin, len(texts), differed)


def _is_same(one: _Page, other: _Page) -> bool:
    if one.simhash and other.simhash:
        return (one.simhash ^ other.simhash).bit_count() <= BITS
    return bool(one.digest) and one.digest == other.digest
