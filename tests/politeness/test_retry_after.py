from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.politeness.retry_after import parse

NOW = datetime(2019, 6, 3, 11, tzinfo=UTC).timestamp()
LIMIT = 86400.0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        pytest.param("0", 0, id="at once"),
        pytest.param("120", 120, id="seconds"),
        pytest.param("\t42 ", 42, id="space around"),
        pytest.param("007", 7, id="leading zeros"),
        pytest.param("0" * 5000 + "7", 7, id="very many leading zeros"),
        pytest.param("86401", LIMIT, id="just above the limit"),
        pytest.param("9" * 5000, LIMIT, id="more digits than Python reads"),
        pytest.param("Mon, 03 Jun 2019 11:30:12 GMT", 1812, id="IMF-fixdate"),
        pytest.param("Monday, 03-Jun-19 11:30:12 GMT", 1812, id="RFC 850"),
        pytest.param("Mon Jun  3 11:30:12 2019", 1812, id="asctime"),
        pytest.param("Mon, 3 Jun 2019 12:00:00 UTC", 3600, id="single-digit day, UTC"),
        pytest.param("Mon, 03 Jun 2019 11:00:00 GMT", 0, id="now"),
        pytest.param("Fri, 31 Dec 1999 23:59:59 GMT", 0, id="past"),
        pytest.param("Fri, 31 Dec 9999 23:59:59 GMT", LIMIT, id="absurd"),
        pytest.param("-1", None, id="negative"),
        pytest.param("+1", None, id="plus sign"),
        pytest.param("1.0", None, id="fraction"),
        pytest.param("1e3", None, id="exponent"),
        pytest.param("1_000", None, id="underscore"),
        pytest.param("²", None, id="superscript two is a digit to Python"),
        pytest.param("٣", None, id="Arabic three is a number to Python"),
        pytest.param("120, 120", None, id="two of them"),
        pytest.param("soon", None, id="a word"),
        pytest.param("", None, id="empty"),
    ],
)
def test_parse(value: str, seconds: float | None) -> None:
    assert parse(value, NOW, LIMIT) == seconds


@settings(max_examples=100, deadline=None)
@given(st.text() | st.from_regex(r"[0-9]{1,40}", fullmatch=True), st.floats(0, 4e9), st.floats(0, 1e7))
def test_never_raises_and_stays_within_bounds(value: str, now: float, limit: float) -> None:
    seconds = parse(value, now, limit)
    assert seconds is None or 0 <= seconds <= limit
