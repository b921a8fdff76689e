"""How far a file is on the disk: the last word counts, and a lost one costs nothing but time."""

from __future__ import annotations

from pathlib import Path

import pytest

from skitter.store.warc.marks import Marks

FILE, OTHER = "skitter-20261115204640-n1-00000.warc.gz", "skitter-20261115204640-n2-00000.warc.gz"


def test_the_last_mark_of_a_node_is_kept(tmp_path: Path) -> None:
    marks = Marks(tmp_path)
    assert marks.get(FILE) == 0
    marks.set(FILE, 123_456_789_012)
    marks.set(FILE, 200)
    marks.set(OTHER, 300)
    assert (Marks(tmp_path).get(FILE), Marks(tmp_path).get(OTHER)) == (200, 300)
    after = FILE.replace("-00000", "-00001")
    assert marks.get(after) == 0
    marks.set(after, 400)
    assert (marks.get(after), marks.get(FILE)) == (400, 0)


LOST = {
    "nothing": b"",
    "the name only": FILE.encode(),
    "no number": f"{FILE} ten".encode(),
    "more than a number": f"{FILE} 10 11".encode(),
    "zeros": bytes(128),
    "less than nothing": f"{FILE} -1".encode(),
}


@pytest.mark.parametrize("content", LOST.values(), ids=LOST)
def test_a_mark_that_is_none_counts_as_none(content: bytes, tmp_path: Path) -> None:
    Marks(tmp_path).set(FILE, 100)
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)
    assert Marks(tmp_path).get(FILE) == 0


def test_a_mark_that_can_not_be_kept_is_done_without(tmp_path: Path) -> None:
    marks = Marks(tmp_path / "nowhere")
    marks.set(FILE, 100)
    assert marks.get(FILE) == 0
