"""A body whose WARC file has left for a bucket is still known, and only as far as the bucket has it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from skitter.store.bodies.heads import Heads

FILE = "skitter-20261115204640-n1-00000.warc.gz"
HEAD = ("https://a.example/", 1_794_775_600_000_000, "sha256:00", "<urn:uuid:1>")


@pytest.fixture
def mine(tmp_path: Path) -> Iterator[Heads]:
    with closing(Heads(tmp_path, "n1")) as heads:
        yield heads


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Heads]:
    with closing(Heads(tmp_path, "n2")) as heads:
        yield heads


def test_what_is_safe_is_known_to_all(mine: Heads, other: Heads) -> None:
    mine.remember(FILE, [(100, HEAD), (900, HEAD)])
    assert other.find(FILE, 100) is None, "it is not in the bucket yet"
    mine.note_safe(FILE, 1000)
    assert mine.find(FILE, 100) == HEAD
    assert other.find(FILE, 900) == HEAD
    assert other.find(FILE, 500) is None
    assert mine.troubles == other.troubles == 0


def test_what_a_repair_cut_off_is_not(mine: Heads, other: Heads) -> None:
    mine.remember(FILE, [(100, HEAD), (900, HEAD)])
    mine.note_safe(FILE, 900)
    assert other.find(FILE, 100) == HEAD
    assert other.find(FILE, 900) is None


def test_files_that_nobody_kept_anything_of_are_no_trouble(mine: Heads) -> None:
    assert mine.find(FILE, 1) is None
    assert mine.find("theirs.warc.gz", 1) is None
    mine.note_safe(FILE, 10)
    assert mine.troubles == 0


def test_one_that_can_not_be_used_makes_bodies_unknown_and_nothing_else(tmp_path: Path, other: Heads) -> None:
    path = tmp_path / "heads-n1.sqlite"
    path.write_bytes(b"no database " * 1000)
    assert other.find(FILE, 100) is None
    with closing(Heads(tmp_path, "n1")) as mine:
        mine.remember(FILE, [(100, HEAD)])
        mine.note_safe(FILE, 1000)
        assert mine.troubles == 1
    path.unlink()
    with closing(sqlite3.connect(path)) as newer, newer:
        newer.execute("PRAGMA user_version = 9")
    assert other.find(FILE, 100) is None
    assert other.troubles == 2
