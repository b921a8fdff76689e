"""Small webs as the survey takes them, and what it says of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from skitter.rank.publish import batch_of
from skitter.rank.ratings import Ratings
from skitter.rank.survey.plain import Survey, Surveyed
from skitter.rank.survey.quick import new_survey
from skitter.url.domains import Domains
from skitter.url.routes import Routes

Link = tuple[str, str, int]
Capture = tuple[str, str, str, int, int, int]
"""Host, URL, digest, SimHash, time, mark."""

DOMAINS = Domains(["com", "co.uk", "uk", "*.ck", "!www.ck", "github.io", "io"], suffixes=["sim.test"])
ROUTES = Routes(DOMAINS, 8)


def link_batch(links: Sequence[Link]) -> pa.RecordBatch:
    """Returns links as a batch."""
    sources, targets, marks = zip(*links, strict=True) if links else ((), (), ())
    columns = [
        pa.array(sources, pa.string()).dictionary_encode(),
        pa.array(targets, pa.string()),
        pa.array(marks, pa.uint8()),
    ]
    return pa.record_batch(columns, names=["source", "target", "mark"])


def capture_batch(captures: Sequence[Capture]) -> pa.RecordBatch:
    """Returns captures as a batch."""
    names = ("host", "url", "digest", "simhash", "at", "mark")
    types = (pa.string(), pa.string(), pa.string(), pa.uint64(), pa.int64(), pa.uint8())
    columns = list(zip(*captures, strict=True)) if captures else [()] * len(names)
    return pa.record_batch(
        [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)], names=list(names)
    )


def surveyed(survey: Survey, links: Sequence[Link], captures: Sequence[Capture], seeds: Sequence[str]) -> Surveyed:
    """Returns what a survey says of a web; the links come in two batches."""
    half = len(links) // 2
    whole = link_batch(links)
    survey.links(whole.slice(0, half))
    survey.links(whole.slice(half))
    survey.captures(capture_batch(captures))
    return survey.settle(seeds)


def rated(
    links: Iterable[Link], captures: Sequence[Capture] = (), seeds: Sequence[str] = ()
) -> dict[str, dict[str, object]]:
    """Returns the rows of domains, by their names, and of hosts, each with `host ` before it."""
    found = surveyed(new_survey(DOMAINS), list(links), captures, seeds)
    rows = [row for columns in Ratings(found, ROUTES, seeds, {}).by_shard() for row in batch_of(columns).to_pylist()]
    return {f"host {row['name']}" if row["kind"] == "host" else str(row["name"]): row for row in rows}
