"""`skitter crawl` as an operator meets it: real processes crawl a small simulated web."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

import skitter
from skitter.cli.app import app
from skitter.errors import OperatorError
from skitter.folder.crawlfile import CRAWL_FILE, VERSION
from skitter.inspection.folder import Folder
from skitter.shard.records import URLS
from skitter.simweb.log import read_log
from skitter.url.routes import Routes

if TYPE_CHECKING:
    from tests.cli.conftest import Web

pytestmark = pytest.mark.slow

PAGES = 24
HOSTS = 3


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def crawl(*arguments: object) -> subprocess.CompletedProcess[str]:
    return run([sys.executable, "-m", "skitter", "crawl", *map(str, arguments)])


def said(*arguments: object) -> str:
    """Returns what a command that only looks or instructions prints; it needs no process of its own."""
    return CliRunner().invoke(app(), [*map(str, arguments)], catch_exceptions=False).stdout


def ask(*arguments: object) -> Any:
    return json.loads(said(*arguments, "--json"))


def fetched(web: Web, since: int = 0, pages: int = 0) -> Counter[str]:
    """Returns how often each page was asked for, leaving out the first requests.

    The server writes its log five times a second: of `pages` that must be in it, the last may take a moment.
    """
    until = time.monotonic() + 10
    while True:
        asked = list(read_log(web.log))[since:]
        found = Counter(f"{one.host}{one.path}" for one in asked if one.path not in ("/robots.txt", "/sitemap.xml"))
        if len(found) >= pages or time.monotonic() > until:
            return found
        time.sleep(0.05)


def requests(web: Web) -> int:
    """Returns how many requests there were, once the server has written down those of the crawl before."""
    before, now = -1, len(list(read_log(web.log)))
    while now != before:
        time.sleep(0.3)  # it writes five times a second
        before, now = now, len(list(read_log(web.log)))
    return now


@pytest.fixture(scope="module")
def finished(command: list[str], web: Web, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, str]:
    """A crawl to the end: its folder, what it said to programs, and what to people."""
    out = tmp_path_factory.mktemp("finished") / ("deep" * 30)  # longer than the name of a socket may be
    told = run([*command, "--out", str(out), "--json"])
    assert told.returncode == 0, told.stderr
    *before, last = told.stdout.splitlines()
    assert before == []
    return out, json.loads(last), told.stderr


def test_everything_is_fetched_once(finished: tuple[Path, Any, str], web: Web) -> None:
    _, told, _ = finished
    asked = fetched(web, 0, told["urls"]["done"])
    assert len(asked) >= PAGES
    assert set(asked.values()) == {1}
    assert told["pages"] == len(asked) == told["urls"]["done"] == told["discovered"] - HOSTS
    assert told["urls"]["skipped"] == HOSTS, "there is no sitemap at any of them"
    assert (told["ended"], told["done"], told["left"]) == ("done", True, 0)
    assert told["bytes"] > 0
    assert told["failures"] == {}
    assert told["requests"] == requests(web)


def hosts_by_shard(out: Path) -> dict[int, set[str]]:
    with Folder(out) as folder:
        found = {shard.number: {URLS.decode(raw).host for _, raw in shard.iterate(b"u")} for shard in folder.shards()}
        assert all(folder.shard_of(host) == number for number, hosts in found.items() for host in hosts)
    return {number: hosts for number, hosts in found.items() if hosts}


def test_each_domain_is_in_the_shard_that_its_slot_names(finished: tuple[Path, Any, str]) -> None:
    by_shard = hosts_by_shard(finished[0])
    assert sorted(map(len, by_shard.values())) == [1, 1, 1]
    assert {number % 2 for number in by_shard} == {0, 1}, "one of the two nodes had nothing to do"


def test_hosts_of_one_domain_are_in_one_shard_and_in_scope_together(web: Web, tmp_path: Path) -> None:
    begin = [web.seed, "--out", tmp_path, "--hosts-file", web.hosts_file, "--allow-net", "127.20.0.0/16"]
    told = json.loads(crawl(*begin, "--scope", "domain", "--workers", "2", "--delay", "0.02", "--json").stdout)
    assert told["urls"]["done"] >= PAGES
    port = web.seed.rpartition(":")[2].rstrip("/")
    shard = Routes.slot_of("sim.test") % 64
    assert hosts_by_shard(tmp_path) == {shard: {f"h{number:04d}.sim.test:{port}" for number in range(3)}}


def test_a_folder_of_an_older_layout_keeps_a_readable_archive(finished: tuple[Path, Any, str], tmp_path: Path) -> None:
    out = shutil.copytree(finished[0], tmp_path / "old", ignore=shutil.ignore_patterns("domains.txt", "routes.json"))
    crawl_file = out / CRAWL_FILE
    crawl_file.write_text(crawl_file.read_text(encoding="utf-8").replace(f'"version":{VERSION}', '"version":2'))
    refused = crawl("--out", out)
    assert (refused.returncode, "laid out otherwise: finish it with that version" in refused.stderr) == (2, True)
    with pytest.raises(OperatorError, match="laid out otherwise"):
        said("status", out)
    assert len(list(skitter.read(out))) == finished[1]["pages"]
    assert "requests" in said("audit", out)


def test_progress_and_summary_go_to_the_other_stream(finished: tuple[Path, Any, str]) -> None:
    out, _, progress = finished
    assert f"skitter: crawling into {out}\n" in progress
    assert "0:00:00  starting: 0 of 2 nodes ready\n" in progress
    assert "Done: nothing is left to fetch.\n" in progress
    assert "Traceback" not in progress


def test_what_can_be_seen_of_a_finished_crawl(finished: tuple[Path, Any, str], web: Web) -> None:
    out, told, _ = finished
    seen = ask("status", out)
    assert seen["urls"] == told["urls"]
    assert seen["running"] is None
    assert seen["last_run"]["ended"] == "done"
    assert seen["last_run"]["counted"]["pages"] == told["pages"]
    of_hosts = ask("hosts", out)["hosts"]
    assert sum(one["urls"]["done"] for one in of_hosts) == told["urls"]["done"]
    assert {one["standing"] for one in of_hosts} == {"idle"}
    story = ask("why", out, web.seed)
    assert story["found"]["state"] == "done"
    assert Path(story["found"]["file"]).exists()
    assert "It is a seed" in said("why", out, web.seed)


def test_a_limit_stops_at_once_and_the_rest_comes_later(command: list[str], web: Web, tmp_path: Path) -> None:
    before = requests(web)
    first = run([*command, "--out", str(tmp_path), "--max-pages", "10", "--quiet", "--json"])
    told = json.loads(first.stdout)
    assert first.returncode == 3
    assert first.stderr == ""
    assert (told["pages"], told["ended"]) == (10, "pages")
    second = crawl("--out", tmp_path, "--json")  # the folder knows its seeds and settings
    assert second.returncode == 0, second.stderr
    done = json.loads(second.stdout)["urls"]["done"]
    asked = fetched(web, before, done)
    assert set(asked.values()) == {1}
    assert done == len(asked)


def wait_for_pages(out: Path, pages: int, process: subprocess.Popen[str]) -> None:
    last = out / "run" / "last.json"
    while not last.exists() or json.loads(last.read_text())["counted"]["pages"] < pages:
        assert process.poll() is None, "the crawl ended too soon"
        time.sleep(0.05)


def test_a_running_crawl_can_be_looked_at_steered_and_stopped(command: list[str], web: Web, tmp_path: Path) -> None:
    before = requests(web)
    slow = [*command, "--out", str(tmp_path), "--delay", "1.5"]
    host = web.seed.removeprefix("http://").removesuffix("/")
    other = host.replace("h0000", "h0001")
    with subprocess.Popen(slow, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_for_pages(tmp_path, 2, process)
        seen = ask("status", tmp_path)
        assert seen["running"] == process.pid
        assert seen["urls"]["done"] >= 1
        assert seen["urls"]["queued"] >= 1
        second = crawl("--out", tmp_path)
        assert second.returncode == 2
        assert f"is in use by process {process.pid}" in second.stderr
        assert "within a second or two" in said("pause", tmp_path, other)
        assert "within a second or two" in said("rate", tmp_path, host, "2.5")
        while any(tmp_path.glob("inbox/*/*.json")):
            assert process.poll() is None
            time.sleep(0.05)
        of_hosts = {one["host"]: one for one in ask("hosts", tmp_path)["hosts"]}
        assert of_hosts[other]["standing"] == "paused"
        assert (of_hosts[host]["delay"], of_hosts[host]["delay_because"]) == (2.5, "agreed")
        process.send_signal(signal.SIGINT)
        end, progress = process.communicate(timeout=40)
    assert process.returncode == 3, progress
    assert "stopping in order; a second signal ends it at once" in progress
    assert end.startswith("Stopped as you asked.\n")
    assert end.endswith(f"To go on: skitter crawl --out {tmp_path} --workers 2\n")
    assert not list(tmp_path.glob("warc/**/*.open"))

    said("resume", tmp_path, other)
    said("rate", tmp_path, host, "--clear")
    rest = json.loads(crawl("--out", tmp_path, "--delay", "0.05", "--json").stdout)
    asked = fetched(web, before, rest["urls"]["done"])
    assert set(asked.values()) == {1}
    assert rest["ended"] == "done"
    assert rest["urls"]["done"] == len(asked) >= PAGES


def test_a_second_signal_ends_it_at_once_and_nothing_is_lost(command: list[str], web: Web, tmp_path: Path) -> None:
    before = requests(web)
    slow = [*command, "--out", str(tmp_path), "--delay", "0.5"]
    with subprocess.Popen(slow, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True) as process:
        wait_for_pages(tmp_path, 3, process)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 3
    rest = json.loads(crawl("--out", tmp_path, "--delay", "0.05", "--json").stdout)
    assert rest["ended"] == "done"
    done = rest["urls"]["done"]
    assert done == len(fetched(web, before, done)) >= PAGES


def test_seeds_added_to_a_crawl_widen_its_scope(web: Web, tmp_path: Path) -> None:
    host = web.seed.removeprefix("http://").removesuffix("/")
    begin = [web.seed, "--out", tmp_path, "--hosts-file", web.hosts_file, "--allow-net", "127.20.0.0/16"]
    first = json.loads(crawl(*begin, "--scope", "host", "--workers", "1", "--delay", "0.02", "--json").stdout)
    assert first["ended"] == "done"
    added = web.seed.replace("h0000", "h0002")
    assert said("seeds", "add", tmp_path, added).startswith("1 seed added. This takes effect when the crawl")
    assert ask("status", tmp_path)["instructions"] == 1
    crawl("--out", tmp_path, "--workers", "1", "--quiet")
    done = {one["host"]: one["urls"]["done"] for one in ask("hosts", tmp_path)["hosts"]}
    assert set(done) == {host, host.replace("h0000", "h0002")}
    assert min(done.values()) >= PAGES / 3


def test_an_unknown_host_is_a_mistake_unless_it_is_meant(finished: tuple[Path, Any, str]) -> None:
    out, _, _ = finished
    with pytest.raises(OperatorError, match=r"HOST = 'nowhere\.org': this crawl does not know it"):
        said("pause", out, "nowhere.org")
    assert said("pause", out, "nowhere.org", "--anyway").startswith("nowhere.org is left alone.")


def test_a_disk_that_is_broken_ends_with_4(command: list[str], tmp_path: Path) -> None:
    if os.geteuid() == 0:
        (tmp_path / "frontier").write_text("a file where a folder must be")  # permissions do not stop root
    else:
        (tmp_path / "frontier").mkdir(mode=0)
    told = run([*command, "--out", str(tmp_path)])
    assert told.returncode == 4, told.stderr
    assert "can't go on" in told.stderr


def test_the_demo_runs_without_anything(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "skitter", "demo", "--out", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_for_pages(tmp_path, 5, process)
        process.send_signal(signal.SIGINT)
        end, progress = process.communicate(timeout=40)
    assert process.returncode == 3
    assert "a web of 50 hosts" in progress
    assert f"skitter status {tmp_path}" in end
    assert "To go on" not in end
