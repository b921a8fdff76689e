"""The survey in the kernel: columns go there as Arrow holds them, and no object is made of any link."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import compute
from xxhash import xxh3_64_intdigest

from skitter.kernel import IS_NATIVE
from skitter.rank.survey.forms import Inlinks, PlainInlinks
from skitter.rank.survey.plain import SIGNALS, PlainSurvey, Survey, Surveyed
from skitter.url.domains import Domains

if IS_NATIVE:
    from skitter import _native

HEAD = 2
"""Lines before the rules, in the frozen form of domains."""

NOBODY = 2**32 - 1


def new_survey(domains: Domains) -> Survey:
    """Returns the quicker survey if there is a kernel, else the plain one."""
    return QuickSurvey(domains) if IS_NATIVE else PlainSurvey(domains)


class QuickSurvey:
    """The survey of the kernel, see `plain.Survey`."""

    def __init__(self, domains: Domains) -> None:
        self._kernel = _native.Survey(domains.frozen().decode().split("\n")[HEAD:-1])

    def links(self, batch: pa.RecordBatch) -> None:
        """See `Survey`."""
        self._kernel.links(*_links(batch))

    def captures(self, batch: pa.RecordBatch) -> None:
        """See `Survey`."""
        hosts, urls, digests = (_texts(batch[name]) for name in ("host", "url", "digest"))
        simhashes, times, marks = (_bytes(batch[name]) for name in ("simhash", "at", "mark"))
        self._kernel.captures(hosts, urls, digests, simhashes, times, marks)

    def settle(self, seeds: Sequence[str]) -> Surveyed:
        """See `Survey`."""
        hosts, domains = self._kernel.settle(list(seeds))
        return Surveyed(_table(*hosts), _table(*domains))


def new_inlinks(urls: Sequence[str]) -> Inlinks:
    """Returns the quicker count if there is a kernel, else the plain one."""
    return QuickInlinks(urls) if IS_NATIVE else PlainInlinks(urls)


class QuickInlinks:
    """The count of the kernel, see `forms.Inlinks`."""

    def __init__(self, urls: Sequence[str]) -> None:
        self._kernel = _native.Inlinks(_hashes(urls))

    def links(self, batch: pa.RecordBatch) -> None:
        """See `Inlinks`."""
        self._kernel.links(*_links(batch))

    def counts(self, urls: Sequence[str]) -> list[int]:
        """See `Inlinks`."""
        return self._kernel.counts(_hashes(urls))


def _hashes(urls: Sequence[str]) -> bytes:
    return b"".join(xxh3_64_intdigest(url.encode()).to_bytes(8, "little") for url in urls)


def _links(batch: pa.RecordBatch) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes]:
    source = batch["source"]
    places = _bytes(source.indices.cast(pa.int32()))
    return *_texts(source.dictionary), places, *_texts(batch["target"]), _bytes(batch["mark"])


def _texts(column: pa.StringArray) -> tuple[bytes, bytes]:
    """Returns where each text ends, after where the first begins, and the text that is between."""
    if not len(column):
        return b"\0\0\0\0", b""
    _, ends, text = column.buffers()
    ends = ends.slice(4 * column.offset, 4 * (len(column) + 1)).to_pybytes()
    first, last = (int.from_bytes(ends[at : at + 4], "little") for at in (0, len(ends) - 4))
    return ends, b"" if text is None else text.slice(first, last - first).to_pybytes()


def _bytes(column: pa.Array) -> bytes:
    width = column.type.bit_width // 8
    found: bytes = column.buffers()[1].slice(width * column.offset, width * len(column)).to_pybytes()
    return found


def _table(ends: bytes, text: bytes, columns: dict[str, bytes]) -> pa.Table:
    many = len(ends) // 8 - 1
    names = pa.Array.from_buffers(pa.large_string(), many, [None, pa.py_buffer(ends), pa.py_buffer(text)])
    return pa.table([names if field.name == "name" else _column(field, columns, many) for field in SIGNALS], SIGNALS)


def _column(field: pa.Field, columns: dict[str, bytes], many: int) -> pa.Array:
    if field.name not in columns:
        return pa.nulls(many, field.type)
    numbers = pa.Array.from_buffers(field.type, many, [None, pa.py_buffer(columns[field.name])])
    if field.name != "mirror_of":
        return numbers
    return compute.if_else(compute.equal(numbers, NOBODY), pa.scalar(None, field.type), numbers)
