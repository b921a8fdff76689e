"""The archive read again: as it was with the same parser, and otherwise where the parser is another."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from skitter.errors import OperatorError
from skitter.reparse.run import Done, reparse
from skitter.store.index.paths import TABLES
from skitter.store.warc.places import sealed_files

pytestmark = pytest.mark.slow


def rows(directory: Path, table: str) -> list[dict[str, Any]]:
    """Returns all rows of a table, in an order of their own."""
    found = [
        row for path in (directory / "parquet" / table).rglob("*.parquet") for row in pq.read_table(path).to_pylist()
    ]
    return sorted(found, key=lambda row: json.dumps(row, default=str))


def run(folder: Path, **options: Any) -> Done:
    return reparse(folder, folder / "again", 1, **options)


def change_parser(folder: Path) -> None:
    """Has at most two links of a page be read from now on."""
    toml = folder / "skitter.toml"
    text, changed = re.subn(r"(?m)^max_links = .*$", "max_links = 2", toml.read_text())
    assert changed == 1
    toml.write_text(text)


def test_the_same_parser_says_the_same(folder: Path) -> None:
    files = sealed_files(folder / "warc")
    assert len(files) > 1
    done = run(folder)
    assert (done.files, done.changed, done.kept, done.troubles) == (len(files), 0, 0, [])
    assert done.captures > 50
    for table in TABLES:
        assert rows(folder / "again", table) == rows(folder, table)
    assert any(row["revisit"] and row["outlinks"] for row in rows(folder / "again", "captures"))


def test_another_parser_says_something_else_and_nothing_else_is_touched(folder: Path) -> None:
    before = {table: rows(folder, table) for table in TABLES}
    change_parser(folder)
    done = run(folder)
    assert done.changed
    again = rows(folder / "again", "captures")
    assert max(row["outlinks"] for row in again) == 2 < max(row["outlinks"] for row in before["captures"])
    assert any("links_cut" in row["reasons"] for row in again)
    was_fetched = ("url", "status", "digest", "fetched_at", "warc_file", "warc_offset", "title")
    assert sorted([str(row[name]) for name in was_fetched] for row in again) == sorted(
        [str(row[name]) for name in was_fetched] for row in before["captures"]
    )
    assert {table: rows(folder, table) for table in TABLES} == before


def test_what_is_left_is_read_and_nothing_twice(folder: Path) -> None:
    first = run(folder)
    lost = min((folder / "again" / "cdxj").iterdir())
    lost.unlink()
    (folder / "again" / "parquet" / "links" / "left.parquet.tmp").write_bytes(b"half")
    second = run(folder)
    assert (second.files, second.before) == (1, first.files - 1)
    assert rows(folder / "again", "captures") == rows(folder, "captures")
    assert not list((folder / "again").rglob("*.tmp"))


def test_killed_at_any_moment_it_goes_on(folder: Path) -> None:
    command = [sys.executable, "-m", "skitter", "reparse", str(folder), "--workers", "1"]
    for more in range(20):
        process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < until:
            if len(list((folder / "reparsed" / "cdxj").glob("*.cdxj"))) > more:
                os.killpg(process.pid, signal.SIGKILL)
                break
            time.sleep(0.001)
        if process.wait(60) == 0:
            break
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    for table in TABLES:
        assert rows(folder / "reparsed", table) == rows(folder, table)


def test_a_damaged_file_is_told_and_the_others_are_read(folder: Path) -> None:
    path = sealed_files(folder / "warc")[0]
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] + b"\0" * 100 + whole[len(whole) // 2 + 100 :])
    command = [sys.executable, "-m", "skitter", "reparse", str(folder), "--json"]
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    told = json.loads(ended.stdout.splitlines()[-1])
    assert ended.returncode == 4
    assert [one["file"] for one in told["troubles"]] == [path.name]
    assert "damaged at offset" in told["troubles"][0]["trouble"]
    assert told["files"] == len(sealed_files(folder / "warc")) - 1
    path.write_bytes(whole)
    assert reparse(folder, folder / "reparsed", 1).files == 1


def test_a_capture_whose_body_is_elsewhere_stays_as_it_was(folder: Path) -> None:
    revisit = next(row for row in rows(folder, "captures") if row["revisit"] and row["outlinks"])
    for path in sealed_files(folder / "warc"):
        if path.name != revisit["warc_file"]:
            path.unlink()
    done = run(folder)
    again = [row for row in rows(folder / "again", "captures") if row["warc_offset"] == revisit["warc_offset"]]
    assert again == [revisit]
    assert done.kept <= done.captures


def test_two_parsers_do_not_share_a_folder(folder: Path) -> None:
    run(folder)
    change_parser(folder)
    with pytest.raises(OperatorError, match="--anew"):
        run(folder)
    assert run(folder, is_anew=True).changed
    with pytest.raises(OperatorError, match="holds something else"):
        reparse(folder, folder, 1)
    with pytest.raises(OperatorError, match=r"no crawl\.json"):
        reparse(folder / "warc", folder / "other", 1)
