"""Where WARC files are, in folders by day and, as older crawls have them, in none."""

from __future__ import annotations

from pathlib import Path

import pytest

from skitter.store.disk import RealDisk
from skitter.store.warc.places import all_files, day_of, folder_of, make_day, open_files, relative_path, sealed_files

ONE, TWO = "skitter-20261115204551-n1-00000.warc.gz", "skitter-20261116000000-n0-00001.warc.gz"


@pytest.mark.parametrize(
    ("name", "day"),
    [
        (ONE, "2026/11/15"),
        (f"{TWO}.open", "2026/11/16"),
        ("skitter-20261115204551-n1-00000.cdxj", "2026/11/15"),
        ("CC-MAIN-20261115204551-n1-00000.warc.gz", ""),
        ("skitter-2026111520-n1-00000.warc.gz", ""),
    ],
)
def test_the_day_is_in_the_name(name: str, day: str) -> None:
    assert day_of(name) == day
    assert relative_path(name) == (f"{day}/{name}" if day else name)


def put(folder: Path, place: str) -> Path:
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_both_layouts_are_found_in_the_order_of_names(tmp_path: Path) -> None:
    new, old = put(tmp_path, relative_path(TWO)), put(tmp_path, ONE)
    left = put(tmp_path, relative_path("skitter-20261117000000-n0-00002.warc.gz.open"))
    put(tmp_path, ".room-n0")
    assert sealed_files(tmp_path) == [old, new]
    assert open_files(tmp_path) == [left]
    assert all_files(tmp_path) == [old, new, left]
    assert [folder_of(path) for path in all_files(tmp_path)] == [tmp_path] * 3


def test_a_file_that_is_both_is_told_once(tmp_path: Path) -> None:
    sealed = put(tmp_path, relative_path(ONE))
    put(tmp_path, relative_path(f"{ONE}.open"))  # as if it was sealed between two looks
    assert all_files(tmp_path) == [sealed]


def test_a_new_day_gets_its_folder(tmp_path: Path) -> None:
    path = make_day(RealDisk(), tmp_path, ONE)
    assert path == tmp_path / "2026" / "11" / "15" / ONE
    assert path.parent.is_dir()
    assert make_day(RealDisk(), tmp_path, ONE) == path
