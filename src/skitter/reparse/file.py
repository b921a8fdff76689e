"""One WARC file, read again into index files of its own. They are there whole, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct, structs

from skitter.reading.meaning import Rules
from skitter.reparse.capture import read_again
from skitter.store.index.entries import Entry, entries_of
from skitter.store.index.files import make_index
from skitter.store.warc.heads import head_length
from skitter.store.warc.original import original_of
from skitter.store.warc.reader import Record
from skitter.store.warc.repair import whole_records


class FileDone(Struct, frozen=True):
    """What came of one WARC file."""

    file: str
    captures: int = 0
    links: int = 0
    changed: int = 0  # captures of which something is told otherwise than before
    kept: int = 0  # captures whose body is in a file that is not here: they are as they were
    trouble: str = ""  # why nothing was made of it


def reparse_file(path: Path, warc: Path, out: Path, rules: Rules) -> FileDone:
    """Writes the index files of `path`, one of the archive `warc`, into `out`. MachineError if it is damaged."""
    count = _Count(path.name)
    make_index(out, path, _entries(path, warc, rules, count))
    return FileDone(count.file, count.captures, count.links, count.changed, count.kept)


class _Count:
    def __init__(self, file: str) -> None:
        self.file = file
        self.captures = self.links = self.changed = self.kept = 0


def _entries(path: Path, warc: Path, rules: Rules, count: _Count) -> Iterator[Entry]:
    answers: dict[int, Record] = {}  # by offset; the entry for one follows at once

    def noted() -> Iterator[Record]:
        for record in whole_records(path):
            if record.kind in ("response", "revisit"):
                answers.clear()
                answers[record.offset] = record
            yield record

    for entry in entries_of(noted()):
        yield _again(entry, answers.get(entry.offset), warc, rules, count)


def _again(entry: Entry, answer: Record | None, warc: Path, rules: Rules, count: _Count) -> Entry:
    count.captures += 1
    if answer is None or not entry.facts.errand:
        return entry
    whole = _whole(answer, warc)
    if whole is None:
        count.kept += 1
        return entry
    facts = read_again(entry.url, whole, entry.facts, rules)
    count.links += len(facts.links)
    count.changed += facts != structs.replace(entry.facts, links=facts.links) or list(facts.links) != list(
        entry.facts.links
    )
    return structs.replace(entry, facts=facts)


def _whole(answer: Record, warc: Path) -> bytes | None:
    """Returns head and payload of an answer, None if the payload is not to be had."""
    if answer.kind == "response" or answer.fields.get("warc-profile", "").endswith("/server-not-modified"):
        return answer.block
    original = original_of(answer, warc)
    if original is None:
        return None
    return answer.block + original.block[head_length(original.block) or len(original.block) :]
