"""Indexes are made once, in order, and what a crash left half made is cleared away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from skitter.ports import Capture
from skitter.store.index.indexer import Indexer
from skitter.store.index.paths import index_paths
from skitter.store.warc.batch import Batch

NAME = "skitter-20261115204551-n1-00000.warc.gz"


def test_an_index_that_is_ordered_twice_is_made_once(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    batch = Batch(NAME, 0, 4, {}.get)
    batch.add(capture())
    (tmp_path / "warc").mkdir()
    (tmp_path / "warc" / NAME).write_bytes(batch.content)
    indexer = Indexer(tmp_path, "n1")
    indexer.add(NAME, batch.entries)
    indexer.finish(tmp_path / "warc" / NAME)
    indexer._submit(indexer._make, tmp_path / "warc" / NAME)  # as `make_missing` does if `finish` is still to come
    indexer.close()
    assert (indexer.made, indexer.failed) == (1, 0)
    assert all(path.exists() for path in index_paths(tmp_path, NAME).values())


def test_what_is_half_made_is_cleared_away_if_it_is_ours(tmp_path: Path) -> None:
    theirs = NAME.replace("-n1-", "-n2-")
    for name in (NAME, theirs):
        for path in index_paths(tmp_path, name).values():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.with_name(path.name + ".tmp").write_bytes(b"half")
    indexer = Indexer(tmp_path, "n1")
    indexer.clean()
    indexer.close()
    left = {path.name.split("-")[2] for path in tmp_path.rglob("*.tmp")}
    assert left == {"n2"}


def test_a_damaged_file_is_counted_and_the_others_are_indexed(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    batch = Batch(NAME, 0, 4, {}.get)
    batch.add(capture())
    (tmp_path / "warc").mkdir()
    (tmp_path / "warc" / NAME).write_bytes(batch.content[:-1])
    (tmp_path / "warc" / NAME.replace("00000", "00001")).write_bytes(batch.content)
    indexer = Indexer(tmp_path, "n1")
    indexer.make_missing()
    indexer.close()
    assert (indexer.made, indexer.failed) == (1, 1)
