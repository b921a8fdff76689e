"""When a crawl is over, its tables are there; and the archive read again says the same."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

import skitter
from skitter.content.making import make_missing, missing_files
from skitter.reparse.run import reparse
from skitter.settings import BucketSettings, ContentSettings, Settings
from skitter.supervisor.contents import Contents
from tests.content.conftest import Stored, a_page, rows
from tests.library.conftest import Web, web
from tests.processes import children, children_since, wait_for
from tests.store.conftest import BEGAN

__all__ = ["web"]


def count(directory: Path, query: str) -> Any:
    return duckdb.sql(query.replace("DIR", str(directory))).fetchall()[0][0]


@pytest.mark.slow
def test_the_tables_are_there_when_the_crawl_is_over_and_reparse_makes_the_same(web: Web, tmp_path: Path) -> None:
    options = web.options
    options["settings"] = {**options["settings"], "content.text": "best", "store.roll_bytes": 64 * 1024}
    for _ in skitter.crawl(web.seed, out=tmp_path / "out", **options):
        pass
    directory = tmp_path / "out"
    assert missing_files(directory) == []
    documents = count(
        directory,
        "select count(*) from 'DIR/parquet/captures/**/*.parquet' where errand = 'page' and status = 200 "
        "and content_bytes > 0",
    )
    assert count(directory, "select count(*) from 'DIR/parquet/text/**/*.parquet'") == documents > 20
    assert count(directory, "select count(*) from 'DIR/parquet/text/**/*.parquet' where words > 20") > 20
    done = reparse(directory, tmp_path / "again", 1)
    assert (done.documents, done.images) == (
        documents,
        count(directory, "select count(*) from 'DIR/parquet/images/**/*.parquet'"),
    )
    assert rows(tmp_path / "again") == rows(directory)
    assert list((tmp_path / "again" / "parquet" / "text").rglob("manifest.json"))


@pytest.mark.slow
def test_off_makes_none_and_neither_does_a_bucket(stored: Stored) -> None:
    directory = stored(a_page("https://a.example/x", "<p>words"))
    (directory / "run").mkdir()
    off = Settings(content=ContentSettings(text="off"))
    bucket = Settings(bucket=BucketSettings(address="s3://bucket/crawl"))
    for settings, made in ((off, 0), (bucket, 0), (Settings(), 1)):
        notes: list[str] = []
        asyncio.run(Contents(directory, settings, notes.append).finish())
        assert notes == []
        assert len(list((directory / "parquet").glob("text/**/*.parquet"))) == made


@pytest.mark.slow
def test_who_is_in_a_hurry_leaves_the_rest_to_the_next_run_and_no_process_behind(stored: Stored) -> None:
    for number in range(3):
        directory = stored(a_page(f"https://a.example/{number}", f"<p>words {number}"), at=BEGAN + 60 * number)
    (directory / "run").mkdir()
    started = children_since()

    async def hurried() -> None:
        finishing = asyncio.create_task(Contents(directory, Settings(), lambda _: None).finish())
        await wait_for(lambda: bool(started()))
        finishing.cancel()
        await asyncio.wait([finishing])
        await wait_for(lambda: not started())

    asyncio.run(hurried())
    make_missing(directory)
    assert missing_files(directory) == []
    assert len(rows(directory)) == 3


@pytest.mark.slow
def test_a_maker_that_is_killed_takes_its_helpers_along(stored: Stored) -> None:
    """With several workers, each with a process for PDFs: all end, though nobody could tell them to."""
    for number in range(4):
        pages = [a_page(f"https://a.example/{number}/{page}", f"<p>{number} {page}") for page in range(300)]
        directory = stored(*pages, at=BEGAN + 60 * number)

    async def killed() -> None:
        command = (sys.executable, "-m", "skitter.content", str(directory), "2")
        process = await asyncio.create_subprocess_exec(*command)
        await wait_for(lambda: len(children(process.pid)) > 2)  # two, and one of the library's own
        helpers = children(process.pid)
        process.send_signal(signal.SIGKILL)
        await process.wait()
        await wait_for(lambda: not any(map(_is_alive, helpers)))

    asyncio.run(killed())
    make_missing(directory)
    assert len(rows(directory)) == 1200


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
