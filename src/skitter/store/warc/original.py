"""Finds the record that a revisit repeats."""

from __future__ import annotations

from pathlib import Path

from skitter.store.warc.file import OPEN
from skitter.store.warc.heads import head_length
from skitter.store.warc.places import places_of
from skitter.store.warc.reader import Reader, Record


def original_name(revisit: Record) -> str:
    """Returns the name of the WARC file that a revisit refers to, nothing if it names none."""
    return Path(revisit.fields.get("warc-refers-to-filename", "")).name


def original_of(revisit: Record, folder: Path) -> Record | None:
    """Returns the record that a revisit refers to, by file and offset; None if it is not there."""
    name, offset = original_name(revisit), revisit.fields.get("warc-refers-to-file-offset", "")
    is_told = name and offset.isdecimal() and offset.isascii()
    record = _record_at(folder, name, int(offset)) if is_told else None
    if record is None or record.fields["warc-record-id"] != revisit.fields.get("warc-refers-to"):
        return None
    return record


def whole_answer(answer: Record, folder: Path) -> bytes | None:
    """Returns head and payload of a response or revisit, None if the payload is not to be had."""
    if answer.kind == "response" or answer.fields.get("warc-profile", "").endswith("/server-not-modified"):
        return answer.block
    original = original_of(answer, folder)
    if original is None:
        return None
    return answer.block + original.block[head_length(original.block) or len(original.block) :]


def _record_at(folder: Path, name: str, offset: int) -> Record | None:
    sealed, old = places_of(folder, name)
    being_written = (path.with_name(name + OPEN) for path in (sealed, old))
    for path in (sealed, old, *being_written, sealed, old):  # it may be sealed between two looks
        try:
            return next(iter(Reader(path, offset, verify=False)), None)
        except FileNotFoundError:
            continue
    return None
