"""Faults of the machine: each ends as docs/operate.md says, in a stop that says what to do about what, or unharmed."""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from msgspec import structs

from skitter.inspection.folder import Folder
from skitter.inspection.status import status
from skitter.messages import Kind, State
from skitter.simweb.settings import DEMO, PLAIN, WorldSettings
from skitter.supervisor.lastrun import read_last_run
from tests.faults.crawler import Crawl, Web, logs, served, settled, wait_until
from tests.faults.driver import ARRIVAL, ORDERLY, How, Kill, Ordeal
from tests.faults.verdict import audit_faults, judge

SABOTAGE = Path(__file__).parent / "sabotage"
WORLD = structs.replace(PLAIN, seed=11, hosts=8, pages_per_host=20)
DELAY = 0.1
SMALL = ("--set", "store.roll_bytes=32768", "--set", "store.probe_seconds=0.1", "--set", "node.linger=0.5")
SYNCING = ("--set", "store.sync_seconds=0.1")


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    # Larger than the others': on a slow machine too it is not all fetched by the time of the second kill.
    world = structs.replace(WORLD, pages_per_host=60)
    with served(tmp_path_factory.mktemp("web"), world, "plain") as web:
        yield web


@pytest.fixture(scope="module")
def half_done(tmp_path_factory: pytest.TempPathFactory, web: Web) -> Path:
    """The folder of a crawl that was killed twice: it has tables and logs, and WARC files that were left open."""
    out = tmp_path_factory.mktemp("half") / "out"
    with contextlib.closing(Crawl(out, web, *SMALL, delay=DELAY)) as crawl:
        for pages in (20, 60):
            crawl.start()
            wait_until(lambda least=pages: _answers(web) >= least)
            crawl.kill_all()
    return out


@pytest.fixture
def out(tmp_path: Path, half_done: Path) -> Path:
    shutil.copytree(half_done, tmp_path / "out", ignore=shutil.ignore_patterns("*.sock"))
    return tmp_path / "out"


def _answers(web: Web) -> int:
    return sum(request.status == 200 for request in web.requests())


def largest(folder: Path, pattern: str) -> Path:
    return max(folder.glob(pattern), key=lambda path: path.stat().st_size)


def flip(file: Path, share: float) -> Path:
    """Damages a block of a file, at this share of its length."""
    content = bytearray(file.read_bytes())
    at = int(len(content) * share)
    content[at : at + 16] = bytes(byte ^ 0xFF for byte in content[at : at + 16])
    file.write_bytes(content)
    return file


def spoil(file: Path) -> Path:
    file.write_bytes(b"\0garbage")
    return file


def an_instruction(out: Path) -> Path:
    folder = out / "inbox" / "0000"
    folder.mkdir(parents=True, exist_ok=True)
    return spoil(folder / "0-0.json")


class Damage(NamedTuple):
    """What is done to the folder, what the next start says of it, and what the operator does then."""

    do: Callable[[Path], Path]
    code: int
    says: str  # a pattern; `{}` is the file's path
    mend: Callable[[Path, Path], object]  # of the file and of a whole one


def restore(file: Path, whole: Path) -> None:
    shutil.copy(whole, file)


def remove(file: Path, _whole: Path) -> None:
    file.unlink()


def salvage(file: Path, _whole: Path) -> None:
    (file.parent / "SALVAGE").touch()


