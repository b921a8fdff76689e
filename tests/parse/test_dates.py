"""Dates of sitemaps and feeds."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.parse.dates import moment

DATES = {
    # W3C note, all of its precisions
    "1997": "1997-01-01T00:00:00",
    "1997-07": "1997-07-01T00:00:00",
    "1997-07-16": "1997-07-16T00:00:00",
    "1997-07-16T19:20+01:00": "1997-07-16T18:20:00",
    "1997-07-16T19:20:30+01:00": "1997-07-16T18:20:30",
    "1997-07-16T19:20:30.45+01:00": "1997-07-16T18:20:30.45",
    "1994-11-05T08:15:30-05:00": "1994-11-05T13:15:30",
    "1994-11-05T13:15:30Z": "1994-11-05T13:15:30",
    # as found: lower case, no zone, a blank instead of the T, blanks around, many digits, no colon in the zone
    "1994-11-05t13:15:30z": "1994-11-05T13:15:30",
    "1994-11-05T13:15:30": "1994-11-05T13:15:30",
    "1994-11-05 13:15": "1994-11-05T13:15:00",
    " \n 2005-01-01\t": "2005-01-01T00:00:00",
    "2020-02-29T00:00:00.123456789Z": "2020-02-29T00:00:00.123456",
    "2014-06-03T10:30:45+0000": "2014-06-03T10:30:45",
    # RFC 822
    "Thu, 05 Jan 2017 12:34:50 GMT": "2017-01-05T12:34:50",
    "Thu, 05 Jan 2017 13:34:51 +0100": "2017-01-05T12:34:51",
    "05 Jan 2017 11:34:52 -0100": "2017-01-05T12:34:52",
    "05 Jan 17 12:34:53 GMT": "2017-01-05T12:34:53",
    "Thu, 05 Jan 17 12:34:54 ut": "2017-01-05T12:34:54",
    "Sun, 6 Nov 1994 08:49 EST": "1994-11-06T13:49:00",
    "Sunday, 06-Nov-94 08:49:37 GMT": "1994-11-06T08:49:37",
    "Tue, 4 Dec 2018 01:00:00 PST": "2018-12-04T09:00:00",
    "Tue, 4 September 2018 01:00:00 PDT": "2018-09-04T08:00:00",
}
NO_DATES = [
    "",
    "blah",
    "2005-13-01",
    "2005-02-30",
    "2005-1-1",
    "01/02/2005",
    "0000",
    "1997-07-16T25:00Z",
    "05 Jan 17 13:34:55",  # RFC 822 wants a zone, and leaves nothing to assume
    "Thu, 05 Foo 2017 12:34:50 GMT",
    "Thu, 32 Jan 2017 12:34:50 GMT",
    "Thu, 05 Jan 2017 12:34:50 XYZ",
    "Thu, 05 Jan 2017 12:34:50 +9900",
    "2005-01-01" + "0" * 1_000_000,
    "9" * 1_000_000,
]


@pytest.mark.parametrize(("text", "expected"), DATES.items(), ids=repr)
def test_a_date_becomes_epoch_seconds(text: str, expected: str) -> None:
    assert moment(text) == datetime.fromisoformat(expected).replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize("text", NO_DATES, ids=lambda text: repr(text[:40]))
def test_what_is_no_date_is_none(text: str) -> None:
    assert moment(text) is None


@given(st.datetimes(min_value=datetime(1000, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_every_instant_comes_back(when: datetime) -> None:
    assert moment(when.isoformat()) == when.timestamp()


@given(st.text() | st.from_regex(r"\d{1,5}-\d\d-\d\d[T ]\d\d:\d\d([+-]\d\d:\d\d)?"))
@settings(max_examples=50)
def test_no_text_raises(text: str) -> None:
    assert isinstance(moment(text), float | None)
