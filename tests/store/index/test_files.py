"""Indexes: pywb's and DuckDB's view of a file, the same whether made on the way or afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from skitter.errors import MachineError
from skitter.messages import Failure, Kind, Reason
from skitter.ports import Capture
from skitter.store.index.cdxj import CdxjFile
from skitter.store.index.files import Index, make_index
from skitter.store.index.parquet import SCHEMAS
from skitter.store.index.paths import index_paths
from skitter.store.warc.batch import Batch

NAME = "skitter-20261115204551-n1-00000.warc.gz"


def a_batch(folder: Path, captures: list[Capture]) -> Batch:
    batch = Batch(NAME, 0, 4, {}.get)
    for capture in captures:
        batch.add(capture)
    (folder / NAME).write_bytes(batch.content)
    return batch


def tables(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    paths = index_paths(folder, NAME)
    rows = {name: duckdb.sql(f"select * from read_parquet('{paths[name]}')").fetchall() for name in SCHEMAS}
    return {**rows, "cdxj": [(line,) for line in paths["cdxj"].read_text().splitlines()]}


def live_and_remade(folder: Path, captures: list[Capture]) -> tuple[dict[str, Any], dict[str, Any]]:
    batch = a_batch(folder, captures)
    index = Index(folder / "live", NAME)
    for entry in batch.entries:
        index.add([entry])
    index.finish()
    make_index(folder / "again", folder / NAME)
    return tables(folder / "live"), tables(folder / "again")


@pytest.fixture
def zoo(capture: Callable[..., Capture], failure: Callable[..., Capture]) -> list[Capture]:
    return [
        capture("https://b.example/", refused={0: Reason.TOO_DEEP, 1: Reason.NOFOLLOW}),
        capture("https://b.example/copy", began=1_794_775_552.5),
        capture("http://www.a.example/Path?b=2&a=1", b"", status=404, headers=(), links=()),
        capture("http://a.example/cut", fetched={"truncated": "time", "failure": Failure(Kind.TOO_SLOW, "x")}),
        failure("http://dead.example/"),
        failure("http://a.example/reset", sent=b"GET / HTTP/1.1\r\n\r\n", kind="reset"),
    ]


def test_live_and_remade_are_equal(tmp_path: Path, zoo: list[Capture]) -> None:
    live, again = live_and_remade(tmp_path, zoo)
    assert live == again
    assert {name: len(rows) for name, rows in live.items()} == {
        "captures": 4,
        "failures": 2,
        "links": 9,
        "hosts": 3,
        "cdxj": 4,
    }


def test_a_links_row_says_why_the_link_was_not_followed(tmp_path: Path, zoo: list[Capture]) -> None:
    live, again = live_and_remade(tmp_path, zoo[:2])
    assert [row[-1] for row in live["links"]] == ["too_deep", "nofollow", None, None, None, None]
    assert again["links"] == live["links"]


def test_what_a_capture_row_says(tmp_path: Path, zoo: list[Capture]) -> None:
    live_and_remade(tmp_path, zoo)
    path = index_paths(tmp_path / "live", NAME)["captures"]
    query = f"select * from read_parquet('{path}') where url like '%copy'"
    found = duckdb.sql(query)
    row = dict(zip(found.columns, found.fetchall()[0], strict=True))
    assert row.pop("fetched_at").isoformat() == "2026-11-15T20:45:52.500000"
    assert row.pop("digest") == row.pop("payload_digest")
    assert row.pop("warc_offset") > 0
    assert row.pop("warc_length") > 0
    assert row == {
        "url": "https://b.example/copy",
        "host": "b.example",
        "errand": "page",
        "depth": 2,
        "parent": None,
        "status": 200,
        "mime": "text/html",
        "encoding": "utf-8",
        "lang": "en",
        "title": "Höme",
        "bytes": 12,
        "content_bytes": 12,
        "revisit": True,
        "truncated": None,
        "insecure": False,
        "failure": None,
        "verdict": "follow",
        "reasons": [],
        "duplicate_of": None,
        "simhash": None,
        "outlinks": 3,
        "rendered": None,
        "seconds": 0.25,
        "address": "192.0.2.7",
        "warc_file": NAME,
    }


def test_what_a_hosts_row_says(tmp_path: Path, zoo: list[Capture]) -> None:
    live, _ = live_and_remade(tmp_path, zoo)
    assert [row[:6] for row in live["hosts"]] == [
        ("a.example", 2, 0, 1, 1, 12),
        ("b.example", 2, 1, 0, 0, 24),
        ("dead.example", 0, 0, 0, 1, 0),
    ]


def test_cdxj_points_at_the_record(tmp_path: Path, zoo: list[Capture]) -> None:
    live, _ = live_and_remade(tmp_path, zoo)
    lines = [line for (line,) in live["cdxj"]]
    assert [line.split(" ")[:2] for line in lines] == [
        ["example,a)/cut", "20261115204551"],
        ["example,a)/path?a=1&b=2", "20261115204551"],
        ["example,b)/", "20261115204551"],
        ["example,b)/copy", "20261115204552"],
    ]
    copy = json.loads(lines[3].split(" ", 2)[2])
    assert copy["mime"] == "warc/revisit"
    assert copy["filename"] == f"2026/11/15/{NAME}"
    captures = {(row[0], row[-2], row[-1]) for row in live["captures"]}
    assert (copy["url"], int(copy["offset"]), int(copy["length"])) in captures


def test_not_modified_is_a_capture_but_nothing_to_replay(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    live, again = live_and_remade(tmp_path, [capture(), capture(payload=b"", status=304)])
    assert live == again
    assert (len(live["captures"]), len(live["cdxj"])) == (2, 1)


def test_an_answer_without_its_metadata_is_still_a_row(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    batch = a_batch(tmp_path, [capture()])
    entry = batch.entries[0]
    (tmp_path / NAME).write_bytes(batch.content[: entry.offset + entry.length])
    make_index(tmp_path, tmp_path / NAME)
    made = tables(tmp_path)
    assert [row[:6] for row in made["captures"]] == [("https://a.example/", "a.example", None, None, None, 200)]
    assert made["links"] == []


def test_a_damaged_file_gets_no_index(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    batch = a_batch(tmp_path, [capture()])
    (tmp_path / NAME).write_bytes(batch.content[:-1])
    with pytest.raises(MachineError, match=f"damaged at offset .*{NAME}"):
        make_index(tmp_path, tmp_path / NAME)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [NAME]


@pytest.mark.parametrize("run", [1, 2, 3, 100])
def test_spilled_runs_are_merged_in_order(run: int, tmp_path: Path) -> None:
    lines = [b"b 1\n", b"a 2\n", b"c 0\n", b"a 1\n", b"a 10\n"]
    file = CdxjFile(tmp_path / "x", run)
    for line in lines:
        file.add(line)
    file.close()
    assert (tmp_path / "x").read_bytes().splitlines(keepends=True) == sorted(lines)
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
