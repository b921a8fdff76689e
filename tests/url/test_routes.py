"""Which shard a host is in."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.url.domains import KNOWN_HOSTS, Domains
from skitter.url.routes import SLOTS, Place, Routes

DOMAINS = Domains(["org", "example", "co.uk"], suffixes=["sim.test"])


def test_slots_are_the_same_in_every_run() -> None:
    # A crawl on disk depends on these numbers: if this fails, every existing crawl is lost.
    names = ("example.org", "a.org", "127.0.0.1", "xn--bcher-kva.example")
    assert [Routes.slot_of(name) for name in names] == [3909, 2109, 1676, 1190]
    assert [Routes(DOMAINS, 64).shard_of(name) for name in names] == [5, 61, 12, 38]


def test_all_hosts_of_a_domain_are_in_one_shard() -> None:
    routes = Routes(DOMAINS, 4096)
    hosts = ["a.co.uk", "b.a.co.uk", "www.c.b.a.co.uk:8080", "a.co.uk:1"]
    assert {routes.shard_of(host) for host in hosts} == {routes.slot_of("a.co.uk")}
    assert len({routes.shard_of(f"h{number}.sim.test") for number in range(100)}) > 90


def test_shards_are_even() -> None:
    routes = Routes(DOMAINS, 64)
    assert set(Counter(routes.table).values()) == {SLOTS // 64}
    count = Counter(routes.shard_of(f"host{number}.example") for number in range(32_000))
    assert len(count) == 64
    assert max(count.values()) < 1.2 * 500
    assert min(count.values()) > 0.8 * 500


@given(st.text(max_size=50), st.integers(min_value=1, max_value=SLOTS))
def test_shard_is_in_range(host: str, shards: int) -> None:
    assert 0 <= Routes(DOMAINS, shards).shard_of(host) < shards


def test_the_table_decides() -> None:
    moved = [1 if slot == Routes.slot_of("a.org") else 0 for slot in range(SLOTS)]
    routes = Routes(DOMAINS, 2, moved)
    assert (routes.shard_of("x.a.org"), routes.shard_of("b.org")) == (1, 0)
    frozen = DOMAINS.frozen()
    read = Routes.from_json(routes.to_json(frozen), frozen)
    assert (read.shards, read.table, read.domains.frozen()) == (2, routes.table, frozen)
    assert (read.shard_of("x.a.org"), read.shard_of("h1.sim.test")) == (1, 0)


@pytest.mark.parametrize("table", [[0] * (SLOTS - 1), [0] * (SLOTS - 1) + [2], [0] * (SLOTS - 1) + [-1]])
def test_a_table_that_leaves_the_shards_is_refused(table: list[int]) -> None:
    with pytest.raises(ValueError, match="one of 2 shards for each of 4096 slots"):
        Routes(DOMAINS, 2, table)


DAMAGE = [
    ({"version": 3}, "version 3 is not known"),
    ({"version": 2}, "version 2 is not known"),
    ({"table": [0] * SLOTS}, "not as it was written"),
    ({"domains": "0" * 16}, "not those that it was written with"),
    ({"shards": 4}, "one of 4 shards"),
    ({"shards": "many"}, "Expected `int`"),
    ({"more": 1}, "unknown field"),
]


@pytest.mark.parametrize(("change", "told"), DAMAGE, ids=[told for _, told in DAMAGE])
def test_damage_is_seen(change: dict[str, object], told: str) -> None:
    frozen = DOMAINS.frozen()
    content = msgspec.json.decode(Routes(DOMAINS, 64).to_json(frozen))
    with pytest.raises(ValueError, match=told):
        Routes.from_json(msgspec.json.encode(content | change), frozen)


def test_the_hosts_remembered_are_bounded() -> None:
    routes = Routes(DOMAINS, 64)
    for number in range(KNOWN_HOSTS + 1000):
        routes.shard_of(f"h{number}.org")
    assert routes.shard_of.cache_info().currsize == KNOWN_HOSTS  # type: ignore[attr-defined]


def test_of_all_that_is_heard_the_highest_epoch_is_true() -> None:
    routes = Routes(DOMAINS, 4)
    slot = routes.slot_of("example.org")
    assert routes.shard_of("www.example.org") == slot % 4
    assert routes.learn(slot, Place(2, 7), is_there=True) == slot % 4
    assert routes.learn(slot, Place(1, 5), is_there=True) is None
    assert routes.shard_of("www.example.org") == 7
    assert routes.count() == 8


def test_a_slot_on_its_way_is_in_no_shard_and_its_links_go_to_the_next() -> None:
    routes = Routes(DOMAINS, 4)
    slot = routes.slot_of("example.org")
    routes.learn(slot, Place(1, 2), is_there=False)
    assert routes.shard_of("example.org") not in range(4)
    assert routes.destination_of("example.org") == 2
    assert routes.learn(slot, Place(1, 2), is_there=True) == 2
    assert routes.shard_of("example.org") == 2
