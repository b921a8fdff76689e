from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime, formatdate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.politeness import http_date
from skitter.politeness.http_date import seconds_of

NOW = datetime(2026, 6, 1, tzinfo=UTC).timestamp()
SUNDAY = datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC).timestamp()
FIRST, LAST = datetime(1, 1, 1, tzinfo=UTC).timestamp(), datetime(9999, 12, 31, tzinfo=UTC).timestamp()
MOMENTS = st.integers(int(FIRST), int(LAST)).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        pytest.param("Sun, 06 Nov 1994 08:49:37 GMT", SUNDAY, id="IMF-fixdate"),
        pytest.param("Sunday, 06-Nov-94 08:49:37 GMT", SUNDAY, id="RFC 850"),
        pytest.param("Sun Nov  6 08:49:37 1994", SUNDAY, id="asctime"),
        pytest.param("sUN, 06 nOV 1994 08:49:37 gmt", SUNDAY, id="any case"),
        pytest.param("06 Nov 1994 08:49:37 GMT", SUNDAY, id="no weekday"),
        pytest.param("Nov 6 08:49:37 1994", SUNDAY, id="asctime, no weekday"),
        pytest.param("Fri, 06 Nov 1994 08:49:37 GMT", SUNDAY, id="wrong weekday"),
        pytest.param("Sun,06 Nov 1994 08:49:37 GMT", SUNDAY, id="no space after the comma"),
        pytest.param("Sun 06 Nov 1994 08:49:37 GMT", SUNDAY, id="no comma"),
        pytest.param("Sun, 6 Nov 1994 8:49:37 UTC", SUNDAY, id="one digit, UTC"),
        pytest.param("Sun, 06-Nov-1994 08:49:37 GMT", SUNDAY, id="hyphens and four digits"),
        pytest.param("Sun, 06 Nov 94 08:49:37 GMT", SUNDAY, id="RFC 822"),
        pytest.param("Sun, 06 November 1994 08:49:37 GMT", SUNDAY, id="month in full"),
        pytest.param("  Sun,  06 Nov\t1994 08:49:37   GMT ", SUNDAY, id="more space"),
        pytest.param("Sun, 06 Nov 1994 08:49 GMT", SUNDAY - 37, id="no seconds"),
        pytest.param("Sun, 06 Nov 1994 08:49:37", SUNDAY, id="no zone"),
        pytest.param("Sun Nov  6 08:49:37 GMT 1994", SUNDAY, id="as `date` prints it"),
        pytest.param("Sun, 06 Nov 1994 08:49:37 +0000", SUNDAY, id="offset 0"),
        pytest.param("Sun, 06 Nov 1994 10:19:37 +0130", SUNDAY, id="offset east"),
        pytest.param("Sun, 06 Nov 1994 03:49:37 -05:00", SUNDAY, id="offset west"),
        pytest.param("Sun, 06 Nov 1994 10:49:37 GMT+0200", SUNDAY, id="offset to GMT"),
        pytest.param("Sat, 31 Dec 2016 23:59:60 GMT", 1483228800.0, id="leap second"),
        pytest.param("Tue, 29 Feb 2000 00:00:00 GMT", 951782400.0, id="leap day"),
        pytest.param("Thu, 01 Jan 1970 00:00:00 GMT", 0.0, id="the epoch"),
        pytest.param("Wed, 31 Dec 1969 23:59:59 GMT", -1.0, id="before the epoch"),
        pytest.param("Sun, 06 Nov 1994 08:49:37 EST", None, id="a zone that we do not know"),
        pytest.param("Sun, 06 Nov 1994 08:49:61 GMT", None, id="second 61"),
        pytest.param("Sun, 06 Nov 1994 08:60:37 GMT", None, id="minute 60"),
        pytest.param("Sun, 06 Nov 1994 24:49:37 GMT", None, id="hour 24"),
        pytest.param("Sun, 30 Feb 1994 08:49:37 GMT", None, id="30 February"),
        pytest.param("Sun, 00 Nov 1994 08:49:37 GMT", None, id="day 0"),
        pytest.param("Sun, 06 Nov 0000 08:49:37 GMT", None, id="year 0"),
        pytest.param("Sun, 06 Nop 1994 08:49:37 GMT", None, id="no month"),
        pytest.param("Sun, 06 Nov 199 08:49:37 GMT", None, id="year of three digits"),
        pytest.param("Sun, ٠٦ Nov 1994 08:49:37 GMT", None, id="digits that are not ASCII"),
        pytest.param("Sun, 06 Nov 1994 08:49:37 GMT, and more", None, id="something after it"),
        pytest.param("1994-11-06T08:49:37Z", None, id="ISO 8601"),
        pytest.param("784111777", None, id="a number"),
        pytest.param("", None, id="empty"),
        pytest.param("Sun, 06 Nov 1994 08:49:37 GMT" + " " * 100_000, None, id="far too long"),
    ],
)
def test_seconds_of(text: str, seconds: float | None) -> None:
    assert seconds_of(text, NOW) == seconds


@pytest.mark.parametrize(
    ("now", "digits", "year"),
    [
        (1999, "00", 2000),
        (2026, "26", 2026),
        (2026, "76", 2076),
        (2026, "77", 1977),
        (2026, "94", 1994),
        (2060, "05", 2105),
    ],
)
def test_a_year_of_two_digits_is_the_nearest(now: int, digits: str, year: int) -> None:
    middle = datetime(now, 6, 1, tzinfo=UTC).timestamp()
    assert seconds_of(f"Monday, 01-Feb-{digits} 00:00:00 GMT", middle) == datetime(year, 2, 1, tzinfo=UTC).timestamp()


@settings(max_examples=100, deadline=None)
@given(MOMENTS)
def test_reads_what_others_write(moment: datetime) -> None:
    seconds = moment.timestamp()
    assert seconds_of(format_datetime(moment, usegmt=True), NOW) == seconds
    if moment.year >= 1970:
        assert seconds_of(formatdate(seconds, usegmt=True), NOW) == seconds


@settings(max_examples=100, deadline=None)
@given(st.tuples(*[st.integers(0, limit) for limit in (39, 14, 9999, 29, 69, 69)]))
def test_the_usual_form_is_read_as_the_others_are(numbers: tuple[int, ...]) -> None:
    day, month, year, hour, minute, second = numbers
    name = [*http_date.MONTHS, "non", "sun", "abc"][month].capitalize()
    usual = f"Sun, {day:02} {name} {year:04} {hour:02}:{minute:02}:{second:02} GMT"
    assert seconds_of(usual, NOW) == seconds_of(usual.lower(), NOW)


@settings(max_examples=100, deadline=None)
@given(st.text() | st.text("0123456789 :,-+GMTJanSu", max_size=40))
def test_never_raises(text: str) -> None:
    seconds = seconds_of(text, NOW)
    assert seconds is None or seconds == int(seconds)
