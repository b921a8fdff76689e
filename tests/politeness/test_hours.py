"""Off-peak hours by the clock on the wall: who they are for, over midnight, and when that clock is changed."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.errors import OperatorError
from skitter.politeness.hours import Hours, earliest, of_host, parsed, slowness

BERLIN = ZoneInfo("Europe/Berlin")
DAYTIME = parsed(["de 08:00-20:00 Europe/Berlin 4"])
NIGHT = parsed(["example.org 22:00-06:00 Europe/Berlin never"])


def at(text: str, fold: int = 0, zone: ZoneInfo = BERLIN) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=zone, fold=fold).timestamp()


def wall(moment: float) -> str:
    return datetime.fromtimestamp(moment, BERLIN).strftime("%m-%d %H:%M")


@pytest.mark.parametrize(
    ("where", "host", "is_for"),
    [
        ("de", "a.de", True),
        (".de", "www.b.de", True),
        ("*.de", "b.de:8080", True),
        ("de", "a.dev", False),
        ("de", "code", False),
        ("example.org", "example.org", True),
        ("Example.org", "a.example.org", True),
        ("example.org", "example.org.evil.com", False),
        ("example.org", "anexample.org", False),
        ("*", "anything.at", True),
    ],
)
def test_who_a_row_is_for(where: str, host: str, is_for: bool) -> None:
    assert bool(of_host(parsed([f"{where} 00:00-12:00 UTC 2"]), host)) is is_for


@pytest.mark.parametrize(
    ("text", "slow"),
    [
        ("2026-11-17 07:59:59", 1),
        ("2026-11-17 08:00", 4),
        ("2026-11-17 19:59:59", 4),
        ("2026-11-17 20:00", 1),
        ("2026-07-17 08:00", 4),  # in summer that is an hour earlier for the rest of the world
        ("2026-07-17 07:59:59", 1),
    ],
)
def test_hours_are_those_on_the_wall(text: str, slow: float) -> None:
    assert slowness(DAYTIME, at(text)) == slow


def test_hours_may_go_over_midnight_and_a_whole_day() -> None:
    never = [
        slowness(NIGHT, at(f"2026-11-17 {clock}")) == math.inf
        for clock in ("21:59", "22:00", "00:00", "05:59", "06:00")
    ]
    assert never == [False, True, True, True, False]
    always = parsed(["* 00:00-24:00 UTC 3"])
    assert {slowness(always, at(f"2026-11-17 {hour:02d}:30")) for hour in range(24)} == {3}


def test_the_strictest_of_several_counts() -> None:
    rows = parsed(["* 00:00-24:00 UTC 2", "org 08:00-20:00 UTC 5", "a.org 12:00-13:00 UTC never"])
    by_hour = [
        slowness(of_host(rows, "a.org"), at(f"2026-11-17 {hour}:00", zone=ZoneInfo("UTC"))) for hour in (10, 12, 21)
    ]
    assert by_hour == [5, math.inf, 2]
    assert slowness(of_host(rows, "a.com"), at("2026-11-17 12:00")) == 2


def test_a_slower_host_rests_longer_and_never_past_the_end_of_its_hours() -> None:
    last = at("2026-11-17 10:00")
    assert earliest(DAYTIME, last + 60, last, 60) == last + 240
    assert wall(earliest(DAYTIME, at("2026-11-17 19:40"), at("2026-11-17 19:00"), 2400)) == "11-17 20:00"
    early = at("2026-11-17 07:59")
    assert earliest(DAYTIME, early, early - 60, 60) == early, "the hour has not come yet"


def test_a_host_that_is_shut_is_visited_when_it_opens() -> None:
    assert wall(earliest(NIGHT, at("2026-11-17 23:15"), 0.0, 1.0)) == "11-18 06:00"
    assert wall(earliest(NIGHT, at("2026-11-18 05:59:59"), 0.0, 1.0)) == "11-18 06:00"
    both = parsed(["* 22:00-06:00 Europe/Berlin never", "* 06:00-07:30 Europe/Berlin never"])
    assert wall(earliest(both, at("2026-11-17 23:15"), 0.0, 1.0)) == "11-18 07:30"


def test_a_host_that_is_always_shut_is_looked_at_again_in_a_month_or_so() -> None:
    now = at("2026-11-17 12:00")
    later = earliest(parsed(["* 00:00-24:00 UTC never"]), now, 0.0, 1.0)
    assert now + 28 * 86400 < later < now + 70 * 86400


# In Berlin the clock went from 2:00 to 3:00 on 29 March 2026, and from 3:00 back to 2:00 on 25 October.


def test_in_spring_the_night_is_an_hour_shorter() -> None:
    night = earliest(NIGHT, at("2026-03-28 22:00"), 0.0, 1.0) - at("2026-03-28 22:00")
    assert night == 7 * 3600
    assert datetime.fromtimestamp(earliest(NIGHT, at("2026-03-28 22:00"), 0.0, 1.0), UTC).hour == 4


def test_in_autumn_it_is_an_hour_longer() -> None:
    assert earliest(NIGHT, at("2026-10-24 22:00"), 0.0, 1.0) - at("2026-10-24 22:00") == 9 * 3600


def test_an_hour_that_is_skipped_opens_no_earlier_and_at_most_an_hour_late() -> None:
    rows = parsed(["* 22:00-02:30 Europe/Berlin never"])
    opens = earliest(rows, at("2026-03-28 23:00"), 0.0, 1.0)
    assert at("2026-03-29 03:00") <= opens <= at("2026-03-29 03:59")
    assert slowness(rows, opens) == 1


def test_an_hour_that_comes_twice_shuts_twice() -> None:
    rows = parsed(["* 02:15-02:45 Europe/Berlin never"])
    first, second = at("2026-10-25 02:15"), at("2026-10-25 02:15", fold=1)
    assert second - first == 3600
    assert earliest(rows, first, 0.0, 1.0) == first + 1800
    assert slowness(rows, first + 1800) == 1
    assert earliest(rows, second, 0.0, 1.0) == second + 1800


@given(
    st.floats(1.7e9, 1.9e9),
    st.floats(0, 86400),
    st.sampled_from([DAYTIME, NIGHT, (*DAYTIME, *NIGHT), parsed(["* 01:30-02:30 America/New_York never"])]),
)
def test_what_is_found_keeps_the_hours(now: float, delay: float, rows: tuple[Hours, ...]) -> None:
    found = earliest(rows, now, now - delay, delay)
    assert found >= now
    assert found - (now - delay) >= delay * slowness(rows, found) - 1e-5


@pytest.mark.parametrize(
    "row",
    ["", "de", "de 8-20 UTC 2", "de 08:00-20:00 2", "de 08:00-20:00 Mars/Olympus 2", "de 08:00-20:00 ../../etc 2"]
    + [f"de 08:00-20:00 UTC {factor}" for factor in ("0.5", "0", "-1", "nan", "inf", "often")]
    + ["de 08:00-25:00 UTC 2", "de 24:00-08:00 UTC 2", "de 08:60-09:00 UTC 2", "de 08:00-08:00 UTC 2"],
)
def test_a_row_that_means_nothing_is_refused_by_its_place(row: str) -> None:
    with pytest.raises(OperatorError) as told:
        parsed(["org 08:00-20:00 UTC 2", row])
    assert told.value.key == "politeness.hours[1]"
