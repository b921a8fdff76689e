"""`skitter crawl --out s3://…` as an operator meets it: a real S3 server, real processes, and what may go wrong."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import msgspec
import pytest

from skitter.config.buckets import parse_address
from skitter.simweb.log import read_log
from skitter.store.blobs.opening import open_blobs
from skitter.store.warc.reader import Reader
from tests.processes import children
from tests.servers.proxy import Proxy, proxied
from tests.servers.s3 import S3Server
from tests.store.conftest import judge

if TYPE_CHECKING:
    from tests.cli.conftest import Web

pytestmark = pytest.mark.slow
PAGES = 24
_prefixes = itertools.count()


class Place:
    """A folder to start commands in, and a prefix of the bucket that is reached by way of a proxy."""

    def __init__(self, s3: S3Server, proxy: Proxy, folder: Path, command: list[str]) -> None:
        self.s3 = s3
        self.proxy = proxy
        self.folder = folder
        self.prefix = f"cli/{next(_prefixes)}"
        self.address = f"s3://{s3.bucket}/{self.prefix}"
        self.state = folder / f"crawl-{s3.bucket}-{self.prefix.replace('/', '-')}"
        self.crawl = [*command, "--out", self.address]
        self.environment = {**os.environ, **s3.environment, "AWS_ENDPOINT_URL": proxy.endpoint, "HOME": str(folder)}

    def run(self, command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def skitter(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self.run([sys.executable, "-m", "skitter", *words])

    def start(self, *more: str) -> subprocess.Popen[bytes]:
        with (self.folder / "output.txt").open("ab") as output:
            return subprocess.Popen(
                [*self.crawl, *more], cwd=self.folder, env=self.environment, stdout=output, stderr=output
            )

    def in_bucket(self, folder: str = "warc") -> dict[str, bytes]:
        blobs = open_blobs(parse_address(self.address), self.s3.environment)

        async def bring() -> dict[str, bytes]:
            return {blob.key: await blobs.get(blob.key) or b"" async for blob in blobs.list(folder)}

        return asyncio.run(bring())

    def here(self) -> list[Path]:
        return [path for path in (self.state / "warc").rglob("*") if path.is_file()]

    def pages(self) -> Counter[str]:
        """Returns how often each page is in the bucket, after three judges found every file there valid."""
        found: Counter[str] = Counter()
        for key, content in self.in_bucket().items():
            copy = self.folder / Path(key).name
            copy.write_bytes(content)
            judge(copy)
            found.update(_pages(copy))
        return found


def _pages(path: Path) -> Iterator[str]:
    for record in Reader(path):
        url = record.fields.get("warc-target-uri", "")
        if record.kind in ("response", "revisit") and not url.endswith(("/robots.txt", "/sitemap.xml")):
            yield url


@pytest.fixture
def place(s3: S3Server, command: list[str], tmp_path: Path) -> Iterator[Place]:
    with proxied(s3.port) as proxy:
        yield Place(s3, proxy, tmp_path, command)


def wait_until(what: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def asked(web: Web) -> int:
    return len(list(read_log(web.log)))


def test_a_crawl_into_a_bucket_leaves_nothing_here_but_its_state(place: Place) -> None:
    done = place.run(place.crawl, SKITTER_CONTENT_TEXT="best")
    assert done.returncode == 0, done.stderr
    assert f"crawling into {place.address}; its frontier" in done.stderr
    assert str(place.state.name) in done.stderr
    pages = place.pages()
    assert len(pages) >= PAGES
    assert set(pages.values()) == {1}
    assert place.here() == []
    assert {key.split("/")[1] for key in place.in_bucket("parquet")} == {"captures", "failures", "hosts", "links"}
    status = place.skitter("status", place.address)
    assert f"Bucket:   {place.address}; 0 WARC files" in status.stdout
    _looks(place, next(iter(pages)))
    _no_secrets(place, done.stdout + done.stderr + status.stdout)
    again = place.run(place.crawl)
    assert again.returncode == 0
    assert place.pages() == pages, "the same command again fetches nothing anew"


def _looks(place: Place, page: str) -> None:
    """Every command that looks works, by the bucket's name or the folder's."""
    why = place.skitter("why", place.address, page)
    assert f"{place.address}/warc/20" in why.stdout, why.stdout + why.stderr
    history = place.skitter("history", str(place.state), page)
    assert history.returncode == 0, history.stderr
    audit = place.skitter("audit", place.address)
    assert audit.returncode == 0, audit.stdout + audit.stderr
    assert "bringing" in audit.stderr
    assert not list((place.state / "bucket").glob("brought*"))
    again = place.skitter("reparse", place.address)
    assert again.returncode == 0, again.stdout + again.stderr
    texts = duckdb.sql(f"select url, words from '{place.state}/reparsed/parquet/text/**/*.parquet'").fetchall()
    assert page in {url for url, words in texts if words}, "what pages say, of an archive that is not here"
    rank = place.skitter("rank", str(place.state))
    assert rank.returncode == 0, rank.stderr
    elsewhere = place.skitter("status", "s3://skitter/elsewhere")
    assert elsewhere.returncode == 2
    assert "--state" in elsewhere.stderr


def _no_secrets(place: Place, said: str) -> None:
    secrets = (place.s3.secret, place.s3.key)
    files = [path for path in place.state.rglob("*") if path.is_file()]
    told = [said.encode(), *(path.read_bytes() for path in files), *place.in_bucket("").values()]
    shown = place.skitter("config", "--config", str(place.state / "skitter.toml"))
    for secret in secrets:
        assert not [1 for text in told if secret.encode() in text]
        assert secret not in shown.stdout + shown.stderr
    copies = list(place.folder.glob("*.warc.gz"))
    for copy in copies:
        assert not [1 for record in Reader(copy) if any(secret.encode() in record.block for secret in secrets)]


def test_a_bucket_that_is_away_stops_the_crawl_for_as_long_as_it_is(place: Place, web: Web) -> None:
    before = asked(web)
    slow = ["--delay", "1", "--set", "bucket.roll_seconds=1", "--set", "bucket.buffer_seconds=1"]
    running = place.start(*slow, "--set", "store.sync_seconds=0.2")
    try:
        wait_until(lambda: asked(web) > before)
        place.proxy.fault = 503
        wait_until(lambda: _troubles(place) != [], seconds=90)
        assert "goes on by itself" in _troubles(place)[0]
        assert place.address in place.skitter("status", str(place.state)).stdout.partition("Trouble:")[2]
        wait_until(lambda: _in_flight(place) == 0)
        stands = asked(web)
        time.sleep(2.5)  # two delays of three hosts: they would have been asked
        assert asked(web) == stands
        assert stands < before + PAGES
        place.proxy.fault = 0
        assert running.wait(90) == 0
    finally:
        running.kill()
        running.wait()
    pages = place.pages()
    assert len(pages) >= PAGES
    assert set(pages.values()) == {1}
    assert place.here() == []


def _last(place: Place) -> Any:
    try:
        return msgspec.json.decode((place.state / "run" / "last.json").read_bytes())
    except FileNotFoundError:
        return {"troubles": [], "in_flight": 0}


def _troubles(place: Place) -> list[str]:
    return list(_last(place)["troubles"])


def _in_flight(place: Place) -> int:
    return int(_last(place)["in_flight"])


def test_a_kill_of_everything_loses_no_page(place: Place, web: Web) -> None:
    roll = ["--delay", "0.1", "--set", "bucket.roll_seconds=1", "--set", "store.sync_seconds=0.2"]
    for pages in (5, 12):
        before = asked(web)
        running = place.start(*roll)
        wait_until(lambda: asked(web) >= before + pages)  # noqa: B023 (called at once)
        nodes = children(running.pid)
        for pid in (running.pid, *nodes):
            os.kill(pid, signal.SIGKILL)
        running.wait()
        wait_until(lambda: not any(Path(f"/proc/{pid}/cwd").exists() for pid in nodes))  # noqa: B023
    done = place.run([*place.crawl, *roll])
    assert done.returncode == 0, done.stderr
    pages_there = place.pages()
    assert len(pages_there) >= PAGES
    assert place.here() == []


def test_what_could_not_be_sent_is_said_and_sent_the_next_time(place: Place) -> None:
    assert place.run([*place.crawl, "--max-pages", "1"]).returncode in (0, 3)
    place.proxy.fault = -1
    cut = place.run([*place.crawl, "--set", "bucket.closing_seconds=1"])
    assert cut.returncode == 3, cut.stderr
    assert "are not in" in cut.stderr
    assert len(place.here()) > 0
    place.proxy.fault = 0
    assert place.run(place.crawl).returncode == 0
    assert place.here() == []
    assert set(place.pages().values()) == {1}


MISTAKES = {
    "no such bucket": (["--out", "s3://there-is-none/x"], {}, "there is no such bucket"),
    "wrong secret": ([], {"AWS_SECRET_ACCESS_KEY": "topsecret"}, "the secret key or the region is wrong"),
    "wrong key": ([], {"AWS_ACCESS_KEY_ID": "topsecret"}, "the access key is not known there"),
    "nobody there": ([], {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}, "it can't be reached"),
    "credentials in it": (["--out", "s3://key:topsecret@bucket/x"], {}, "must not hold credentials"),
    "another service": (["--out", "ftp://bucket/x"], {}, "s3://"),
    "state of a folder": (["--out", "folder", "--state", "other"], {}, "--state"),
    "archive a folder": (["--out", "folder", "--archive-after", "9"], {}, "--archive-after"),
    "archive elsewhere": (["--out", "file:///tmp/there/is/none", "--archive-after", "9"], {}, "--archive-after"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_said_in_words_and_nothing_is_fetched(place: Place, web: Web, mistake: str) -> None:
    words, environment, right = MISTAKES[mistake]
    before = asked(web)
    said = place.run([*place.crawl, *words], **environment)
    assert said.returncode == 2, said.stderr
    assert right in said.stderr
    assert "topsecret" not in said.stderr
    assert "Traceback" not in said.stderr
    assert asked(web) == before


def test_another_crawl_in_the_bucket_is_left_alone(place: Place) -> None:
    assert place.run([*place.crawl, "--max-pages", "2"]).returncode in (0, 3)
    there = place.in_bucket("")
    said = place.run([*place.crawl, "--state", "other"])
    assert said.returncode == 2
    assert "holds another crawl" in said.stderr
    assert place.in_bucket("") == there


def test_without_the_client_it_is_said_what_to_install(place: Place) -> None:
    (place.folder / "stub").mkdir()
    (place.folder / "stub" / "obstore.py").write_text("raise ImportError('not here')", encoding="utf-8")
    said = place.run(place.crawl, PYTHONPATH=str(place.folder / "stub"))
    assert said.returncode == 2
    assert "pip install 'skitter[fleet]'" in said.stderr
