"""One crawl: begun on one machine, gone on with in a fleet, and ended on one machine again. Nothing is lost or twice.

Both ways it is broken off at every place where something has just become safe, and begun again.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from itertools import count
from pathlib import Path

import pytest

from skitter.errors import OperatorError
from skitter.fleet.exporting import export_fleet
from skitter.fleet.file import read_fleet
from skitter.fleet.growing import grow_fleet
from skitter.messages import State, Url
from skitter.shard.records import UrlRecord
from skitter.simweb.settings import WorldSettings
from skitter.url.canon import Canon
from tests.faults.crawler import Crawl, Web, served, settled
from tests.faults.verdict import repeated
from tests.fleet.nodes import Fleet, wait_for
from tests.fleet.test_processes import judge_log
from tests.servers.kafka import Broker
from tests.servers.s3 import S3Server

DELAY = 0.5
_names = count()
_canon = Canon()


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    with served(tmp_path, WorldSettings(seed=5, hosts=10, pages_per_host=10)) as web:
        web.seeds = web.world.homes()
        yield web


@pytest.fixture
def fleet(tmp_path: Path, broker: Broker) -> Iterator[Fleet]:
    with contextlib.closing(Fleet(tmp_path, broker.bootstrap, f"growing{next(_names)}", 5)) as fleet:
        yield fleet


def broken_off(begin: Callable[[], Generator[str, None, None]], step: int) -> list[str]:
    """Breaks something off after its first word, then after some more, and so on; returns what it says at last."""
    for most in range(1, 40, step):
        lines = begin()
        said: list[str] = []
        for line in lines:
            said.append(line)
            if len(said) == most:
                break
        else:
            return said
        lines.close()
    raise AssertionError("it has no end")


@pytest.mark.slow
def test_a_crawl_goes_to_a_fleet_and_back_and_nothing_is_lost_or_fetched_twice(
    web: Web, fleet: Fleet, s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key, value in s3.environment.items():
        monkeypatch.setenv(key, value)
    out, back = tmp_path / "out", tmp_path / "back"
    bucket = f"s3://{s3.bucket}/{fleet.name}"
    (tmp_path / "fleet-settings.toml").write_text(f'[bucket]\naddress = "{bucket}"\n', encoding="utf-8")
    fleet.add('config = "fleet-settings.toml"')
    crawl = Crawl(out, web, delay=DELAY)
    with contextlib.closing(crawl):
        crawl.start()
        wait_for(lambda: len(web.requests()) > 30, 60)
        crawl.stop()
        crawl.finish()
    before = settled(out)
    files = {path.name for path in out.glob("warc/**/*.warc.gz")}
    assert files

    said = broken_off(lambda: grow_fleet(read_fleet(fleet.file), tmp_path, out, os.environ, time.time()), 1)
    assert f"the archive is in {bucket}" in said
    there = {path.rpartition("/")[2] for path in _keys(s3, f"{fleet.name}/warc")}
    assert there >= files
    again = subprocess.run(
        [sys.executable, "-m", "skitter", "crawl", "--out", str(out)], capture_output=True, text=True
    )
    assert again.returncode == 2
    assert f"this crawl goes on in the fleet {fleet.name}" in again.stderr

    asked = len(web.requests())
    fleet.start("a", "b")
    wait_for(lambda: len(web.requests()) > asked + 30, 60, fleet.logs)
    with pytest.raises(OperatorError, match="nodes are at work"):
        next(export_fleet(read_fleet(fleet.file), back, time.time()))
    for name in "ab":
        assert fleet.leave(name) == 0, fleet.logs()
    with pytest.raises(OperatorError, match="is the folder of a crawl"):  # its last word comes when all is done
        broken_off(lambda: export_fleet(read_fleet(fleet.file), back, time.time()), 6)
    assert "has gone to" in fleet.run("node", "--directory", str(tmp_path / "c"), expected=2).stderr
    between = settled(back)
    _nothing_is_lost(before, between)

    crawl = Crawl(back, web, delay=DELAY)
    with contextlib.closing(crawl):
        crawl.start()
        crawl.finish()
    judge_log(web)
    assert list(repeated(web.requests())) == []
    _nothing_is_lost(between, settled(back))


def _nothing_is_lost(before: list[UrlRecord], after: list[UrlRecord]) -> None:
    known = {_key(url): url.state for url in after}
    assert len(known) == len(after)
    assert {_key(url) for url in before} <= known.keys()
    done = {_key(url) for url in before if url.state is State.DONE}
    assert all(known[key] is State.DONE for key in done)


def _key(record: UrlRecord) -> str:
    url = _canon(record.href)  # what it is called may change, as where a slash is added
    assert isinstance(url, Url)
    return url.key


def _keys(s3: S3Server, prefix: str) -> Iterator[str]:
    import obstore

    for some in obstore.list(s3.store(), prefix):
        yield from (one["path"] for one in some)
