"""Crawls with sinks, as processes: what was stored is there at the end, and a sink that is dead holds nothing up."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skitter.store.index.entries import entries_of
from skitter.store.warc.places import sealed_files
from skitter.store.warc.repair import whole_records
from tests.sinks.archives import lines_of
from tests.sinks.conftest import Database, wait_until
from tests.sinks.site import Site, environment, serving

pytestmark = pytest.mark.slow

PATIENT = ("--set", "sinks.closing_seconds=600")  # a busy machine takes its time

PLUGIN = '''
class Names:
    """Writes the names of tables; the first commit fails."""

    tables = ("captures",)

    def __init__(self, file):
        self.file, self.held, self.failed = file, [], False

    def open(self):
        self.held = []

    def write(self, rows):
        self.held += [row["url"] for row in rows.objects()]

    def commit(self, bookmark):
        with open(self.file, "a") as file:
            file.writelines(f"{url}\\n" for url in self.held)
        self.held = []

    def close(self):
        pass


class Raises(Names):
    def commit(self, bookmark):
        raise RuntimeError("out of ideas")
'''


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving(tmp_path_factory.mktemp("site")) as served:
        yield served


def crawled(command: list[str], **more: str) -> tuple[int, Any, str]:
    done = subprocess.run(command, capture_output=True, text=True, env=environment(more), timeout=600, check=False)
    return done.returncode, json.loads(done.stdout.splitlines()[-1]), done.stderr


def answers_in(out: Path) -> int:
    files = sealed_files(out / "warc")
    return sum(entry.answer is not None for file in files for entry in entries_of(whole_records(file)))


def test_rows_of_a_crawl_are_in_the_database_at_its_end(site: Site, tmp_path: Path, database: Database) -> None:
    out = tmp_path / "crawl"
    command = site.command(out, "--sink", database.url, "--sink", "jsonl:-", "--max-pages", "25", *PATIENT)
    done = subprocess.run(
        command, capture_output=True, env=environment(database.server.environment), timeout=600, check=False
    )
    *rows, told = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 3, done.stderr  # more pages are left
    assert database.count("crawl_log") == answers_in(out) == sum(row["table"] == "captures" for row in rows)
    assert {lag["lag"] for lag in told["sinks"].values()} == {0}
    hosts = database.rows("select count(*) from host_meta where robots_fetched_at is not null")
    assert hosts[0][0] > 0
    password = database.server.environment["PGPASSWORD"].encode()
    assert not [path for path in out.rglob("*") if path.is_file() and password in path.read_bytes()]


def test_a_dead_sink_holds_nothing_up_and_export_brings_what_it_lacks(site: Site, tmp_path: Path) -> None:
    out, file = tmp_path / "crawl", tmp_path / "rows.jsonl"
    file.mkdir()  # nobody can write to that
    code, told, said = crawled(
        site.command(out, "--sink", f"jsonl:{file}", "--set", "sinks.closing_seconds=0.2", "--max-pages", "10")
    )
    assert (code, told["pages"]) == (3, 10)
    assert "Nothing is lost" in said
    assert f"skitter export {out} --to jsonl:{file}" in said
    shown = subprocess.run([*site.command(out)[:3], "status", str(out)], capture_output=True, text=True, check=True)
    assert "lacks about" in shown.stdout
    file.rmdir()
    subprocess.run([*site.command(out)[:3], "export", str(out), "--to", f"jsonl:{file}"], check=True)
    rows = [json.loads(line) for line in lines_of(file)]
    assert sum(row["table"] == "captures" for row in rows) == answers_in(out)


def test_the_process_that_feeds_is_killed_again_and_again(site: Site, tmp_path: Path) -> None:
    out, file = tmp_path / "crawl", tmp_path / "rows.jsonl"
    process = subprocess.Popen(
        site.command(out, "--sink", f"jsonl:{file}", "--max-pages", "20", *PATIENT), stdout=subprocess.PIPE
    )
    killed: set[int] = set()

    def kill_one() -> bool:
        if process.poll() is not None:
            return True
        for pid in feeders(out) - killed:
            killed.add(pid)
            os.kill(pid, signal.SIGKILL)
            return True
        return False

    for _ in range(3):
        wait_until(kill_one)
    told = json.loads(process.communicate(timeout=600)[0].splitlines()[-1])
    assert len(killed) >= 1
    keys = [(row["url"], row["fetched_at"]) for row in map(json.loads, lines_of(file)) if row["table"] == "captures"]
    assert len(keys) == len(set(keys)) == answers_in(out)
    assert told["sinks"] == {f"jsonl:{file}": {"captures": told["sinks"][f"jsonl:{file}"]["captures"], "lag": 0}}


def test_plug_ins_are_fed_and_one_that_raises_does_no_harm(site: Site, tmp_path: Path) -> None:
    (tmp_path / "names.py").write_text(PLUGIN)
    config = tmp_path / "skitter.toml"
    config.write_text(
        '[plugins]\nuse = ["names:Names", "names:Raises"]\n[sinks]\nclosing_seconds = 0.5\n'
        'urls = ["plugin:names:Names", "plugin:names:Raises"]\n'
        f'[plugins.options."names:Names"]\nfile = "{tmp_path}/urls"\n'
        f'[plugins.options."names:Raises"]\nfile = "{tmp_path}/none"\n'
    )
    out = tmp_path / "crawl"
    code, told, said = crawled(site.command(out, "--config", str(config), "--max-pages", "5"))
    assert (code, told["pages"]) == (3, 5), said
    assert len(set((tmp_path / "urls").read_text().split())) == answers_in(out)
    assert "out of ideas" in said
    assert "plugin:names:Raises" in said


def feeders(out: Path) -> set[int]:
    """Returns the processes that feed sinks of a crawl."""
    found = set()
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"skitter.sinks" in words and str(out).encode() in words:
            found.add(int(path.name))
    return found
