from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.messages import Errand, Failure, Fetched, Headers, Kind, Lease
from skitter.robots.answer import Access, Policy, decide, refused_hop, retry_after
from skitter.settings import DAY, HOUR, MINUTE, RobotsSettings

NOW = 1_000_000.0
LEASE = Lease("http://a/robots.txt", "a", Errand.ROBOTS, ends=NOW + 60)
BODY = b"User-agent: *\nDisallow: /secret\nCrawl-delay: 7"
SETTINGS = RobotsSettings()


def fetched(
    status: int = 0,
    body: bytes = b"",
    *,
    headers: Headers = (),
    failure: Failure | None = None,
    truncated: str | None = None,
) -> Fetched:
    return Fetched(LEASE, NOW, NOW, status=status, body=body, headers=headers, failure=failure, truncated=truncated)


def ask(got: Fetched, last: Policy | None = None, now: float = NOW) -> Policy:
    return decide(got, last, now=now, token="skitter", settings=SETTINGS)


def known(at: float = NOW) -> Policy:
    return ask(fetched(200, BODY), now=at)


ALLOWED = {400, 401, 402, 403, 404, 405, 408, 410, 413, 418, 428, 430, 451, 499}
DENIED = {0, 100, 199, 300, 301, 302, 303, 304, 307, 308, 399, 429, 500, 502, 503, 504, 599, 600, 999}


@pytest.mark.parametrize("status", sorted(ALLOWED | DENIED))
def test_only_a_4xx_says_that_there_is_none(status: int) -> None:
    policy = ask(fetched(status, b"User-agent: *\nAllow: /"))
    assert policy.access is (Access.ALLOW_ALL if status in ALLOWED else Access.DENY_ALL)
    assert policy.allows("http://a/x") is (status in ALLOWED)
    assert policy.allows("http://a/robots.txt")


@pytest.mark.parametrize("status", [200, 203, 204, 299])
def test_a_2xx_is_read(status: int) -> None:
    policy = ask(fetched(status, BODY))
    assert (policy.access, policy.read_at, policy.failures) == (Access.RULES, NOW, 0)
    assert policy.allows("/open")
    assert not policy.allows("/secret")
    assert policy.crawl_delay == 7
    rule = policy.deciding("/secret")
    assert rule is not None
    assert rule.line == 2


@pytest.mark.parametrize("kind", Kind)
def test_every_failure_denies(kind: Kind) -> None:
    policy = ask(fetched(failure=Failure(kind)))
    assert (policy.access, policy.failures) == (Access.DENY_ALL, 1)
    assert not policy.allows("/open")
    assert policy.deciding("/open") is None


@pytest.mark.parametrize("kind", Kind)
def test_every_failure_keeps_the_last_rules(kind: Kind) -> None:
    policy = ask(fetched(failure=Failure(kind)), known(NOW - HOUR))
    assert policy.access is Access.KEEP_LAST_KNOWN
    assert policy.allows("/open")
    assert not policy.allows("/secret")
    assert policy.crawl_delay == 7


@pytest.mark.parametrize(
    ("got", "access"),
    [
        pytest.param(fetched(200, BODY, truncated="length"), Access.RULES, id="cut-at-our-limit"),
        pytest.param(fetched(200, BODY, truncated="time"), Access.DENY_ALL, id="too-slow"),
        pytest.param(fetched(200, BODY, truncated="disconnect"), Access.DENY_ALL, id="broke-off"),
        pytest.param(fetched(200, BODY, failure=Failure(Kind.BAD_ENCODING)), Access.DENY_ALL, id="does-not-decode"),
        pytest.param(fetched(404, failure=Failure(Kind.GONE)), Access.ALLOW_ALL, id="gone"),
        pytest.param(fetched(404, truncated="disconnect"), Access.ALLOW_ALL, id="gone-and-broke-off"),
        pytest.param(fetched(302, failure=Failure(Kind.TOO_MANY_REDIRECTS)), Access.DENY_ALL, id="redirects"),
        pytest.param(fetched(302), Access.DENY_ALL, id="redirect-to-nowhere"),
    ],
)
def test_answers_that_broke(got: Fetched, access: Access) -> None:
    assert ask(got).access is access


def test_a_body_cut_at_our_limit_loses_its_half_line() -> None:
    policy = ask(fetched(200, b"User-agent: *\nDisallow: /\nAllow: /", truncated="length"))
    assert not policy.allows("/public")


def test_a_longer_body_is_read_to_the_limit() -> None:
    body = b"User-agent: *\n#" + b"x" * SETTINGS.max_bytes + b"\nDisallow: /secret"
    assert ask(fetched(200, body)).allows("/secret")
    higher = RobotsSettings(max_bytes=2 * SETTINGS.max_bytes)
    assert not decide(fetched(200, body), None, now=NOW, token="skitter", settings=higher).allows("/secret")


