"""Visits as the tables tell of them."""

from __future__ import annotations

from datetime import UTC, datetime

from skitter.inspection.history import told


def row(minute: int, status: int, digest: str | None) -> dict[str, object]:
    at = datetime(2026, 1, 1, 0, minute, tzinfo=UTC).replace(tzinfo=None)
    return {"fetched_at": at, "status": status, "failure": None, "digest": digest, "warc_file": "f", "warc_offset": 0}


def test_an_answer_that_says_there_is_nothing_is_no_change() -> None:
    visits = told([row(0, 200, "a"), row(1, 410, "b"), row(2, 404, "c"), row(3, 200, "a"), row(4, 304, None)])
    assert [visit.changed for visit in visits] == [None, None, None, False, False]
    assert [visit.failure for visit in visits] == [None, "gone", "gone", None, None]