DAMAGES = {
    "a block in the middle of an open WARC file": Damage(
        lambda out: flip(largest(out, "warc/**/*.open"), 0.3),
        4,
        r"A WARC file is damaged at offset \d+ .*: {}\. Restore the file from a copy, or move it",
        remove,
    ),
    "a block of a table of the frontier": Damage(
        lambda out: flip(largest(out, "frontier/*/*.sst"), 0.3),
        4,
        r"the frontier is damaged: .* in {}.*Restore that folder from a copy, or move it away",
        restore,
    ),
    "a block in the middle of the frontier's log": Damage(
        lambda out: flip(largest(out, "frontier/*/*.log"), 0.3),
        4,
        r"the frontier is damaged: .*/frontier/\d{{4}} \(Corruption.*make an empty file called SALVAGE in it",
        salvage,
    ),
    "the frontier's list of files": Damage(
        lambda out: spoil(largest(out, "frontier/*/CURRENT")), 4, r"the frontier is damaged: .*Restore", restore
    ),
    "the file of seeds": Damage(
        lambda out: spoil(out / "crawl.json"), 4, r"crawl.json can't be read: {}.*Restore it from a copy", restore
    ),
    "the file of settings": Damage(lambda out: spoil(out / "skitter.toml"), 2, r"--config = .*is not TOML", restore),
    "an instruction in the inbox": Damage(
        an_instruction, 4, r"an instruction can't be read .*: {}\. Remove that file", remove
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damage_is_refused_by_name_and_what_is_said_mends_it(
    damage: Damage, out: Path, half_done: Path, web: Web
) -> None:
    file = damage.do(out)
    with contextlib.closing(Crawl(out, web, *SMALL, "--max-pages", "10", delay=DELAY)) as crawl:
        crawl.start()
        code, _, told = crawl.end()
        assert code == damage.code, told + logs(out)
        assert re.search(damage.says.format(re.escape(str(file))), told), told
        damage.mend(file, half_done / file.relative_to(out))
        crawl.start()
        assert crawl.finish()["pages"] == 10


def cut(out: Path, size: int) -> None:
    file = largest(out, "warc/**/*.open")
    with file.open("r+b") as stream:
        stream.truncate(file.stat().st_size - size)


def garble_tail(out: Path) -> None:
    with largest(out, "frontier/*/*.log").open("ab") as stream:
        stream.write(b"half a rec")


TAILS: dict[str, tuple[Callable[[Path], None], str]] = {
    "of a WARC file": (lambda out: cut(out, 7), "cut to its last whole record at"),
    "of the frontier's log": (garble_tail, ""),
}


@pytest.mark.slow
@pytest.mark.parametrize(("tear", "says"), TAILS.values(), ids=TAILS)
def test_a_torn_last_record_is_cut_off(tear: Callable[[Path], None], says: str, out: Path, web: Web) -> None:
    tear(out)
    with contextlib.closing(Crawl(out, web, *SMALL, delay=DELAY)) as crawl:
        crawl.start()
        ended = crawl.finish()
    assert says in logs(out)
    faults = judge(out, web, Ordeal((), {}, ended), DELAY).faults
    # This web has seen other crawls before, and what was torn off was settled: it is not `kill -9` that does that.
    assert set(faults) <= {"fetched twice though not leased at a kill", "settled, yet not in the archive"}


# While it runs, on a web of its own: what it asked for is all in one log, and it is held to everything.


def rolled(size: int) -> tuple[str, str]:
    return "--set", f"store.roll_bytes={size}"


class Trial:
    """A crawl of a web of its own, with a fault under it."""

    def __init__(self, folder: Path, web: Web, roll: int = 32768, **plan: Any) -> None:
        self.out, self.web, self.flag = folder / "out", web, folder / "flag"
        path = os.pathsep.join(filter(None, (str(SABOTAGE), os.environ.get("PYTHONPATH"))))
        env = {"PYTHONPATH": path, "SABOTAGE": json.dumps({**plan, "while": str(self.flag)})}
        self.crawl = Crawl(self.out, web, *SMALL, *SYNCING, *rolled(roll), delay=DELAY, env=env if plan else None)
        self.stops: list[Kill] = []

    def asked(self, least: int) -> None:
        """Returns when the web was asked for so many pages."""
        wait_until(lambda: len(self.web.requests()) >= least, 60)

    def troubles(self) -> list[str]:
        last = read_last_run(self.out)
        return [] if last is None else last.troubles

    @contextlib.contextmanager
    def in_trouble(self, says: str) -> Iterator[None]:
        """Goes on when this is the trouble. What was fetched at that time and could not be stored is fetched again."""
        began = time.monotonic()
        wait_until(lambda: any(says in text for text in self.troubles()))
        yield
        self.stops.append(Kill(How.ALL, began, time.monotonic() + ORDERLY))

    def limit_files(self, size: int) -> None:
        """Lets no file of the nodes grow beyond `size`, as on a full disk. -1: any size."""
        for pid in self.crawl.nodes():
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, -1))

    def stopped(self) -> str:
        """Returns what was said by a crawl that has stopped because of the machine."""
        code, _, told = self.crawl.end()
        assert code == 4, (code, told, logs(self.out))
        self.stops.append(Kill(How.ALL, time.monotonic() - ORDERLY, time.monotonic()))
        return told

    def finish(self) -> None:
        ended = self.crawl.finish()
        verdict = judge(self.out, self.web, Ordeal(self.stops, {}, ended), DELAY)
        assert verdict.faults == {}, logs(self.out)


