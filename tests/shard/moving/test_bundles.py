"""All that is known of a domain goes where its slot goes, and the counts with it; what is not its own stays."""

from __future__ import annotations

import re

import pytest

from skitter.messages import State
from skitter.shard import keys
from skitter.shard.moving import bundles
from skitter.shard.moving.bundles import Changes, Entry, entries_of, gathered, opened_as_often, put_in, removed
from skitter.shard.moving.kinds import KINDS, Sorting
from skitter.shard.moving.record import _KNOWN
from skitter.shard.reader import ShardReader
from skitter.shard.records import METAS, STATES, TRIMMED_BYTES, URLS, Meta, UrlRecord
from skitter.sim.disk import Entries
from skitter.url.domains import Domains
from skitter.url.keys import fingerprint
from skitter.url.routes import Routes

ROUTES = Routes(Domains(["test"]), 1)
DEAD = fingerprint("http://nobody/knows")


def one_of_each(host: str) -> Entries:
    """What is known of a host, with one entry of each kind that belongs to it, its domain or its URL."""
    mark, domain = fingerprint(f"http://{host}/"), ROUTES.domains.domain_of(host)
    queue = keys.queue_key(host, 0.5, 1)
    record = UrlRecord(f"http://{host}/", host, State.QUEUED, 0.0, 0, 0.5, queue=queue)
    found = {
        keys.url_key(mark): URLS.encode(record),
        queue: mark,
        keys.QUEUES[1] + queue[1:]: mark,
        keys.counts_key(host): STATES.encode([1, *[0] * (len(State) - 1)]),
        **{keys.timed_key(kind, 5.0, mark): b"" for kind in (b"d", b"e", b"l")},
        **{keys.timed_key(kind, 5.0, host.encode()): b"" for kind in (b"s", b"k")},
        **{make(host): b"h" for make in (keys.host_key, keys.inside_key, keys.recheck_key, keys.judgement_key)},
        **{make(host): b"h" for make in (keys.dust_key, keys.mirror_key)},
        keys.signature_key(mark): b"g",
        keys.sample_key(mark): b"f",
        keys.render_key(0.5, 5.0, mark): mark,
        keys.forbidden_key(host, mark): b"",
        keys.robots_key(f"https://www.{host}"): b"r",
        keys.domain_key(domain): b"b",
        keys.waiting_key(3, domain): b"",
        keys.host_waiting_key(domain, 7, host): b"",
        keys.band_prefix(domain) + b"8 bytes.": mark,
    }
    entries = Entries()
    entries.apply(list(found.items()))
    return entries


def all_of(entries: Entries) -> dict[bytes, bytes]:
    return dict(entries.iterate(b"", b""))


def shard_with(*hosts: str) -> Entries:
    store = Entries()
    for host in hosts:
        store.apply(list(put_in(all_of(one_of_each(host)).items(), store.get).items()))
    return store


def sorting(store: Entries) -> Sorting:
    return Sorting(ROUTES, lambda mark: store.get(keys.url_key(mark)))


def gathered_from(store: Entries, host: str) -> list[list[Entry]]:
    return [some for some in gathered(store, sorting(store), {ROUTES.slot_of_host(host)}) if some is not None]


def test_every_kind_of_entry_is_known() -> None:
    letters = re.findall(r"^([a-zA-Z]) \S", keys.__doc__ or "", re.MULTILINE)
    assert {letter.encode() for letter in letters} == set(KINDS)
    travel = set(KINDS) - {b"m", keys.OUTBOX, keys.BUNDLES, keys.UNSAFE}
    assert travel <= _KNOWN
    assert {key[:1] for key in all_of(one_of_each("a.test"))} == travel - {b"p"}
    order = list(KINDS)
    assert order.index(b"u") > max(map(order.index, (b"d", b"e", b"l", b"g", b"f", keys.RENDER)))


@pytest.mark.parametrize("host", ["a.test", "a.test:8080", "sub.a.test"])
def test_all_that_is_known_of_a_host_goes_and_nothing_else(host: str) -> None:
    store = shard_with("b.test", host)
    moving = [entry for some in gathered_from(store, host) for entry in some]
    assert dict(moving) == all_of(one_of_each(host))
    store.apply(list(removed(moving, store.get).items()))
    assert all_of(store) == all_of(shard_with("b.test"))


def test_counts_follow_through_every_bundle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "MOST_BYTES", 1)  # one entry a bundle
    monkeypatch.setattr(bundles, "AT_ONCE", 3)
    source, target = shard_with("a.test", "b.test"), shard_with("c.test")
    some = gathered_from(source, "a.test")
    assert len(some) == len(all_of(one_of_each("a.test")))
    assert None in list(gathered(source, sorting(source), {1}))
    for bundle in some:
        target.apply(list(put_in(bundle, target.get).items()))
        assert _counted(target)
    for bundle in some:
        source.apply(list(removed(bundle, source.get).items()))
        assert _counted(source)
    assert all_of(target) == all_of(shard_with("c.test", "a.test"))


def _counted(store: Entries) -> bool:
    records = [URLS.decode(raw) for _, raw in store.iterate(b"u", b"")]
    return sum(ShardReader(0, store).counts().values()) == len(records)


def test_what_is_removed_half_way_is_found_again() -> None:
    store = shard_with("a.test", "b.test")
    first = [entry for some in gathered_from(store, "a.test") for entry in some][:10]
    store.apply(list(removed(first, store.get).items()))
    left = [entry for some in gathered_from(store, "a.test") for entry in some]
    store.apply(list(removed(left, store.get).items()))
    assert all_of(store) == all_of(shard_with("b.test"))


def test_a_url_of_which_nothing_is_known_stays() -> None:
    store = shard_with("a.test")
    store.apply(list(put_in([(keys.url_key(DEAD), TRIMMED_BYTES)], store.get).items()))
    assert ShardReader(0, store).trimmed() == 1
    moving = [entry for some in gathered_from(store, "a.test") for entry in some]
    store.apply(list(removed(moving, store.get).items()))
    assert set(all_of(store)) == {keys.url_key(DEAD), keys.COUNTS, keys.TRIMMED}
    assert [slot for slot, _ in entries_of(store, sorting(store))] == [None]


def test_a_dead_url_that_was_found_anew_elsewhere_is_one_url() -> None:
    mark = fingerprint("http://a.test/")
    trimmed, known = (keys.url_key(mark), TRIMMED_BYTES), all_of(one_of_each("a.test")).items()
    for order in ([trimmed], known), (known, [trimmed]):
        store = Entries()
        for some in order:
            store.apply(list(put_in(some, store.get).items()))
        assert _counted(store)
        assert ShardReader(0, store).trimmed() == 0
        assert URLS.decode(store.get(keys.url_key(mark)) or b"").state is State.QUEUED


def test_serials_go_on_from_the_larger_number_of_openings() -> None:
    there = METAS.encode(Meta(3, 8, 1.0, opened=2, filter=b"digest"))
    assert METAS.decode(opened_as_often(there, 3, 8, 5, 9.0)) == Meta(3, 8, 1.0, 5)
    assert METAS.decode(opened_as_often(there, 3, 8, 1, 9.0)) == Meta(3, 8, 1.0, 2)
    assert METAS.decode(opened_as_often(None, 3, 8, 1, 9.0)) == Meta(3, 8, 9.0, 1)


def test_changes_are_whole() -> None:
    changes: Changes = removed([], Entries().get)
    assert list(changes) == [keys.COUNTS]
