"""One WARC file, read again into index files of its own. They are there whole, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, structs

from skitter.reading.meaning import Rules
from skitter.reparse.capture import read_again
from skitter.store.index.entries import Entry, entries_of
from skitter.store.index.files import make_index
from skitter.store.warc.original import whole_answer
from skitter.store.warc.reader import Record
from skitter.store.warc.repair import whole_records

if TYPE_CHECKING:  # few crawls have any
    from skitter.content.pdf.desk import PdfDesk
    from skitter.plugins.chain import Plugins


class FileDone(Struct, frozen=True):
    """What came of one WARC file."""

    file: str
    captures: int = 0
    links: int = 0
    changed: int = 0  # captures of which something is told otherwise than before
    kept: int = 0  # captures whose body is in a file that is not here: they are as they were
    trouble: str = ""  # why nothing was made of it


class Readers(NamedTuple):
    """Who reads, beside ourselves."""

    plugins: Plugins | None = None
    papers: PdfDesk | None = None


def reparse_file(path: Path, warc: Path, out: Path, rules: Rules, readers: Readers = Readers()) -> FileDone:  # noqa: B008
    """Writes the index files of `path`, one of the archive `warc`, into `out`. MachineError if it is damaged."""
    count = _Count(path.name)
    make_index(out, path, _entries(path, warc, rules, readers, count))
    return FileDone(count.file, count.captures, count.links, count.changed, count.kept)


class _Count:
    def __init__(self, file: str) -> None:
        self.file = file
        self.captures = self.links = self.changed = self.kept = 0


def _entries(path: Path, warc: Path, rules: Rules, readers: Readers, count: _Count) -> Iterator[Entry]:
    answers: dict[int, Record] = {}  # by offset; the entry for one follows at once

    def noted() -> Iterator[Record]:
        for record in whole_records(path):
            if record.kind in ("response", "revisit"):
                answers.clear()
                answers[record.offset] = record
            yield record

    for entry in entries_of(noted()):
        yield _again(entry, answers.get(entry.offset), warc, rules, readers, count)


def _again(entry: Entry, answer: Record | None, warc: Path, rules: Rules, readers: Readers, count: _Count) -> Entry:
    count.captures += 1
    if answer is None or not entry.facts.errand:
        return entry
    whole = whole_answer(answer, warc)
    if whole is None:
        count.kept += 1
        return entry
    facts = read_again(entry.url, whole, entry.facts, rules, *readers)
    count.links += len(facts.links)
    count.changed += facts != structs.replace(entry.facts, links=facts.links) or list(facts.links) != list(
        entry.facts.links
    )
    return structs.replace(entry, facts=facts)
