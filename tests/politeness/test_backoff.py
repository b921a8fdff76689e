from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.messages import Kind
from skitter.politeness.backoff import ENDLESS, RETRY, Whose, is_host_failure, kind_of_status, next_try
from skitter.politeness.troubles import NO_TROUBLES, Troubles
from skitter.settings import DAY, HOUR, MINUTE, PolitenessSettings

NOW = 1.7e9
DEFAULT = PolitenessSettings()
KINDS = st.sampled_from(Kind)


def test_the_table_covers_every_kind_and_says_why() -> None:
    assert list(RETRY) == list(Kind)
    assert all(row.why for row in RETRY.values())
    assert len({row.why for row in RETRY.values()}) >= len(Kind) - 1  # a mistake may be made twice


@pytest.mark.parametrize("kind", Kind)
def test_rows_make_sense(kind: Kind) -> None:
    row = RETRY[kind]
    assert row.tries is None or 1 <= row.tries <= DEFAULT.max_tries or row.tries == ENDLESS
    shortest = 1 if kind is Kind.CRASHED_US else 10
    assert row.tries == 1 or shortest <= row.first <= row.ceiling <= 7 * DAY
    assert row.growth >= 1


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (200, None), (204, None), (206, None), (299, None), (300, None), (301, None), (304, None), (308, None),
        (400, Kind.CLIENT_ERROR), (401, Kind.FORBIDDEN), (402, Kind.CLIENT_ERROR), (403, Kind.FORBIDDEN),
        (404, Kind.GONE), (405, Kind.CLIENT_ERROR), (407, Kind.FORBIDDEN), (408, Kind.CLIENT_ERROR),
        (410, Kind.GONE), (418, Kind.CLIENT_ERROR), (429, Kind.TOO_MANY_REQUESTS), (451, Kind.GONE),
        (499, Kind.CLIENT_ERROR), (500, Kind.SERVER_ERROR), (502, Kind.SERVER_ERROR), (503, Kind.UNAVAILABLE),
        (504, Kind.SERVER_ERROR), (520, Kind.SERVER_ERROR), (599, Kind.SERVER_ERROR), (600, Kind.ODD_STATUS),
        (999, Kind.ODD_STATUS), (100, Kind.ODD_STATUS), (199, Kind.ODD_STATUS), (0, Kind.ODD_STATUS),
        (-404, Kind.ODD_STATUS), (20000, Kind.ODD_STATUS),
    ],
)  # fmt: skip
def test_kind_of_status(status: int, kind: Kind | None) -> None:
    assert kind_of_status(status) is kind


def test_every_status_maps_and_failures_are_all_but_2xx_and_3xx() -> None:
    for status in range(100, 1000):
        kind = kind_of_status(status)
        assert (kind is None) == (200 <= status <= 399)
        assert kind is None or kind in RETRY


def waits(kind: Kind, allowed: PolitenessSettings = DEFAULT) -> list[float]:
    """Returns the waits between the tries of a URL that always fails so."""
    found: list[float] = []
    while (due := next_try(kind, len(found), NOW, allowed).due) is not None:
        found.append(due - NOW)
        assert len(found) < 200
    return found


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        pytest.param(Kind.GONE, [], id="404, 410 and 451 are dead at once"),
        pytest.param(Kind.BOMB, [], id="a bomb is never fetched again"),
        pytest.param(Kind.FORBIDDEN, [7 * DAY] * 4, id="403 not for 7 days"),
        pytest.param(Kind.CLIENT_ERROR, [DAY], id="other 4xx once more"),
        pytest.param(Kind.SERVER_ERROR, [5 * MINUTE, 40 * MINUTE, 320 * MINUTE, DAY], id="5xx"),
        pytest.param(Kind.TOO_MANY_REQUESTS, [30, 240, 1920, 15360], id="429 without Retry-After"),
        pytest.param(Kind.READ_TIMEOUT, [MINUTE, 8 * MINUTE], id="read time-out"),
        pytest.param(Kind.DNS_UNKNOWN, [HOUR, 8 * HOUR], id="no such name"),
        pytest.param(Kind.BAD_CERTIFICATE, [DAY, 2 * DAY, 4 * DAY, 7 * DAY], id="certificate"),
        pytest.param(Kind.LEASE_EXPIRED, [MINUTE, 8 * MINUTE, 64 * MINUTE, 512 * MINUTE], id="lost lease"),
        pytest.param(Kind.OUR_BUG, [DAY], id="our bug"),
        pytest.param(Kind.CRASHED_US, [1, 8, 64, 512], id="the process died: at once, for it may be innocent"),
        pytest.param(Kind.STALE, [10, 80, 640, 5120], id="a stale connection is nobody's fault"),
        pytest.param(Kind.BROWSER_FAILED, [HOUR, 8 * HOUR], id="a browser that failed"),
    ],
)
def test_waits_until_dead(kind: Kind, expected: list[float]) -> None:
    assert waits(kind) == expected


def test_the_operator_s_tries_are_a_ceiling() -> None:
    assert len(waits(Kind.SERVER_ERROR, PolitenessSettings(max_tries=9))) == 8
    assert len(waits(Kind.SERVER_ERROR, PolitenessSettings(max_tries=1))) == 0
    assert len(waits(Kind.READ_TIMEOUT, PolitenessSettings(max_tries=9))) == 2
    assert len(waits(Kind.READ_TIMEOUT, PolitenessSettings(max_tries=2))) == 1


