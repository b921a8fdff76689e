"""What a crawl that was killed again and again is held to: the server's log, the truth, the frontier, the archive."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet

from skitter.messages import State, Url
from skitter.shard.records import UrlRecord
from skitter.simweb.judge import Findings, repeated
from skitter.simweb.log import Request
from skitter.simweb.truth import Truth
from skitter.store.index.paths import index_paths
from skitter.store.warc.reader import Reader, Record
from skitter.url.canon import Canon
from skitter.url.keys import host_of
from tests.faults.crawler import Web, settled
from tests.faults.driver import Kill, Ordeal

with warnings.catch_warnings():  # FastWARC warns of its own old names as it is imported
    warnings.simplefilter("ignore", DeprecationWarning)
    from fastwarc import ArchiveIterator

STALL = 0.1
"""A busy machine stands still for so long now and then, and more: two requests that were a full delay apart when they
were sent are closer to one another in the server's log then. How they were sent, `audit` proves to 5 ms."""

SELDOM = 0.03
"""The part of all gaps that a stall may have made shorter by a tenth."""


class Verdict(NamedTuple):
    """What was found. `faults` is empty if every promise was kept; else what was broken, and where."""

    faults: Mapping[str, Sequence[object]]
    requests: int
    pages: int
    urls: int
    again: int  # pages that were leased at a kill and fetched twice for it
    files: int
    records: int
    rows: int


def judge(out: Path, web: Web, ordeal: Ordeal, delay: float) -> Verdict:
    """Returns what the server's log, the frontier and the archive say of an ordeal. Nobody may be crawling."""
    requests, urls = web.requests(), settled(out)
    archive = Archive(out)
    again = list(repeated(requests))
    faults: dict[str, Sequence[object]] = {
        **_against_the_log(web, delay),
        "settled, yet fetched again": [r.url for r in requests if ordeal.done.get(r.url, float("inf")) < r.began],
        "fetched twice though not leased at a kill": unexcused(again, requests, ordeal.kills),
        "answered, yet not settled": _unsettled(requests, urls, web.truth()),
        "counts that do not add up": _counts(ordeal.ended, urls),
        "settled, yet not in the archive": [url.href for url in urls if not archive.holds(url)],
        "archive": archive.faults,
        "audit": audit_faults(out),
    }
    return Verdict(
        {name: found for name, found in faults.items() if found},
        len(requests),
        sum(url.state is State.DONE for url in urls),
        len(urls),
        len(again),
        archive.files,
        len(archive.records),
        archive.rows,
    )


def _against_the_log(web: Web, delay: float) -> dict[str, Sequence[object]]:
    findings, truth = web.findings(), web.truth()
    return {
        "lost": sorted(findings.missed(truth)),
        "uncalled for": sorted(findings.uncalled(web.truth(patient=True))),
        "forbidden": findings.forbidden,
        "before robots.txt": findings.before_robots,
        "at once": [host for host, visits in findings.hosts.items() if visits.most_at_once > 1],
        "too early": list(findings.too_early(delay, max(STALL, delay / 2)).items()),
        "early too often": _early(findings, delay),
    }


def _early(findings: Findings, delay: float) -> list[str]:
    """Returns what is to be said against us if more gaps are short than stalls could have made so."""
    hosts = findings.hosts.values()
    early = sum(visits.gaps_under(max(delay, visits.crawl_delay) * 0.9) for visits in hosts)
    gaps = sum(len(visits.starts) - 1 for visits in hosts)
    return [f"{early} of {gaps}"] if delay > STALL and early > SELDOM * gaps else []


def unexcused(again: Sequence[Request], requests: Sequence[Request], kills: Sequence[Kill]) -> list[str]:
    """Returns the repeated requests that were not the last one of their host when something was killed."""
    starts: dict[str, list[float]] = defaultdict(list)
    for request in requests:
        starts[host_of(request.url)].append(request.began)
    return [one.url for one in again if not any(_was_leased(one, starts[host_of(one.url)], kill) for kill in kills)]


