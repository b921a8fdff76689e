"""A domain is put into parts: what was kept by its name is kept by theirs, and its budget is dealt out."""

from __future__ import annotations

from skitter.schedule.budget import DomainFlag, DomainRecord, dealt_out, is_proven, pages_left, weight
from skitter.shard import keys
from skitter.shard.moving.parting import parted, renamed
from skitter.shard.records import DOMAINS
from skitter.sim.disk import Entries
from skitter.url.spread import part_of, parts_of

DOMAIN, PARTS = "platform.test", 3
HOSTS = [f"h{number}.{DOMAIN}" for number in range(30)]
RECORD = DomainRecord(DOMAIN, 1.0, flags=DomainFlag.SEED, hosts=31, used=7, earned=20.0, boosted=4, good=50)


def store() -> Entries:
    entries = Entries()
    entries.apply([(keys.host_waiting_key(DOMAIN, 2, host), b"") for host in HOSTS])
    entries.apply([(keys.waiting_key(2, DOMAIN), b""), (keys.domain_key(DOMAIN), DOMAINS.encode(RECORD))])
    entries.apply([(keys.band_prefix(DOMAIN) + bytes(8), bytes(16))])
    entries.apply(
        [(keys.host_waiting_key("platform.tes", 2, "platform.tes"), b""), (keys.waiting_key(2, "other.test"), b"")]
    )
    return entries


def put_into_parts(entries: Entries) -> None:
    for changes in renamed(entries, DOMAIN, PARTS):
        entries.apply(list(changes.items()))
    entries.apply(list(parted(entries, DOMAIN, PARTS).items()))


def test_what_was_kept_by_the_name_of_the_domain_is_kept_by_those_of_its_parts() -> None:
    entries = store()
    put_into_parts(entries)
    waiting = {key for key, _ in entries.iterate(b"v")} - {keys.host_waiting_key("platform.tes", 2, "platform.tes")}
    assert waiting == {keys.host_waiting_key(part_of(DOMAIN, host, PARTS), 2, host) for host in HOSTS}
    turns = {key for key, _ in entries.iterate(b"w")}
    assert turns == {keys.waiting_key(2, name) for name in [*parts_of(DOMAIN, PARTS), "other.test"]}
    assert [DOMAINS.decode(raw).domain for _, raw in entries.iterate(b"b")] == parts_of(DOMAIN, PARTS)
    assert not list(entries.iterate(b"n"))


def test_broken_off_it_is_done_again_and_comes_to_the_same() -> None:
    whole, broken = store(), store()
    put_into_parts(whole)
    changes = next(renamed(broken, DOMAIN, PARTS))
    broken.apply(list(changes.items())[:16])  # a record is written whole
    put_into_parts(broken)
    assert list(broken.iterate(b"")) == list(whole.iterate(b""))


def test_what_a_domain_may_have_is_dealt_out_and_what_is_known_of_it_is_known_of_each() -> None:
    parts = dealt_out(RECORD, parts_of(DOMAIN, PARTS))
    for name in ("hosts", "used", "boosted"):
        assert sum(getattr(one, name) for one in parts) == getattr(RECORD, name)
    assert all(is_proven(one) and one.good == RECORD.good for one in parts)
    assert abs(sum(map(weight, parts)) - weight(RECORD)) < 1e-9
    unknown = DomainRecord(DOMAIN, 1.0, earned=20.0)
    assert sum(pages_left(one, 0) for one in dealt_out(unknown, parts_of(DOMAIN, PARTS))) == pages_left(unknown, 0)
    assert all(pages_left(one, 0) >= 1 for one in dealt_out(DomainRecord(DOMAIN, 1.0), parts_of(DOMAIN, PARTS)))
