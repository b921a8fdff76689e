"""Times keep their microseconds on the way to the archive and back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.store.warc.dates import from_warc_date, timestamp14, to_micros, warc_date

MOMENTS = {
    "epoch": (0, "1970-01-01T00:00:00.000000Z", "19700101000000"),
    "one microsecond": (1_794_775_551_000_001, "2026-11-15T20:45:51.000001Z", "20261115204551"),
    "end of a second": (1_794_775_551_999_999, "2026-11-15T20:45:51.999999Z", "20261115204551"),
    "leap day": (1_709_208_000_500_000, "2024-02-29T12:00:00.500000Z", "20240229120000"),
}


@pytest.mark.parametrize(("micros", "date", "stamp"), MOMENTS.values(), ids=MOMENTS)
def test_a_moment_is_written_and_read(micros: int, date: str, stamp: str) -> None:
    assert warc_date(micros) == date
    assert from_warc_date(date) == micros
    assert timestamp14(micros) == stamp


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 4_102_444_800_000_000))
def test_every_microsecond_comes_back(micros: int) -> None:
    assert from_warc_date(warc_date(micros)) == micros
    assert to_micros(micros / 1_000_000) == micros


@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("1970-01-01T00:00:01Z", 1_000_000),
        ("1970-01-01T00:00:01.5Z", 1_500_000),
        ("1970-01-01T00:00:01.123456789Z", 1_123_456),
    ],
    ids=["no fraction", "one digit", "nine digits"],
)
def test_dates_of_other_writers_are_read(text: str, micros: int) -> None:
    assert from_warc_date(text) == micros


@pytest.mark.parametrize("text", ["", "2026-11-15", "2026-11-15T20:45:51", "2026-11-15T20:45:51.x1Z", "20261115204551"])
def test_what_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        from_warc_date(text)
