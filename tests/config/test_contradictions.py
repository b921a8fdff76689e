"""Settings that can't stand together are refused together, by the names they were given under."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec import structs

from skitter.config.contradictions import ORDERS
from skitter.config.fields import FIELDS
from skitter.config.load import Flag, load
from skitter.errors import OperatorError
from skitter.library.options import planned
from skitter.settings import Settings

DELAY, CONNECT = "politeness.delay", "fetch.connect_timeout"
FIRST, TOTAL = "fetch.first_byte_timeout", "fetch.total_timeout"
LEASE, LOOKUP = "frontier.lease_seconds", "dns.timeout"
FIT: list[dict[str, object]] = [
    {},
    {DELAY: 60, "politeness.max_delay": 60},
    {CONNECT: 5, FIRST: 5, TOTAL: 5},
    {"dns.min_ttl": 60, "dns.max_ttl": 60},
    {TOTAL: 30, LOOKUP: 5, LEASE: 35.1},
    {"scope.allow": ["a"], "scope.deny": ["b"]},
]
WRONG: list[tuple[dict[str, object], str]] = [
    (
        {DELAY: 61, "politeness.max_delay": 60},
        "politeness.delay = 61.0: must be at most politeness.max_delay, which is 60: back-off begins with the one",
    ),
    ({DELAY: 4000}, "politeness.delay = 4000.0: must be at most politeness.max_delay, which is 3600"),
    ({CONNECT: 61}, "fetch.connect_timeout = 61.0: must be at most fetch.total_timeout, which is 60"),
    ({FIRST: 61}, "fetch.first_byte_timeout = 61.0: must be at most fetch.total_timeout, which is 60"),
    ({TOTAL: 15}, "fetch.total_timeout = 15.0: must be at least fetch.first_byte_timeout, which is 20"),
    ({"dns.max_ttl": 59}, "dns.max_ttl = 59.0: must be at least dns.min_ttl, which is 60"),
    (
        {TOTAL: 295},
        "frontier.lease_seconds = 300.0: must be above 300, the sum of fetch.total_timeout, which is 295 and "
        "dns.timeout, which is 5: a lease must outlive its request",
    ),
    ({LEASE: 65}, "frontier.lease_seconds = 65.0: must be above 65"),
    ({"scope.allow": ["x", "a"], "scope.deny": ["a"]}, "scope.allow = ('x', 'a'): 'a' is in scope.deny too"),
]


def refusal(**how: object) -> str:
    with pytest.raises(OperatorError) as refused:
        load(**how)  # type: ignore[arg-type]
    return str(refused.value)


@pytest.mark.parametrize("said", FIT, ids=str)
def test_what_stands_together(said: dict[str, object]) -> None:
    load(flags=said)


@pytest.mark.parametrize(("said", "told"), WRONG, ids=[str(said) for said, _ in WRONG])
def test_what_can_not_stand_together(said: dict[str, object], told: str) -> None:
    lines = refusal(flags=said).splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(told)


def test_every_order_is_of_known_keys_and_has_a_case() -> None:
    for order in ORDERS:
        assert {order.low, order.high} <= set(FIELDS)
        assert any({order.low, order.high} & set(said) for said, _ in WRONG), order


def test_all_are_told_at_once() -> None:
    said = {DELAY: 4000, TOTAL: 5, "dns.max_ttl": 1, LEASE: 10}
    assert [line.partition(":")[0] for line in refusal(flags=said).splitlines()] == [
        "politeness.delay = 4000.0",
        "fetch.total_timeout = 5.0",
        "fetch.total_timeout = 5.0",
        "dns.max_ttl = 1.0",
        "frontier.lease_seconds = 10.0",
    ]


def test_they_are_called_as_they_were_said(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text("[politeness]\nmax_delay = 5\n[fetch]\nconnect_timeout = 61\n")
    environ = {"SKITTER_DNS_MIN_TTL": "3600", "SKITTER_DNS_MAX_TTL": "60"}
    told = refusal(files=file, environ=environ, flags={DELAY: Flag("--delay", 10)})
    assert f"--delay = 10.0: must be at most politeness.max_delay in {file}, which is 5" in told
    assert f"\nfetch.connect_timeout in {file} = 61.0: must be at most fetch.total_timeout, which is 60" in told
    assert "\nSKITTER_DNS_MIN_TTL = 3600.0: must be at most SKITTER_DNS_MAX_TTL, which is 60" in told


@pytest.mark.parametrize("as_settings", [False, True])
def test_the_library_refuses_them_too(as_settings: bool) -> None:
    defaults = Settings()
    whole = structs.replace(defaults, dns=structs.replace(defaults.dns, max_ttl=1.0))
    said = {"settings": whole if as_settings else {"dns.max_ttl": 1.0}, "delay": 4000.0}
    with pytest.raises(OperatorError) as refused:
        planned("http://a.org/", None, said)  # type: ignore[arg-type]
    assert re.match(r"delay = 4000.0: must be at most politeness.max_delay, .*\ndns.m.._ttl = ", str(refused.value))
