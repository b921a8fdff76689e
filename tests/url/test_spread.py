"""Domains in parts: which part a host is in, and where that is."""

from __future__ import annotations

from collections import Counter

import pytest

from skitter.url.routes import ON_ITS_WAY, SLOTS, Place, Routes
from skitter.url.spread import part_of, parts_of, slot_of, whole_of
from tests.shard.moving.test_bundles import ROUTES

DOMAIN = "platform.test"
HOSTS = [f"h{number}.{DOMAIN}" for number in range(400)]


def routes() -> Routes:
    found = Routes(ROUTES.domains, 4)
    found.is_fixed = False
    return found


def test_hosts_are_dealt_out_evenly_and_for_ever() -> None:
    counts = Counter(part_of(DOMAIN, host, 4) for host in HOSTS)
    assert sorted(counts) == parts_of(DOMAIN, 4)
    assert min(counts.values()) > 70
    assert {whole_of(part) for part in counts} == {DOMAIN} == {whole_of(DOMAIN)}
    assert slot_of(DOMAIN) < SLOTS <= min(map(slot_of, counts))
    assert part_of(DOMAIN, "h1.platform.test", 4) == "platform.test#1"


def test_parts_are_where_their_domain_was_until_they_go() -> None:
    one = routes()
    home, other = one.shard_of(DOMAIN), (one.shard_of(DOMAIN) + 1) % 4
    assert {one.shard_of(host) for host in HOSTS} == {home}
    assert one.learn_spread(DOMAIN, 2)
    assert not one.learn_spread(DOMAIN, 3), "once is for ever"
    assert {one.shard_of(host) for host in HOSTS} == {home}
    going = slot_of("platform.test#1")
    assert one.learn(going, Place(2, other), is_there=True) == home
    assert {one.domain_of(host) for host in HOSTS if one.shard_of(host) == other} == {"platform.test#1"}
    assert one.learn(going, Place(3, home), is_there=False) == other
    assert {one.shard_of(host) for host in HOSTS} == {home, home + ON_ITS_WAY}
    assert one.shard_of("platform.test#1") == home + ON_ITS_WAY
    assert one.domain_of("h1.other.test") == "other.test"


def test_of_parts_that_nobody_has_heard_of_nothing_is_learnt() -> None:
    one = routes()
    assert one.learn(slot_of("platform.test#1"), Place(2, 3), is_there=True) is None
    assert one.shard_of(HOSTS[0]) == routes().shard_of(HOSTS[0])


def test_the_form_on_disk() -> None:
    one, frozen = routes(), ROUTES.domains.frozen()
    assert b'"version":1' in one.to_json(frozen)
    one.learn_spread(DOMAIN, 3)
    one.learn(slot_of("platform.test#2"), Place(2, 3), is_there=True)
    raw = one.to_json(frozen)
    assert b'"version":2' in raw
    again = Routes.from_json(raw, frozen)
    assert [again.shard_of(host) for host in HOSTS] == [one.shard_of(host) for host in HOSTS]
    with pytest.raises(ValueError, match="not as it was written"):
        Routes.from_json(raw.replace(b'"platform.test":3', b'"platform.test":2'), frozen)
