"""The census finds what does not fit together in a store."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skitter.messages import State
from skitter.shard import keys
from skitter.shard.records import STATES, TRIMMED_BYTES, URLS, UrlRecord
from skitter.sim.disk import Change, Entries
from skitter.sim.run.census import Census
from skitter.url.domains import Domains
from skitter.url.keys import fingerprint
from skitter.url.routes import Routes

HREF, HOST = "http://a.test/x", "a.test"
MARK = fingerprint(HREF)
QUEUE = keys.queue_key(HOST, 0.5, 7)
RECORD = UrlRecord(HREF, HOST, State.QUEUED, 0.0, 0, 0.5, queue=QUEUE)
ONE = STATES.encode([1, 0, 0, 0, 0, 0, 0])
OTHER = fingerprint("http://a.test/gone")
BOTH = STATES.encode([int(state in (State.QUEUED, State.DEAD)) for state in State])
WHOLE: dict[bytes, bytes] = {
    keys.url_key(MARK): URLS.encode(RECORD),
    QUEUE: MARK,
    keys.COUNTS: ONE,
    keys.counts_key(HOST): ONE,
    keys.inside_key(HOST): b"\0",
}


def census(*changes: Change, shards: int = 1) -> Census:
    entries = Entries()
    entries.apply([*WHOLE.items(), *changes])
    return Census({0: entries}, Routes(Domains(), shards))


def test_a_store_that_fits_together() -> None:
    found = census()
    assert found.wrong == []
    assert [one.key for one in found.found] == [HREF]
    assert found.counts == {State.QUEUED: 1} | {state: 0 for state in State if state is not State.QUEUED}


def test_a_dead_url_that_was_trimmed_is_counted_by_its_host_still() -> None:
    trimmed = (keys.url_key(OTHER), TRIMMED_BYTES)
    assert census(trimmed, (keys.COUNTS, BOTH), (keys.counts_key(HOST), BOTH)).wrong == []


BROKEN: dict[str, tuple[Callable[[], Census], str]] = {
    "not in its queue": (lambda: census((QUEUE, None)), "in a record and not in the list"),
    "in a queue by itself": (lambda: census((keys.queue_key(HOST, 0.5, 8), MARK)), "in the list and not in a record"),
    "due and not queued for it": (
        lambda: census((keys.timed_key(b"d", 5.0, MARK), b"")),
        "in the list and not in a record",
    ),
    "not counted": (lambda: census((keys.COUNTS, None)), "are counted"),
    "its host's count": (lambda: census((keys.counts_key(HOST), None)), "of a.test"),
    "forgotten": (lambda: census((keys.inside_key(HOST), None)), "nobody waits for it"),
    "another's key": (lambda: census((keys.url_key(b"0" * 16), URLS.encode(RECORD))), "another URL's key"),
    "another shard's": (lambda: census(shards=64), "another shard's"),
    "a dead one too many": (lambda: census((keys.COUNTS, BOTH), (keys.counts_key(HOST), BOTH)), "+1 to those"),
    "a dead one too few": (lambda: census((keys.COUNTS, BOTH), (keys.url_key(OTHER), TRIMMED_BYTES)), "-1 to those"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_store_that_does_not(name: str) -> None:
    make, word = BROKEN[name]
    assert any(word in what for what in make().wrong)


def test_parcels_that_wait_are_counted() -> None:
    assert census((keys.outbox_key(3, 1), b"")).parcels == 1
