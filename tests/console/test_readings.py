"""What a page said at its last changes, out of the tables of texts."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from skitter.console import readings as module
from skitter.console.readings import MOST, Reading, readings
from skitter.inspection.history import History, Visit
from skitter.messages import Reason, State
from skitter.store.index.paths import content_paths

FILE = "skitter-20260102030405-n0-00000.warc.gz"


class Folder:
    """As much of a crawl's folder as is asked for."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory


def visit(at: float, *, changed: bool | None = True, failure: str | None = None, file: str = FILE) -> Visit:
    return Visit(at, 200, failure, changed, 10, file, int(at))


def test_texts_of_the_last_changes_are_found_by_their_place_in_the_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = content_paths(tmp_path, FILE)["text"]
    table.parent.mkdir(parents=True)
    rows = {"warc_offset": [1, 2, 3, 4, 5, 6], "text": ["one", "two", "three", None, "five", "six"]}
    pq.write_table(pa.table(rows), table)
    visits = [
        visit(1, changed=None),
        visit(2),
        visit(3, changed=False),  # as before
        visit(4),
        visit(5, failure="gone"),
        visit(6),
        visit(7, file="skitter-20260102030405-n0-00001.warc.gz"),  # its table is not made yet
    ]
    found = History("http://a.test/", visits, State.DONE, None, None, None, None, all_indexed=True)
    monkeypatch.setattr(module, "history", lambda _folder, _url: found)
    told = readings(Folder(tmp_path), "http://a.test/")  # type: ignore[arg-type]
    assert told == [Reading(2, "two"), Reading(4, ""), Reading(6, "six")]
    assert len(visits) > MOST


def test_what_is_no_url_has_no_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "history", lambda _folder, _url: Reason.BAD_URL)
    assert readings(Folder(tmp_path), "nonsense") == []  # type: ignore[arg-type]
