"""A worker with a browser, and a crawl that has none: real processes, judged by the servers' log and by `audit`."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from skitter.servers.child import free_ports
from tests.fleet.nodes import wait_for
from tests.proof.spa import PAGES, served
from tests.proof.test_rendered import DELAY, audited, captures, judged
from tests.servers.browser import browser
from tests.worker.workers import token_file

pytestmark = pytest.mark.slow


@contextlib.contextmanager
def worker(folder: Path, port: int, path: str):  # type: ignore[no-untyped-def]
    log = folder / "worker.log"
    command = [sys.executable, "-m", "skitter", "worker", "--errands", "render", "--browser", path, "--browsers", "1"]
    command += ["--api", f"http://127.0.0.1:{port}", "--token-file", str(token_file(folder, "one"))]
    with log.open("wb") as said:
        process = subprocess.Popen([*command, "--out", str(folder / "worker")], stdout=said, stderr=said)
    try:
        wait_for(lambda: "does not answer" in log.read_text(), 60, log.read_text)
        yield process, log
    finally:
        process.kill()
        process.wait()


def test_pages_are_run_elsewhere_and_all_that_they_ask_for_is_asked_here(tmp_path: Path) -> None:
    found = browser()
    if found is None:
        pytest.skip("there is no browser: `make servers` brings one")
    (port,) = free_ports(1)
    settings = {"node.linger": "8", "politeness.delay": str(DELAY), "render.browser": "/nowhere/chromium"}
    crawl = [sys.executable, "-m", "skitter", "crawl", "--out", str(tmp_path / "out"), "--allow-net", "127.0.0.0/8"]
    crawl += ["--api-port", str(port), "--api-tokens", str(token_file(tmp_path, "one")), "--workers", "2", "--quiet"]
    crawl += [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    with served() as (spa, url), worker(tmp_path, port, found.path) as (process, log):
        done = subprocess.run([*crawl, "--json", url], capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr + log.read_text()
        assert json.loads(done.stdout.splitlines()[-1])["urls"]["done"] >= PAGES, log.read_text()
        judged(spa.log)
        process.terminate()
        assert process.wait(60) == 0
        assert f"{PAGES + 1} pages rendered of {PAGES + 1}" in log.read_text()
    rendered = {row["url"]: row for row in captures(tmp_path / "out") if row["rendered"]}
    assert sorted(rendered) == sorted([url, *(f"{url}p{number}" for number in range(1, PAGES + 1))])
    assert {row["title"] for row in rendered.values()} == {f"Page {number}" for number in range(PAGES + 1)}
    assert {row["parent"] for row in captures(tmp_path / "out") if row["errand"] == "part"} == set(rendered)
    assert not list((tmp_path / "worker").rglob("*.warc*")), "the worker asked nobody for anything"
    audited(tmp_path / "out")