@contextlib.contextmanager
def trial(
    folder: Path, world: WorldSettings = WORLD, kind: str = "plain", roll: int = 32768, **plan: Any
) -> Iterator[Trial]:
    with served(folder, world, kind) as web:
        a_trial = Trial(folder, web, roll, **plan)
        with contextlib.closing(a_trial.crawl):
            yield a_trial


NO_ROOM: dict[str, dict[str, Any]] = {
    "A WARC file can't be written": {"forgets": True},
    "The memory of stored bodies failed": {},
}


@pytest.mark.slow
@pytest.mark.parametrize(("says", "plan"), NO_ROOM.items(), ids=NO_ROOM)
def test_a_disk_without_room_for_the_archive_is_waited_for(says: str, plan: dict[str, Any], tmp_path: Path) -> None:
    # Large pages: a file of the archive must reach the limit before one of the frontier does, which is another case.
    with trial(tmp_path, structs.replace(WORLD, page_bytes=60_000), roll=2**22, **plan) as crawl:
        crawl.crawl.start()
        wait_until(lambda: len(crawl.crawl.nodes()) == 2)
        crawl.limit_files(60_000)
        with crawl.in_trouble(says):
            assert "Make room or mend the disk" in crawl.troubles()[0]
        crawl.limit_files(-1)
        crawl.finish()


@pytest.mark.slow
def test_a_disk_that_runs_full_costs_what_matters_least(tmp_path: Path) -> None:
    """The disk is as large as it is: what is wanted free is more than that."""
    with served(tmp_path, structs.replace(WORLD, pages_per_host=60), "plain") as web:
        most = ("--set", f"frontier.purge_below={1024**5}", "--set", "frontier.window_urls=2")
        with contextlib.closing(Crawl(tmp_path / "out", web, *SMALL, *SYNCING, *most, delay=DELAY)) as crawl:
            crawl.start()
            code, out, told = crawl.end()
    ended = json.loads(out.splitlines()[-1])
    assert code == 0, told
    with Folder(tmp_path / "out") as folder:
        found = status(folder, time.time())
    assert 0 < found.purged <= found.urls["skipped"] == ended["urls"]["skipped"]
    assert sum(found.urls.values()) == found.discovered
    assert "queued URLs of the lowest priority were purged" in logs(tmp_path / "out")


@pytest.mark.slow
def test_a_disk_without_room_for_the_frontier_stops_the_crawl(tmp_path: Path) -> None:
    with trial(tmp_path, structs.replace(WORLD, hosts=3, pages_per_host=70), roll=4096, forgets=True) as crawl:
        crawl.crawl.start()
        wait_until(lambda: len(crawl.crawl.nodes()) == 2)
        crawl.limit_files(25_000)
        told = crawl.stopped()
        assert re.search(r"the frontier can't be written: .*/frontier/\d{4} .*File too large", told), told
        assert "Make room or mend the disk, then start the same command again" in told
        crawl.crawl.start()
        crawl.finish()


@pytest.mark.slow
def test_a_disk_without_room_at_the_start_is_refused(tmp_path: Path) -> None:
    with trial(tmp_path) as crawl:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, before[1]))
        try:
            crawl.crawl.start()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert re.search(r"can't be opened|can't be written|failed", told := crawl.stopped()), told
        assert str(crawl.out) in told
        crawl.crawl.start()
        crawl.finish()


@pytest.mark.slow
@pytest.mark.parametrize("call", ["fsync", "pwrite"])
def test_a_disk_that_fails_for_a_while_is_waited_for(call: str, tmp_path: Path) -> None:
    says = {"fsync": "can't be brought to the disk", "pwrite": "can't be written"}[call]
    with trial(tmp_path, roll=2**22, fails=[call]) as crawl:  # no file is full: to seal one fails in other words
        crawl.crawl.start()
        crawl.asked(30)
        crawl.flag.touch()
        with crawl.in_trouble(says):
            crawl.flag.unlink()
        crawl.finish()