def test_a_url_does_not_die_of_a_robots_txt_that_can_t_be_read() -> None:
    decision = next_try(Kind.ROBOTS_UNREADABLE, 10_000, NOW, DEFAULT)
    assert decision.due == NOW + DAY


@pytest.mark.parametrize("kind", [Kind.TOO_MANY_REQUESTS, Kind.UNAVAILABLE])
@pytest.mark.parametrize(
    ("retry_after", "wait"),
    [
        pytest.param(0, 0, id="at once"),
        pytest.param(5, 5, id="shorter than ours"),
        pytest.param(7200, 7200, id="longer than ours"),
        pytest.param(1e12, DAY, id="bounded"),
        pytest.param(-5, 0, id="negative"),
    ],
)
def test_retry_after_is_honoured_by_the_whole_host(kind: Kind, retry_after: float, wait: float) -> None:
    decision = next_try(kind, 3, NOW, DEFAULT, retry_after=retry_after)
    assert decision.due == NOW + wait
    assert decision.troubles.asleep_until == NOW + wait
    assert decision.slows


def test_retry_after_counts_for_429_and_503_only() -> None:
    heeding = {kind for kind in Kind if next_try(kind, 0, NOW, DEFAULT, retry_after=7).due == NOW + 7}
    assert heeding == {Kind.TOO_MANY_REQUESTS, Kind.UNAVAILABLE}


def test_what_slows_a_host_down() -> None:
    slowing = {kind for kind in Kind if next_try(kind, 0, NOW, DEFAULT).slows}
    assert slowing == {Kind.TOO_MANY_REQUESTS, Kind.UNAVAILABLE, Kind.READ_TIMEOUT, Kind.RESET}


def test_five_5xx_within_a_day_put_the_host_to_sleep_whatever_the_url() -> None:
    troubles = NO_TROUBLES
    for number, kind in enumerate([Kind.SERVER_ERROR, Kind.GONE, Kind.UNAVAILABLE, *[Kind.SERVER_ERROR] * 3]):
        now = NOW + number * HOUR
        assert troubles.asleep_until < now
        troubles = next_try(kind, 0, now, DEFAULT, troubles=troubles).troubles
    assert troubles.asleep_until == now + HOUR


def test_one_broken_page_does_not_put_its_host_to_sleep() -> None:
    now, troubles = NOW, NO_TROUBLES
    for tries in range(DEFAULT.max_tries):
        decision = next_try(Kind.SERVER_ERROR, tries, now, DEFAULT, troubles=troubles)
        now, troubles = decision.due or now, decision.troubles
    assert decision.due is None
    assert troubles.asleep_until == 0


@pytest.mark.parametrize("kind", Kind)
def test_the_host_waits_for_what_is_its_own_failure_and_for_nothing_else(kind: Kind) -> None:
    troubles = next_try(kind, 0, NOW, DEFAULT).troubles
    assert troubles.asleep_until == (NOW + 10 if RETRY[kind].whose is Whose.HOST else 0)
    assert next_try(kind, 99, NOW, DEFAULT).troubles == troubles, "the last try counts for the host like the first"
    if not is_host_failure(kind):
        assert troubles == NO_TROUBLES


def test_whose_failure_it_is() -> None:
    urls = {kind for kind in Kind if not is_host_failure(kind)}
    assert urls == {
        Kind.GONE, Kind.FORBIDDEN, Kind.CLIENT_ERROR, Kind.ODD_STATUS, Kind.TOO_SLOW, Kind.BAD_RESPONSE,
        Kind.HEADERS_TOO_LARGE, Kind.BAD_ENCODING, Kind.BOMB, Kind.REDIRECT_LOOP, Kind.TOO_MANY_REDIRECTS,
        Kind.BAD_REDIRECT, Kind.LEASE_EXPIRED, Kind.OUR_BUG, Kind.STALE,
        Kind.CRASHED_US, Kind.BROWSER_FAILED,
    }  # fmt: skip
    assert is_host_failure(Kind.SERVER_ERROR)
    assert is_host_failure(Kind.RESET)
    assert is_host_failure(Kind.REFUSED)


@settings(max_examples=100, deadline=None)
@given(KINDS, st.integers(0, 10**6), st.none() | st.floats(-1e9, 1e18), st.integers(1, 100))
def test_bounds(kind: Kind, tries: int, retry_after: float | None, max_tries: int) -> None:
    allowed = PolitenessSettings(max_tries=max_tries)
    troubles = Troubles(failures=tries, sleeps=tries)
    decision = next_try(kind, tries, NOW, allowed, troubles=troubles, retry_after=retry_after)
    assert decision.due is None or NOW <= decision.due <= NOW + 7 * DAY
    assert decision.due is None or tries + 1 < max_tries or RETRY[kind].tries == ENDLESS
    assert decision.troubles.asleep_until <= NOW + DAY


@settings(max_examples=100, deadline=None)
@given(KINDS, st.integers(0, 50))
def test_waits_never_shrink(kind: Kind, tries: int) -> None:
    now, later = (next_try(kind, n, NOW, PolitenessSettings(max_tries=100)).due for n in (tries, tries + 1))
    assert later is None or (now is not None and now <= later)
