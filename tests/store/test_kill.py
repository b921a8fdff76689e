"""`kill -9` at any moment: what append returned for is there, and every file is valid to its last record."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from skitter.settings import StoreSettings
from skitter.store.archive import Archive
from skitter.store.warc.reader import Reader

KILLS = 6


def append_and_kill(folder: Path, first: int, lines: int) -> list[tuple[int, str, int]]:
    """Returns number, file and offset of every capture that the child said is stored before it was killed."""
    command = [sys.executable, "-m", "tests.store.appending", str(folder), str(first)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        said = [child.stdout.readline() for _ in range(lines)]
        child.kill()
        said += child.stdout.read().splitlines(keepends=True)
    words = [line.decode().split() for line in said if line.endswith(b"\n")]
    return [(int(number), file, int(offset)) for number, file, offset in words]


def recover(folder: Path) -> list[str]:
    async def main() -> list[str]:
        async with Archive(folder, StoreSettings(), node="n1", facts={}, clock=lambda: 0.0) as archive:
            return [str(recovered) for recovered in archive.recovered]

    return asyncio.run(main())


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_killed_again_and_again(seed: int, tmp_path: Path, judged: Callable[[Path], Counter[str]]) -> None:
    chance = random.Random(seed)
    said: list[tuple[int, str, int]] = []
    for kill in range(KILLS):
        said += append_and_kill(tmp_path, kill * 1_000_000, chance.randrange(1, 1500))
    assert recover(tmp_path), "the last one left a file open"

    files = sorted((tmp_path / "warc").rglob("skitter-*"))
    assert all(path.name.endswith(".warc.gz") for path in files)
    kinds = sum((judged(path) for path in files), Counter())
    there = {(path.name, record.offset): record for path in files for record in Reader(path)}
    for number, file, offset in said:
        record = there[file, offset]
        assert record.kind in ("response", "revisit")
        assert record.fields["warc-target-uri"].endswith(f"/{number}")
    originals = {record.fields["warc-record-id"] for record in there.values() if record.kind == "response"}
    referred = {record.fields["warc-refers-to"] for record in there.values() if record.kind == "revisit"}
    assert referred <= originals, "a revisit whose original was lost"
    query = f"select count(*) from read_parquet('{tmp_path}/parquet/captures/**/*.parquet')"
    assert duckdb.sql(query).fetchall() == [(kinds["response"] + kinds["revisit"],)]
    assert not list(tmp_path.rglob("*.tmp"))
