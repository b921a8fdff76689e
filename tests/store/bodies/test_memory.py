"""The memory of bodies: one node stores each, all know it then, and only what the archive shows is believed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from skitter.errors import MachineError
from skitter.ports import Capture
from skitter.store.bodies.memory import Bodies, StoredBody
from skitter.store.bodies.table import stripe_of
from skitter.store.disk import RealDisk
from skitter.store.warc.batch import Batch
from skitter.store.warc.payload import digests_of
from skitter.store.warc.places import relative_path

NAME = "skitter-20261115204640-n1-00000.warc.gz"


def key_of(number: int) -> bytes:
    return sha256(b"%d" % number).digest()


def neighbour_of(key: bytes) -> bytes:
    """Returns another key, which can't be claimed by another node at the same time."""
    return next(other for other in map(key_of, range(10**6)) if stripe_of(other) == stripe_of(key))


class Shelf:
    """A WARC file with a response in the middle, in the hands of a node that lives, and two nodes that know of it."""

    def __init__(self, directory: Path, capture: Callable[..., Capture]) -> None:
        self.path = directory / "warc" / relative_path(NAME)
        self.path.parent.mkdir(parents=True)
        self.open = self.path.with_name(f"{NAME}.open")
        self.capture = capture("https://a.example/ü?x=1", b"the body" * 100)
        batch = Batch(NAME, 0, 4, {}.get)
        batch.add(capture("https://b.example/", b"before"))
        batch.add(self.capture)
        batch.add(capture("https://c.example/", b"after"))
        self.content = batch.content
        key = digests_of(self.capture.fetched).key
        assert key is not None
        self.key = key
        self.place = dict(batch.places)[key]
        self.fd = RealDisk().create(self.open)
        os.write(self.fd, self.content)
        self.one, self.other = Bodies(directory), Bodies(directory)

    def close(self) -> None:
        self.one.close()
        self.other.close()
        self.let_go()

    def let_go(self) -> None:
        """Leaves the file, as a node does that is killed."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def remember(self) -> None:
        assert self.one.claim([self.key]) == {self.key: None}
        self.one.remember([(self.key, self.place)])
        self.one.release()


@pytest.fixture
def shelf(tmp_path: Path, capture: Callable[..., Capture]) -> Iterator[Shelf]:
    with closing(Shelf(tmp_path, capture)) as made:
        yield made


def test_a_body_is_for_one_node_to_store_and_then_known_to_all(shelf: Shelf) -> None:
    assert shelf.one.claim([shelf.key, key_of(1)]) == {shelf.key: None, key_of(1): None}
    assert shelf.other.claim([shelf.key, key_of(2)]) == {key_of(2): None}, "the first is being stored"
    shelf.one.remember([(shelf.key, shelf.place)])
    assert shelf.other.claim([shelf.key]) == {shelf.key: shelf.place}, "what is stored is known at once"
    shelf.one.release()
    assert shelf.one.claim([shelf.key]) == {shelf.key: shelf.place}
    assert shelf.place.url == "https://a.example/ü?x=1"


def test_what_was_claimed_and_not_stored_is_for_the_next(shelf: Shelf) -> None:
    assert shelf.one.claim([shelf.key]) == {shelf.key: None}
    assert shelf.other.claim([shelf.key]) == {}
    shelf.one.release()
    assert shelf.other.claim([shelf.key]) == {shelf.key: None}


def test_a_known_body_is_known_whatever_others_store(shelf: Shelf) -> None:
    shelf.remember()
    neighbour = neighbour_of(shelf.key)
    assert shelf.one.claim([shelf.key, neighbour]) == {shelf.key: shelf.place, neighbour: None}
    assert shelf.other.claim([shelf.key, neighbour]) == {shelf.key: shelf.place}, "the neighbour is being stored"


def test_what_was_stored_without_a_claim_stays_unknown(shelf: Shelf) -> None:
    """It may not be written down: another has the claim, and may be writing there."""
    assert shelf.one.claim([shelf.key]) == {shelf.key: None}
    shelf.other.remember([(shelf.key, shelf.place)])
    assert shelf.one.claim([shelf.key]) == {shelf.key: None}


def test_a_claim_that_was_given_up_is_none(shelf: Shelf) -> None:
    shelf.one.claim([shelf.key])
    shelf.one.release()
    shelf.one.remember([(shelf.key, shelf.place)])
    assert shelf.other.claim([shelf.key]) == {shelf.key: None}


def test_two_bodies_of_one_bucket_in_one_batch_are_both_kept(shelf: Shelf) -> None:
    neighbour = neighbour_of(shelf.key)
    shelf.one.claim([shelf.key, neighbour])
    shelf.one.remember([(shelf.key, shelf.place), (neighbour, shelf.place)])
    assert shelf.other.claim([shelf.key, neighbour]) == {shelf.key: shelf.place, neighbour: shelf.place}


def test_it_is_known_after_the_file_is_sealed_and_after_a_start(shelf: Shelf, tmp_path: Path) -> None:
    shelf.remember()
    shelf.open.rename(shelf.path)
    assert shelf.other.claim([shelf.key]) == {shelf.key: shelf.place}, "the node is about to close it"
    shelf.let_go()
    with closing(Bodies(tmp_path)) as after:
        assert after.claim([shelf.key]) == {shelf.key: shelf.place}


def seal(shelf: Shelf, content: bytes) -> None:
    shelf.let_go()
    shelf.open.unlink()
    shelf.path.write_bytes(content)


def zeroed(content: bytes, at: int) -> bytes:
    return content[:at] + bytes(len(content) - at)


LOSSES: dict[str, Callable[[Shelf], Any]] = {
    "left open by a node that died": lambda shelf: shelf.let_go(),
    "cut before it": lambda shelf: seal(shelf, shelf.content[: shelf.place.offset]),
    "cut in the middle of its head": lambda shelf: seal(shelf, shelf.content[: shelf.place.offset + 20]),
    "zeros from there on": lambda shelf: seal(shelf, zeroed(shelf.content, shelf.place.offset)),
    "the file is gone": lambda shelf: (shelf.let_go(), shelf.open.unlink()),
    "another file has that name": lambda shelf: seal(shelf, b"another file" * 1000),
    "another record is there": lambda shelf: seal(shelf, another(shelf)),
}


def another(shelf: Shelf) -> bytes:
    """Returns a file in which another response with the same body begins at the same place."""
    batch = Batch(NAME, 0, 4, {}.get)
    batch.add(shelf.capture)
    return shelf.content[: shelf.place.offset] + batch.content[batch.stored[0].offset :]


@pytest.mark.parametrize("lose", LOSSES.values(), ids=LOSSES)
def test_what_the_archive_does_not_show_is_not_known(lose: Callable[[Shelf], Any], shelf: Shelf) -> None:
    shelf.remember()
    lose(shelf)
    assert shelf.other.claim([shelf.key]) == {shelf.key: None}


def test_a_body_that_was_lost_is_known_where_it_is_stored_again(shelf: Shelf) -> None:
    shelf.one.claim([shelf.key])
    stale = StoredBody(shelf.place.url, 0, "", "<urn:uuid:gone>", NAME, 1)
    shelf.one.remember([(shelf.key, stale)])
    shelf.one.release()
    assert shelf.other.claim([shelf.key]) == {shelf.key: None}
    shelf.other.remember([(shelf.key, shelf.place)])
    shelf.other.release()
    assert shelf.one.claim([shelf.key]) == {shelf.key: shelf.place}


BROKEN: dict[str, Callable[[Path], object]] = {
    "the folder is a file": lambda folder: folder.write_text("a file, not a folder"),
    "the claims are a folder": lambda folder: (folder / "claims").mkdir(parents=True),
    "the hints are a folder": lambda folder: (folder / "hints-1-0").mkdir(parents=True),
}


@pytest.mark.parametrize("break_", BROKEN.values(), ids=BROKEN)
def test_a_memory_that_can_not_be_used_is_a_broken_machine(break_: Callable[[Path], object], tmp_path: Path) -> None:
    break_(tmp_path / "bodies")
    with pytest.raises(MachineError, match=rf"memory of stored bodies failed .*{tmp_path / 'bodies'}.*may be removed"):
        Bodies(tmp_path).claim([key_of(1)])