def _was_leased(request: Request, starts: Sequence[float], kill: Kill) -> bool:
    if kill.at < request.began <= kill.until:
        return True
    return request.began <= kill.at and not any(request.began < start <= kill.at for start in starts)


def _unsettled(requests: Sequence[Request], urls: Sequence[UrlRecord], truth: Truth) -> list[str]:
    """Returns the pages that the server gave whole, and of which we do not know it."""
    canon = Canon()
    done = {_key(canon, url.href) for url in urls if url.state in (State.DONE, State.FAILED, State.DEAD)}
    given = {_key(canon, request.url) for request in requests if request.status == 200}
    return sorted((given & truth.pages) - done)


def _key(canon: Canon, text: str) -> str:
    url = canon(text)
    return url.key if isinstance(url, Url) else text


def _counts(ended: Mapping[str, object], urls: Sequence[UrlRecord]) -> list[object]:
    told, held = ended["urls"], Counter(url.state.value for url in urls)
    assert isinstance(told, dict)
    return [] if {name: n for name, n in told.items() if n} == held else [told, held]


class Archive:
    """The WARC files and their tables, as three readers find them."""

    def __init__(self, out: Path) -> None:
        self.faults: list[str] = [str(file) for file in out.rglob("*") if file.suffix in (".open", ".tmp")]
        self.records: dict[tuple[str, int], Record] = {}
        self.rows = 0
        paths = sorted((out / "warc").rglob("*.warc.gz"))
        self.files = len(paths)
        for path in paths:
            self._read(out, path)
        self.faults += _warcio(paths)

    def holds(self, url: UrlRecord) -> bool:
        """Whether the last capture of a URL that is done is where its record says."""
        if url.state is not State.DONE:
            return True
        record = self.records.get((url.file or "", url.offset))
        return record is not None and record.fields["warc-target-uri"] == url.href

    def _read(self, out: Path, path: Path) -> None:
        reader = Reader(path)
        records = list(reader)
        self.records |= {(path.name, record.offset): record for record in records}
        if reader.broken is not None or reader.end != path.stat().st_size:
            self.faults.append(f"{path}: {reader.broken}")
        if (theirs := list(_fastwarc(path))) != [record.kind for record in records]:
            self.faults.append(f"{path}: FastWARC finds {Counter(theirs)}")
        self._compare(path, records, index_paths(out, path.name))

    def _compare(self, path: Path, records: Sequence[Record], tables: Mapping[str, Path]) -> None:
        """Notes each table that does not have a row for each record, and no other."""
        answers = [record.offset for record in records if record.kind in ("response", "revisit")]
        answered = {record.fields["warc-record-id"] for record in records if record.kind in ("response", "revisit")}
        silent = [
            record.offset
            for record in records
            if record.kind == "metadata" and record.fields.get("warc-concurrent-to") not in answered
        ]
        for name, offsets in (("captures", answers), ("failures", silent)):
            rows = _column(tables[name], "warc_offset")
            self.rows += len(rows)
            if sorted(rows) != offsets:
                self.faults.append(f"{tables[name]}: {len(rows)} rows, but {len(offsets)} records in {path.name}")


def _column(path: Path, name: str) -> list[Any]:
    column: list[Any] = pyarrow.parquet.read_table(path, columns=[name]).column(name).to_pylist()
    return column


def _fastwarc(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        for record in ArchiveIterator(file, parse_http=False):
            yield record.headers["WARC-Type"] if record.verify_block_digest() else "a wrong digest"


def _warcio(paths: Sequence[Path]) -> list[str]:
    command = [Path(sys.executable).with_name("warcio"), "check", *paths]
    judged = subprocess.run(command, capture_output=True, text=True, check=False)
    return [] if judged.returncode == 0 else [judged.stdout[-2000:]]


def audit_faults(out: Path) -> list[object]:
    """Returns what the archive alone shows against us."""
    command = [sys.executable, "-m", "skitter", "audit", str(out), "--json"]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    return [*report["counts"].items(), *report["shown"]] if report["counts"] else []
