"""The table of hints: what was added last is found, by every node, however full it gets."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.store.bodies import table as module
from skitter.store.bodies.table import BUCKETS, SLOTS, STRIPES, BodySlot, BodyTable, stripe_of

FILE = "skitter-20261115204640-n1-00000.warc.gz"


def key_of(number: int) -> bytes:
    return sha256(b"%d" % number).digest()


def a_hint(offset: int = 10, file: str = FILE) -> BodySlot:
    return BodySlot(file, offset, b"record")


@pytest.fixture
def hints(tmp_path: Path) -> Iterator[BodyTable]:
    made = BodyTable(tmp_path)
    yield made
    made.close()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> int:
    """Makes the files of tables small, and returns how many hints they hold in all."""
    monkeypatch.setattr(module, "BUCKETS", (1, 4))
    return SLOTS * 5


def test_what_is_added_is_found_and_nothing_else(hints: BodyTable) -> None:
    assert hints.find(key_of(1)) is None
    hints.add(key_of(1), a_hint(1))
    hints.add(key_of(2), a_hint(2))
    assert [hints.find(key_of(number)) for number in (1, 2, 3)] == [a_hint(1), a_hint(2), None]


HINTS = {
    "the first file": a_hint(0),
    "far into a file": a_hint(2**40 - 1),
    "the last file of a node": a_hint(file="skitter-20261115204640-n1-16777215.warc.gz"),
    "the last node": a_hint(file="skitter-20261115204640-n65535-00001.warc.gz"),
    "long ago": a_hint(file="skitter-19700101000000-n0-00000.warc.gz"),
    "long hence": a_hint(file="skitter-21060207062815-n0-00000.warc.gz"),
    "a record of zeros": BodySlot(FILE, 10, bytes(6)),
}


@pytest.mark.parametrize("hint", HINTS.values(), ids=HINTS)
def test_hints_come_back_as_they_were(hint: BodySlot, hints: BodyTable) -> None:
    hints.add(key_of(1), hint)
    hints.add(key_of(1 + STRIPES), a_hint())
    assert hints.find(key_of(1)) == hint


FOREIGN = {
    "a node with a name": "skitter-20261115204640-east-00000.warc.gz",
    "a file of others": "crawl.warc.gz",
    "too late": "skitter-21060207062816-n0-00000.warc.gz",
    "too many nodes": "skitter-20261115204640-n65536-00000.warc.gz",
    "too many files": "skitter-20261115204640-n1-16777216.warc.gz",
}


@pytest.mark.parametrize("file", FOREIGN.values(), ids=FOREIGN)
def test_what_does_not_fit_is_left_out(file: str, hints: BodyTable, tmp_path: Path) -> None:
    hints.add(key_of(1), a_hint(file=file))
    hints.add(key_of(2), a_hint(2**40))
    assert [hints.find(key_of(number)) for number in (1, 2)] == [None, None]
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 2**40 - 1)), max_size=SLOTS * 7))
def test_the_last_hint_of_each_key_is_found_while_there_is_room(added: list[tuple[int, int]]) -> None:
    """Over four buckets and their overflow, by two nodes in turn, one of which looks while the other adds."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BUCKETS", (4, 1))
        nodes = [BodyTable(Path(folder)), BodyTable(Path(folder))]
        latest: dict[int, int] = {}
        room = dict.fromkeys(range(4), SLOTS) | {"overflow": SLOTS}
        for at, (number, offset) in enumerate(added):
            nodes[at % 2].add(key_of(number), a_hint(offset))
            bucket = stripe_of(key_of(number)) % 4
            where = bucket if room[bucket] else "overflow"
            if room[where]:
                room[where] -= 1
                latest[number] = offset
            found = nodes[1 - at % 2].find(key_of(number))
            assert (None if found is None else found.offset) == latest.get(number)
        assert {number for number in range(100) if nodes[0].find(key_of(number))} == set(latest)
        for node in nodes:
            node.close()


BATCHES = st.lists(st.dictionaries(st.integers(0, 99), st.booleans(), max_size=8), max_size=8)


@settings(max_examples=30, deadline=None)
@given(BATCHES)
def test_what_was_seen_holds_while_the_claim_does_and_nothing_was_added(batches: list[dict[int, bool]]) -> None:
    """Two nodes look together for bodies of one bucket and add some of them; the one without the claims looks too."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BUCKETS", (1, 1, 4))
        nodes = [BodyTable(Path(folder)), BodyTable(Path(folder))]
        added: dict[int, int] = {}
        for at, batch in enumerate(batches):
            ours, other = nodes[at % 2], nodes[1 - at % 2]
            for number in batch:
                ours.find(key_of(number), is_claimed=True)
                other.find(key_of(number))
            for number in [number for number, is_added in batch.items() if is_added]:
                ours.add(key_of(number), a_hint(at))
                added[number] = at
            ours.forget()
            other.add(key_of(at), a_hint(at))
            added[at] = at
        assert {number: nodes[0].find(key_of(number)) for number in added} == {
            number: a_hint(at) for number, at in added.items()
        }
        for node in nodes:
            node.close()


def test_a_table_that_is_full_takes_no_more_and_keeps_what_it_has(small: int, tmp_path: Path) -> None:
    hints = BodyTable(tmp_path)
    for number in range(small * 4):
        hints.add(key_of(number), a_hint(number))
    found = [number for number in range(small * 4) if hints.find(key_of(number)) == a_hint(number)]
    assert len(found) == small
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) == small * 32
    hints.close()


def test_what_was_added_is_there_for_the_next_start(hints: BodyTable, tmp_path: Path) -> None:
    hints.add(key_of(1), a_hint(1))
    after = BodyTable(tmp_path)
    assert after.find(key_of(1)) == a_hint(1)
    after.close()


def test_bodies_of_one_bucket_are_of_one_stripe() -> None:
    """Else two nodes could write to one bucket at once."""
    assert all(buckets % STRIPES == 0 for buckets in BUCKETS)
    assert all(larger % smaller == 0 for smaller, larger in itertools.pairwise(BUCKETS))
    numbers = {stripe_of(key_of(number)) for number in range(1000)}
    assert len(numbers) > 900
    assert max(numbers) < STRIPES


SPOILT = {"zeros": b"\0", "words": b"garbage", "ones": b"\xff", "half of each slot": bytes(16) + b"x" * 16}


@pytest.mark.parametrize("spoilt", SPOILT.values(), ids=SPOILT)
def test_garbage_is_no_fault(spoilt: bytes, hints: BodyTable, tmp_path: Path) -> None:
    """It may lead anywhere, and whoever follows it looks; it does not stop a crawl."""
    hints.add(key_of(1), a_hint())
    (file,) = tmp_path.iterdir()
    file.write_bytes(spoilt * (file.stat().st_size // len(spoilt)))
    assert hints.find(key_of(1)) is None
    hints.add(key_of(1), a_hint(2))
    assert hints.find(key_of(1)) in (a_hint(2), None)