UNHARMED: dict[str, dict[str, Any]] = {
    "writes that take 100 bytes at a time": {"shortest": 100},
    "a clock that is set forward an hour": {"clock": [2.0, 3600.0]},
    "a clock that is set back an hour": {"clock": [2.0, -3600.0]},
}


@pytest.mark.slow
@pytest.mark.parametrize("plan", UNHARMED.values(), ids=UNHARMED)
def test_a_crawl_is_not_harmed_by(plan: dict[str, Any], tmp_path: Path) -> None:
    with trial(tmp_path, **plan) as crawl:
        crawl.crawl.start()
        crawl.finish()


@pytest.mark.slow
def test_a_clock_that_was_an_hour_ahead_in_the_last_run_stalls_nothing(tmp_path: Path) -> None:
    with served(tmp_path, WORLD, "plain") as web:
        ahead = Trial(tmp_path, web, clock=[0.0, 3600.0])
        with contextlib.closing(ahead.crawl):
            ahead.crawl.start()
            ahead.asked(40)
            ahead.crawl.kill_all()
        killed = Kill(How.ALL, time.monotonic(), time.monotonic() + ARRIVAL)
        with contextlib.closing(Trial(tmp_path, web).crawl) as crawl:
            crawl.start()
            ended = crawl.finish()
        faults = judge(tmp_path / "out", web, Ordeal([killed], {}, ended), DELAY).faults
    # The archive's times contradict one another now: `audit` can't but see it, and says so.
    assert set(faults) <= {"audit"}, faults


def _asked_again(web: Web, status: int, since: float) -> bool:
    """Says whether every host that answers so to what it was asked by then was asked for something later on."""
    requests = web.requests()
    strained = {asked.host for asked in requests if asked.status == status and asked.began < since}
    return bool(strained) and strained <= {asked.host for asked in requests if asked.began > since}


@pytest.mark.slow
@pytest.mark.parametrize("status", [429, 503])
def test_killed_when_a_host_had_just_said_that_we_ask_too_often(status: int, tmp_path: Path) -> None:
    world = structs.replace(DEMO, seed=11, hosts=12, pages_per_host=30)
    with trial(tmp_path, world, "demo", dies=status) as crawl:
        crawl.flag.touch()
        crawl.crawl.start()
        wait_until(lambda: not crawl.flag.exists())
        died = time.monotonic()
        # A host that has nothing else left is asked again for what it refused, a minute later.
        wait_until(lambda: _asked_again(crawl.web, status, died), 120)
        crawl.crawl.stop()
        crawl.crawl.finish()
    assert audit_faults(crawl.out) == [], "the archive shows what we were told, and that we did not heed it"


@pytest.mark.slow
def test_a_page_that_crashes_its_reader_is_blamed_and_the_others_are_fetched(tmp_path: Path) -> None:
    poison = "<title>Page 7 of h0003."
    with trial(tmp_path, poison=poison) as crawl:
        crawl.crawl.start()
        ended = crawl.crawl.finish()
        missed = crawl.web.findings().missed(crawl.web.truth())
    (failed,) = [url for url in settled(crawl.out) if url.state is State.FAILED]
    assert failed.failure is not None
    assert failed.failure.kind is Kind.CRASHED_US
    assert failed.crashes >= 2, "it was tried again"
    assert ended["ended"] == "waiting"
    assert missed == frozenset()


@pytest.mark.slow
def test_damage_to_a_sealed_file_is_found_by_the_audit(out: Path, web: Web) -> None:
    with contextlib.closing(Crawl(out, web, *SMALL, delay=DELAY)) as crawl:
        crawl.start()
        crawl.finish()
    file = flip(largest(out, "warc/**/*.warc.gz"), 0.5)
    command = [sys.executable, "-m", "skitter", "audit", str(out)]
    judged = subprocess.run(command, capture_output=True, text=True, check=False)
    assert judged.returncode == 1
    assert file.name in judged.stdout
