"""What the rows of the tables mean to the survey. Pure: a batch of a table in, a batch as the survey takes it out.

`reasons` was one text once, and is a list since; `duplicate_of`, `simhash` and `refused` came later: a table without
them is read all the same.
"""

from __future__ import annotations

import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import compute

from skitter.messages import PAGE_ERRANDS, LinkKind, Reason
from skitter.rank.survey.marks import CaptureMark, LinkMark
from skitter.rank.tables import FEW_TEXTS, Table

VOUCHING = frozenset({LinkKind.NAVIGATION, LinkKind.CANONICAL, LinkKind.REFRESH, LinkKind.REDIRECT})
"""Links that somebody wrote to lead to a page. An image, a form or a frame says nothing of the site it is from."""

THIN = 512
"""A page of fewer bytes, markup included, has next to nothing to say."""

SOFT_404, COPY = "soft_404", "copy"


def links(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Returns links as the survey takes them."""
    vouching = pa.array([int(kind in VOUCHING) for kind in batch["kind"].dictionary.to_pylist()], pa.uint8())
    counts = compute.fill_null(vouching.take(batch["kind"].indices), 0)
    follows = compute.invert(compute.fill_null(batch["nofollow"], False)).cast(pa.uint8())
    if "refused" in batch.schema.names:
        # The page itself may ask that none of its links be followed.
        refused = batch["refused"]
        allowed = pa.array([int(reason != Reason.NOFOLLOW) for reason in refused.dictionary.to_pylist()], pa.uint8())
        follows = compute.multiply(follows, compute.fill_null(allowed.take(refused.indices), 1))
    more = LinkMark.VOUCHES - LinkMark.NOFOLLOW
    marks = compute.multiply(counts, compute.add(compute.multiply(follows, _byte(more)), _byte(LinkMark.NOFOLLOW)))
    return pa.record_batch([batch["source"], _text(batch["target"]), marks], names=["source", "target", "mark"])


def captures(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Returns captures as the survey takes them."""
    names = batch.schema.names
    status = compute.fill_null(batch["status"], 0)
    is_page, is_there = _pages(batch)
    is_html = _is(compute.match_substring(batch["mime"], "html"))
    marks = {
        CaptureMark.PAGE: is_there,
        CaptureMark.ERROR: _all(is_page, compute.greater_equal(status, 400)),
        CaptureMark.THIN: _all(is_there, is_html, _is(compute.less(batch["content_bytes"], THIN))),
        CaptureMark.SAME: _all(is_page, compute.equal(status, 304)),
    }
    if "duplicate_of" in names:
        marks[CaptureMark.DUPLICATE] = _all(is_there, compute.is_valid(_twins(batch)))
    if "reasons" in names:
        marks[CaptureMark.SOFT_404] = _all(is_there, _says(batch["reasons"], SOFT_404))
    simhash = compute.fill_null(batch["simhash"], 0) if "simhash" in names else None
    return _visits(batch, marks, batch["digest"], simhash)


def pages(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Returns captures that are pages as `Forms` takes them."""
    has_copies = "duplicate_of" in batch.schema.names
    copies = _twins(batch) if has_copies else pa.nulls(batch.num_rows, pa.string())
    at = compute.fill_null(batch["fetched_at"].cast(pa.int64()), 0)
    return pa.record_batch([batch["url"], copies, at], names=["url", "duplicate_of", "at"]).filter(_pages(batch)[1])


def _twins(batch: pa.RecordBatch) -> pa.StringArray:
    """Returns which page of its own domain a page is a copy of: which of two hosts is the original is found here."""
    if "reasons" not in batch.schema.names:
        return batch["duplicate_of"]
    return compute.if_else(_says(batch["reasons"], COPY), pa.scalar(None, pa.string()), batch["duplicate_of"])


def failures(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Returns failures as the survey takes them."""
    return _visits(batch, {CaptureMark.ERROR: _of_pages(batch)}, None, None)


def _pages(batch: pa.RecordBatch) -> tuple[pa.BooleanArray, pa.BooleanArray]:
    """Returns which captures are of pages, and which of these are there."""
    status = compute.fill_null(batch["status"], 0)
    is_page = _of_pages(batch)
    return is_page, _all(is_page, compute.greater_equal(status, 200), compute.less(status, 300))


def _of_pages(batch: pa.RecordBatch) -> pa.BooleanArray:
    return _is(compute.is_in(batch["errand"], pa.array([errand.value for errand in sorted(PAGE_ERRANDS)])))


def _visits(
    batch: pa.RecordBatch, marks: dict[CaptureMark, pa.BooleanArray], digest: pa.Array | None, simhash: pa.Array | None
) -> pa.RecordBatch:
    many = batch.num_rows
    total = pa.repeat(_byte(0), many)
    for mark, is_so in marks.items():
        total = compute.add(total, compute.multiply(is_so.cast(pa.uint8()), _byte(mark)))
    columns = {
        "host": _text(batch["host"]),
        "url": _text(batch["url"]),
        "digest": _text(pa.repeat("", many) if digest is None else digest),
        "simhash": pa.repeat(pa.scalar(0, pa.uint64()), many) if simhash is None else simhash,
        "at": compute.fill_null(batch["fetched_at"].cast(pa.int64()), 0),
        "mark": total,
    }
    return pa.record_batch(list(columns.values()), names=list(columns))


def _says(reasons: pa.Array, word: str) -> pa.BooleanArray:
    """Whether `word` is among the reasons: a list of them, or, as it was once, one text with blanks between them."""
    if pa.types.is_list(reasons.type):
        reasons = compute.binary_join(reasons, " ")
    return _is(compute.match_substring(compute.binary_join_element_wise("", reasons, "", " "), f" {word} "))


def _byte(number: int) -> pa.Scalar:
    return pa.scalar(int(number), pa.uint8())


def _text(column: pa.Array) -> pa.StringArray:
    return compute.fill_null(column, "")


def _is(condition: pa.BooleanArray) -> pa.BooleanArray:
    return compute.fill_null(condition, False)


def _all(first: pa.BooleanArray, *others: pa.BooleanArray) -> pa.BooleanArray:
    for other in others:
        first = compute.and_(first, other)
    return first


_TEXT, _TIME = pa.string(), pa.timestamp("us")
_VISIT = {"url": _TEXT, "host": _TEXT, "errand": _TEXT, "fetched_at": _TIME}

LINKS = Table(
    "links",
    {"source": FEW_TEXTS, "target": _TEXT, "kind": FEW_TEXTS, "nofollow": pa.bool_()},
    {"refused": FEW_TEXTS},
    links,
)
CAPTURES = Table(
    "captures",
    _VISIT | {"status": pa.int32(), "mime": _TEXT, "content_bytes": pa.int64(), "digest": _TEXT},
    {"reasons": None, "duplicate_of": _TEXT, "simhash": pa.uint64()},
    captures,
)
PAGES = Table("captures", _VISIT | {"status": pa.int32()}, {"reasons": None, "duplicate_of": _TEXT}, pages)
FAILURES = Table("failures", _VISIT, {}, failures)
