"""The index files of one WARC file: CDXJ for replay, Parquet tables for analysis.

They are made under temporary names. The CDXJ file is renamed last: where it is, all are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from skitter.store.index.cdxj import CdxjFile, cdxj_line
from skitter.store.index.entries import AnswerEntry, Entry, entries_of
from skitter.store.index.linkrows import LinkRows
from skitter.store.index.parquet import SCHEMAS, Table
from skitter.store.index.paths import index_paths, temporary
from skitter.store.warc.dates import MICRO
from skitter.store.warc.repair import damaged, whole_records
from skitter.url.keys import host_of

Row = tuple[Any, ...]
NOT_MODIFIED = 304
"""Not in the replay index: pywb would show an empty 304 where the page itself, stored earlier, is what is wanted."""
_AT_ONCE = 500


class HostCount:
    """What one file holds of one host."""

    __slots__ = ("bytes", "captures", "errors", "failures", "first", "last", "revisits")

    def __init__(self, micros: int) -> None:
        self.captures = self.revisits = self.errors = self.failures = self.bytes = 0
        self.first = self.last = micros

    def add(self, entry: Entry) -> None:
        """Counts one fetch."""
        self.first, self.last = min(self.first, entry.micros), max(self.last, entry.micros)
        if entry.answer is None:
            self.failures += 1
            return
        self.captures += 1
        self.revisits += entry.answer.revisit
        self.errors += entry.answer.status >= 400
        self.bytes += _received(entry, entry.answer)


class Index:
    """The index files of the WARC file called `file`, while they are made."""

    def __init__(self, directory: Path, file: str) -> None:
        self._file = file
        self._finals = index_paths(directory, file)
        for path in self._finals.values():
            path.parent.mkdir(parents=True, exist_ok=True)
        self._cdxj = CdxjFile(temporary(self._finals["cdxj"]))
        self._tables = {name: Table(temporary(self._finals[name]), schema) for name, schema in SCHEMAS.items()}
        self._links = LinkRows(self._tables["links"])
        self._hosts: dict[str, HostCount] = {}

    def add(self, entries: Iterable[Entry]) -> None:
        """Takes captures in any order."""
        captures: list[Row] = []
        failures: list[Row] = []
        for entry in entries:
            host = entry.facts.host or host_of(entry.url)
            if entry.answer:
                captures.append(_capture_row(entry, entry.answer, host, self._file))
                if entry.answer.status != NOT_MODIFIED:
                    self._cdxj.add(cdxj_line(entry, self._file))
            else:
                failures.append(_failure_row(entry, host, self._file))
            if entry.facts.links:
                self._links.add(entry.url, entry.facts.links, entry.facts.refused)
            if host not in self._hosts:
                self._hosts[host] = HostCount(entry.micros)
            self._hosts[host].add(entry)
        self._tables["captures"].extend(captures)
        self._tables["failures"].extend(failures)

    def finish(self) -> None:
        """Writes what is left and gives the files their names."""
        self._tables["hosts"].extend(
            [_host_row(host, count, self._file) for host, count in sorted(self._hosts.items())]
        )
        self._links.flush()
        for table in self._tables.values():
            table.close()
        self._cdxj.close()
        for path in self._finals.values():
            temporary(path).rename(path)

    def drop(self) -> None:
        """Gives up, and removes what was begun."""
        self._cdxj.drop()
        for table in self._tables.values():
            table.drop()
        for path in self._finals.values():
            temporary(path).unlink(missing_ok=True)


def make_index(directory: Path, path: Path, entries: Iterator[Entry] | None = None) -> None:
    """Makes the index files of a sealed WARC file from the file alone. MachineError if the file is damaged.

    `entries` are those of the file, if it is for others to say what they tell.
    """
    index = Index(directory, path.name)
    try:
        entries = entries_of(whole_records(path)) if entries is None else entries
        while some := list(islice(entries, _AT_ONCE)):
            index.add(some)
        index.finish()
    except ValueError as error:
        index.drop()
        raise damaged(path, 0, f"a record is not as Skitter writes it: {error}") from error
    except BaseException:
        index.drop()
        raise


def _capture_row(entry: Entry, answer: AnswerEntry, host: str, file: str) -> Row:
    facts = entry.facts
    return (
        entry.url,
        host,
        facts.errand or None,
        facts.depth,
        facts.parent or None,
        answer.status,
        answer.mime or None,
        facts.encoding or None,
        facts.lang or None,
        facts.title or None,
        _received(entry, answer),
        facts.content_length,
        facts.content_digest or None,
        answer.payload_digest or None,
        answer.revisit,
        answer.truncated or None,
        facts.insecure,
        facts.failure or None,
        facts.verdict or None,
        list(facts.reasons),
        facts.duplicate_of or None,
        facts.simhash,
        len(facts.links),
        facts.rendered or None,
        entry.micros,
        _seconds(entry),
        entry.address or None,
        file,
        entry.offset,
        entry.length,
    )


def _failure_row(entry: Entry, host: str, file: str) -> Row:
    facts = entry.facts
    return (
        entry.url,
        host,
        facts.errand or None,
        facts.depth,
        facts.tries,
        facts.failure or None,
        facts.failure_detail or None,
        entry.micros,
        _seconds(entry),
        entry.address or None,
        file,
        entry.offset,
        entry.length,
    )


def _host_row(host: str, count: HostCount, file: str) -> Row:
    counts = (count.captures, count.revisits, count.errors, count.failures, count.bytes)
    return (host, *counts, count.first, count.last, file)


def _received(entry: Entry, answer: AnswerEntry) -> int:
    return answer.payload_length if entry.facts.received is None else entry.facts.received


def _seconds(entry: Entry) -> float | None:
    return None if entry.facts.micros is None else entry.facts.micros / MICRO
