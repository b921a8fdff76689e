"""Follows every revisit in an archive to the record that it repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from skitter.store.warc.reader import Reader, Record

Judge = Callable[[Path], Counter[str]]

_REFERS = ("warc-refers-to", "warc-refers-to-target-uri", "warc-refers-to-date", "warc-payload-digest")
_IS = ("warc-record-id", "warc-target-uri", "warc-date", "warc-payload-digest")


def responses(directory: Path, judged: Judge | None = None) -> list[Record]:
    """Returns the responses in the archive, after every file was judged, and every revisit led to one of them."""
    files = sorted((directory / "warc").rglob("skitter-*"))
    if judged is not None:
        for path in files:
            judged(path)
    there = {(path.name, record.offset): record for path in files for record in Reader(path)}
    for revisit in (record for record in there.values() if record.kind == "revisit"):
        fields = revisit.fields
        original = there[fields["warc-refers-to-filename"], int(fields["warc-refers-to-file-offset"])]
        assert original.kind == "response"
        assert [fields[name] for name in _REFERS] == [original.fields[name] for name in _IS]
    return [record for record in there.values() if record.kind == "response"]
