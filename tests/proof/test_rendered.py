"""A crawl of an application by real processes and a real browser: by the servers' log, and by the archive."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.proof.spa import PAGES, Asked, Spa, served
from tests.servers.browser import browser

DELAY = 0.4
BUSY = 0.25
"""Seconds by which a server on a busy machine sees a request later than another: `audit` has the exact times."""


def command(url: str, folder: Path, *more: str) -> list[str]:
    found = browser()
    if found is None:
        pytest.skip("there is no browser: `make servers` brings one")
    settings = {"node.linger": "2", "politeness.delay": str(DELAY), "render.browser": str(found.path)}
    pairs = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    crawl = [sys.executable, "-m", "skitter", "crawl", url, "--out", str(folder), "--allow-net", "127.0.0.0/8"]
    return [*crawl, "--workers", "2", "--json", "--quiet", *pairs, *more]


def crawled(url: str, folder: Path, *more: str) -> dict[str, object]:
    done = subprocess.run(command(url, folder, *more), capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    said: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return said


def captures(folder: Path) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for path in sorted(folder.glob("parquet/captures/**/*.parquet")):
        rows += pq.read_table(path).to_pylist()
    return rows


def judged(log: list[Asked]) -> None:
    """One request at a time, a delay apart, nothing that is forbidden, no deeds."""
    by_host: defaultdict[str, list[Asked]] = defaultdict(list)
    for asked in sorted(log):
        by_host[asked.host].append(asked)
    assert len(by_host) == 2
    for some in by_host.values():
        assert some[0].path == "/robots.txt"
        for (first, before), (last, after) in combinations(enumerate(some), 2):
            assert after.began - before.began > (last - first) * DELAY - BUSY, (before, after)
    assert {asked.method for asked in log} == {"GET"}
    assert not [asked.path for asked in log if asked.path.startswith(("/private/", "/pixel", "/api/deed"))]


def audited(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "skitter", "audit", str(folder)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "Every promise was kept." in done.stdout


@pytest.mark.slow
def test_an_application_is_found_whole_and_politely(tmp_path: Path) -> None:
    with served() as (spa, url):
        crawled(url, tmp_path / "out")
        judged(spa.log)
        asked = Counter(one.path for one in spa.log)
        assert asked["/static/app.js"] == 1, "scripts are kept across pages"
        names = ["/", *(f"/p{number}" for number in range(1, PAGES + 1))]
        assert all(asked[name] <= 2 and asked[f"/api{name}"] == 1 for name in names), asked
        rendered = {row["url"]: row for row in captures(tmp_path / "out") if row["rendered"]}
        assert sorted(rendered) == sorted(url + name[1:] for name in names)
        assert {row["title"] for row in rendered.values()} == {f"Page {number}" for number in range(PAGES + 1)}
        parts = [row for row in captures(tmp_path / "out") if row["errand"] == "part"]
        assert {row["parent"] for row in parts} == set(rendered)
    audited(tmp_path / "out")
    told = _why(tmp_path / "out", url)
    assert "It was run in a browser" in told
    assert f"{PAGES:+} links" in told


@pytest.mark.slow
def test_killed_in_the_middle_nothing_is_lost_and_nothing_rendered_twice(tmp_path: Path) -> None:
    with served() as (spa, url):
        for requests in (6, 11):
            _killed_after(requests, spa, url, tmp_path / "out")
        crawled(url, tmp_path / "out")
        judged(spa.log)
        data = Counter(one.path for one in spa.log if one.path.startswith("/api/"))
        assert set(data) == {"/api/", *(f"/api/p{number}" for number in range(1, PAGES + 1))}
        # A death repeats at most the page that was under way on each host.
        assert sum(data.values()) <= PAGES + 1 + 2, data
    audited(tmp_path / "out")


@pytest.mark.slow
def test_without_a_browser_it_is_said_once_and_the_crawl_ends(tmp_path: Path) -> None:
    with served() as (spa, url):
        missing = ("--set", "render.browser=/nowhere/chromium", "--workers", "1")
        wanted = [word for word in command(url, tmp_path / "out", *missing) if word != "--quiet"]
        done = subprocess.run(wanted, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("are empty without a browser") == 1, done.stderr
        assert json.loads(done.stdout.splitlines()[-1])["urls"]["done"] == 1
        assert [one.path for one in spa.log] == ["/robots.txt", "/", "/sitemap.xml"]
        told = subprocess.run(
            [sys.executable, "-m", "skitter", "status", str(tmp_path / "out"), "--json"], capture_output=True, text=True
        )
        assert json.loads(told.stdout)["to_render"] == 1
        spa.log.clear()
        crawled(url, tmp_path / "out")
        assert "/api/p1" in {one.path for one in spa.log}, "it waited for a browser, and there is one now"


def _why(folder: Path, url: str) -> str:
    told = [sys.executable, "-m", "skitter", "why", str(folder), url]
    return subprocess.run(told, capture_output=True, text=True, check=True).stdout


def _killed_after(requests: int, spa: Spa, url: str, folder: Path) -> None:
    running = subprocess.Popen(
        command(url, folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    until = time.monotonic() + 60
    while len(spa.log) < requests and running.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    assert len(spa.log) >= requests