class TestLastKnown:
    DOWN = fetched(503, failure=Failure(Kind.UNAVAILABLE))

    def test_rules_are_kept_for_24_hours_after_they_were_read(self) -> None:
        assert ask(self.DOWN, known(NOW - DAY + 1)).access is Access.KEEP_LAST_KNOWN
        assert ask(self.DOWN, known(NOW - DAY)).access is Access.DENY_ALL

    def test_keeping_them_does_not_make_them_younger(self) -> None:
        policy = known(NOW)
        for hours in range(1, 24):
            policy = ask(self.DOWN, policy, NOW + hours * HOUR)
            assert policy.access is Access.KEEP_LAST_KNOWN
            assert policy.good_until <= NOW + DAY
        assert ask(self.DOWN, policy, NOW + DAY).access is Access.DENY_ALL

    def test_there_being_none_is_not_kept(self) -> None:
        assert ask(self.DOWN, ask(fetched(404))).access is Access.DENY_ALL

    def test_an_empty_file_is_kept(self) -> None:
        assert ask(self.DOWN, ask(fetched(200))).allows("/x")

    def test_what_was_denied_stays_denied(self) -> None:
        assert ask(self.DOWN, ask(self.DOWN)).access is Access.DENY_ALL

    def test_an_answer_ends_the_failures(self) -> None:
        failed = ask(self.DOWN, ask(self.DOWN))
        assert failed.failures == 2
        assert ask(fetched(200, BODY), failed).failures == 0
        assert ask(fetched(404), failed).failures == 0

    def test_not_modified_makes_them_new(self) -> None:
        policy = ask(fetched(304), known(NOW - 3 * DAY))
        assert (policy.access, policy.read_at, policy.good_until) == (Access.RULES, NOW, NOW + DAY)
        assert not policy.allows("/secret")
        assert policy.crawl_delay == 7

    def test_not_modified_without_rules_denies(self) -> None:
        assert ask(fetched(304), ask(fetched(404))).access is Access.DENY_ALL


@pytest.mark.parametrize(
    ("control", "seconds"),
    [
        pytest.param([], DAY, id="none"),
        pytest.param(["max-age=3600"], HOUR, id="max-age"),
        pytest.param(["public, MAX-AGE = 3600"], HOUR, id="any-case"),
        pytest.param(['max-age="3600"'], HOUR, id="quoted"),
        pytest.param(["max-age=0"], MINUTE, id="zero"),
        pytest.param(["max-age=59"], MINUTE, id="at-least-a-minute"),
        pytest.param(["max-age=99999999"], DAY, id="at-most-a-day"),
        pytest.param(["max-age=" + "9" * 5000], DAY, id="absurd"),
        pytest.param(["max-age=-5"], DAY, id="negative"),
        pytest.param(["max-age=soon"], DAY, id="word"),
        pytest.param(["s-maxage=60"], DAY, id="shared-caches-only"),
        pytest.param(["max-age=7200", "max-age=3600"], HOUR, id="the-shortest"),
        pytest.param(["no-cache"], MINUTE, id="no-cache"),
        pytest.param(["max-age=3600, No-Store"], MINUTE, id="no-store"),
    ],
)
@pytest.mark.parametrize("status", [200, 404])
def test_how_long_an_answer_is_good(control: list[str], seconds: float, status: int) -> None:
    got = fetched(status, headers=[("Cache-Control", value) for value in control])
    assert ask(got).good_until == NOW + seconds


@pytest.mark.parametrize(
    ("failures", "wish", "seconds"),
    [
        (1, None, 5 * MINUTE),
        (2, None, 10 * MINUTE),
        (5, None, 80 * MINUTE),
        (9, None, 1280 * MINUTE),
        (10, None, DAY),
        (10_000, None, DAY),
        (0, None, 5 * MINUTE),
        (1, 60.0, 5 * MINUTE),
        (1, HOUR, HOUR),
        (1, 30 * DAY, DAY),
        (1, -5.0, 5 * MINUTE),
    ],
)
def test_waits_grow(failures: int, wish: float | None, seconds: float) -> None:
    assert retry_after(failures, wish) == seconds


def test_a_failure_is_retried_after_its_wait() -> None:
    down = fetched(429, failure=Failure(Kind.TOO_MANY_REQUESTS, retry_after=HOUR))
    assert ask(down).good_until == NOW + HOUR
    assert ask(fetched(500), ask(fetched(500))).good_until == NOW + 10 * MINUTE
    assert ask(down, known(NOW - DAY + MINUTE)).good_until == NOW + MINUTE


def test_a_crawl_delay_is_bounded() -> None:
    assert ask(fetched(200, b"User-agent: *\nCrawl-delay: 9999999")).crawl_delay == SETTINGS.max_crawl_delay


def test_at_least_five_redirects_are_followed() -> None:
    asked = [f"http://a/{number}" for number in range(7)]
    refusals = [refused_hop("http://a/x", asked[: hops + 1], SETTINGS) for hops in (0, 4, 5, 6)]
    assert refusals == [None, None, Kind.TOO_MANY_REDIRECTS, Kind.TOO_MANY_REDIRECTS]


def test_no_redirect_is_followed_to_where_we_were() -> None:
    assert refused_hop("http://a/1", ["http://a/1"], SETTINGS) is Kind.REDIRECT_LOOP
    assert refused_hop("http://a/1", ["http://a/1", "http://a/2"], SETTINGS) is Kind.REDIRECT_LOOP
    assert refused_hop("https://a/1", ["http://a/1"], SETTINGS) is None


def test_a_policy_survives_a_store() -> None:
    policy = ask(fetched(503), known(NOW - HOUR))
    again = msgspec.msgpack.decode(msgspec.msgpack.encode(policy), type=Policy)
    assert again.access is Access.KEEP_LAST_KNOWN
    assert (again.good_until, again.read_at, again.failures) == (policy.good_until, policy.read_at, policy.failures)
    assert not again.allows("/secret")


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from([0, 200, 304, 404, 429, 503]), max_size=12), st.floats(0, 2 * DAY))
def test_it_never_allows_without_a_fresh_yes(statuses: list[int], step: float) -> None:
    policy, now, said = None, NOW, {}
    for status in statuses:
        now += step
        policy = ask(fetched(status, BODY), policy, now)
        said[status] = now
        assert now < policy.good_until <= now + DAY
        assert not policy.allows("/secret") or status == 404
        if policy.allows("/open"):
            assert status == 404 or now - max(said.get(200, 0), said.get(304, 0)) < DAY
