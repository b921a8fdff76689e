"""Targets for what lies in an archive: WARC files of any bytes, torn or doctored, and what is made of them."""

from __future__ import annotations

import atexit
import gzip
import re
import shutil
import tempfile
from pathlib import Path

import msgspec

from skitter.audit.audit import audit
from skitter.errors import MachineError, SkitterError
from skitter.settings import Settings
from skitter.store.disk import RealDisk
from skitter.store.index import facts
from skitter.store.index.cdxj import cdxj_line
from skitter.store.index.entries import Entry, entries_of
from skitter.store.warc import records
from skitter.store.warc.file import OPEN, warc_name
from skitter.store.warc.reader import Reader, Record
from skitter.store.warc.repair import Recovered, seal_left_open
from tests.fuzz.pieces import damaged, first_difference, scripted

FOLDER = Path(tempfile.mkdtemp(prefix="skitter-fuzz-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
NAME = warc_name("20260101000000", "n0", 0)
SEALED, LEFT_OPEN = FOLDER / "warc" / NAME, FOLDER / "warc" / (NAME + OPEN)


def fuzz_warc(data: bytes) -> None:
    """Any bytes as a file: the reader ends at the last whole record; repair cuts there, or changes nothing."""
    before = _records(_written(data), data, verify=False)
    recovered = _repaired(data)
    if recovered is None:
        assert LEFT_OPEN.read_bytes() == data
        return
    assert recovered.end + recovered.lost == len(data)
    kept = SEALED.read_bytes() if recovered.end else b""
    assert kept == data[: recovered.end]
    assert not LEFT_OPEN.exists()
    if kept:
        assert _records(SEALED, kept, verify=False) == before
        assert Reader(SEALED).broken is None


def fuzz_warc_damaged(data: bytes) -> None:
    """Of a good file that was changed or cut, every record before the first change is read, and none is made up."""
    script, body = scripted(data)
    whole = [gzip.compress(record, mtime=0) for record in _good(body)]
    file = b"".join(whole)
    bad = damaged(script, file)
    good = _records(_written(file), file, verify=True)
    assert [record.length for record in good] == [len(member) for member in whole]
    found = _records(_written(bad), bad, verify=True)
    untouched = sum(record.offset + record.length <= first_difference(file, bad) for record in good)
    assert found[:untouched] == good[:untouched]
    assert {_content(record) for record in found} <= {_content(record) for record in good}
    recovered = _repaired(bad)
    if recovered is not None and recovered.end:
        assert _records(SEALED, bad[: recovered.end], verify=True)[:untouched] == good[:untouched]


def fuzz_entries(data: bytes) -> None:
    """Records of any content become lines of an index, one each and sortable, or a ValueError."""
    path = _written(_members(data))
    try:
        entries = list(entries_of(Reader(path)))
    except ValueError:
        return
    for entry in entries:
        if entry.answer is not None and _is_ours(entry):
            line = cdxj_line(entry, NAME)
            assert line.index(b"\n") == len(line) - 1
            assert re.match(rb"[!-~]+ \d{14} \{", line)
        again = facts.decode(facts.encode(entry.facts))
        assert facts.decode(facts.encode(again)) == again


def fuzz_audit(data: bytes) -> None:
    """An archive of any content is found clean or not, or can't be read: it never breaks who looks at it."""
    _written(_members(data))
    try:
        report = audit(FOLDER)
    except SkitterError:
        return
    assert report.files == 1
    assert report.is_clean == (not report.counts)
    assert sum(report.counts.values()) >= len(report.shown)


def _is_ours(entry: Entry) -> bool:
    """Whether an entry has a URL and a date such as we write."""
    return re.fullmatch(r"https?://[!-~]+", entry.url) is not None and entry.micros > 0


def _written(content: bytes) -> Path:
    LEFT_OPEN.parent.mkdir(exist_ok=True)
    SEALED.unlink(missing_ok=True)
    LEFT_OPEN.write_bytes(content)
    return LEFT_OPEN


def _records(path: Path, content: bytes, *, verify: bool) -> list[Record]:
    """Returns the records of a file that holds `content`, having checked that the reader told the truth of its end."""
    reader = Reader(path, verify=verify)
    found = list(reader)
    ends = [record.offset + record.length for record in found]
    assert [record.offset for record in found] == [0, *ends][: len(found)]
    assert reader.end == (ends[-1] if ends else 0)
    assert (reader.broken is None) == (reader.end == len(content))
    assert reader.broken is None or reader.broken.offset == reader.end
    return found


def _repaired(content: bytes) -> Recovered | None:
    """Returns what repair made of a file that holds `content`; None if it was refused."""
    path = _written(content)
    try:
        return seal_left_open(RealDisk(), path)
    except MachineError as error:
        assert NAME in error.where
        return None


def _content(record: Record) -> tuple[object, ...]:
    return tuple(sorted(record.fields.items())), record.block


def _good(body: bytes) -> list[bytes]:
    """Returns records as they are written, with `body` in the middle one."""
    head = [("WARC-Type", "metadata"), ("WARC-Date", "2026-01-01T00:00:00Z")]
    return [
        records.record([*head, ("WARC-Record-ID", f"<urn:uuid:{number}>")], block)
        for number, block in enumerate((b"first", body, b"last"))
    ]


_BEGINNING = re.compile(rb"(?=WARC/1\.[01]\r\n)")
_LENGTH = re.compile(rb"(?<=\nContent-Length: )\d*")


def _members(data: bytes) -> bytes:
    """Returns the records in `data` as gzip members. Their lengths are put right, unless the first byte is odd."""
    parts = [part for part in _BEGINNING.split(data[1:]) if part]
    if data[:1] and not data[0] % 2:
        parts = [_with_length(part) for part in parts]
    return b"".join(gzip.compress(part, 1, mtime=0) for part in parts)


def _with_length(part: bytes) -> bytes:
    head, blank, block = part.partition(b"\r\n\r\n")
    block = block.removesuffix(b"\r\n\r\n")
    return _LENGTH.sub(b"%d" % len(block), head) + blank + block + b"\r\n\r\n"


def _record(kind: str, number: int, block: bytes, *more: tuple[str, str]) -> bytes:
    head = [("WARC-Type", kind), ("WARC-Record-ID", f"<urn:uuid:{number}>"), ("WARC-Date", "2026-01-01T00:00:00.5Z")]
    return re.sub(rb"WARC-Block-Digest[^\n]*\n", b"", records.record([*head, *more], block))


def _exchange(path: str, number: int, body: bytes, errand: str) -> bytes:
    url = ("WARC-Target-URI", f"http://a.org{path}")
    to = ("WARC-Concurrent-To", f"<urn:uuid:{number + 1}>")
    said = b"host: a.org\r\nerrand: %s\r\ndepth: 1\r\nfetchTimeMs: 1.5\r\nverdict: keep follow\r\n" % errand.encode()
    links = b"outlinkCount: 1\r\noutlink: http://a.org/b a navigation follow text\r\n"
    return (
        _record("request", number, f"GET {path} HTTP/1.1\r\nHost: a.org\r\n\r\n".encode(), url, to)
        + _record("response", number + 1, b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body, url)
        + _record("metadata", number + 2, said + links, url, to)
    )


_SAID = f"configuration: {msgspec.json.encode(Settings()).decode()}\r\n".encode()
_ARCHIVE = (
    b"\0"
    + _record("warcinfo", 100, _SAID)
    + _exchange("/robots.txt", 0, b"User-agent: *\nDisallow: /x", "robots")
    + _exchange("/x", 10, b"<a href=/b>text</a>", "page")
)

TARGETS = {
    "warc": fuzz_warc,
    "warc_damaged": fuzz_warc_damaged,
    "entries": fuzz_entries,
    "audit": fuzz_audit,
}

SEEDS = {
    "warc": [gzip.compress(_record("metadata", 1, b"a: b"), mtime=0) * 2, b"\x1f\x8b\x08\0"],
    "warc_damaged": [b"\x00a block", b"\x04\x60\x20\x90\xc0another block"],
    "entries": [_ARCHIVE],
    "audit": [_ARCHIVE],
}
