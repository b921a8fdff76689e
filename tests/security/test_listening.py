"""Who else is on the machine or the net: nothing of ours listens to them, and what is private is ours alone."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from skitter.folder.locks import nodes_at_work
from tests.security.site import Site, crawled, crawling, from_table, page

HOME, NET = "127.77.0.1", ("--allow-net", "127.77.0.0/16")
LISTEN = "0A"
MANY = {"/": page(*(f"/{number}" for number in range(400)))} | {f"/{number}": page() for number in range(400)}


def processes(root: int) -> Iterator[int]:
    """Yields a process and all below it."""
    yield root
    for children in Path(f"/proc/{root}/task").glob("*/children"):
        for child in children.read_text().split():
            yield from processes(int(child))


def sockets(process: int) -> set[str]:
    held = set()
    for descriptor in Path(f"/proc/{process}/fd").iterdir():
        try:
            held.add(str(descriptor.readlink()))
        except FileNotFoundError:
            continue  # closed meanwhile
    return held


def listening(process: int) -> set[str]:
    """Returns where the process and those below it listen, as address:port in the kernel's hexadecimal."""
    held = {name for one in processes(process) for name in sockets(one)}
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        if not Path(table).exists():
            continue
        for line in Path(table).read_text().splitlines()[1:]:
            where, state, inode = (line.split()[at] for at in (1, 3, 9))
            if state == LISTEN and f"socket:[{inode}]" in held:
                found.add(where)
    return found


def wait_for(path: Path, run: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < until, f"{path} does not come"
        assert run.poll() is None
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.parametrize("metrics", [True, False], ids=["with metrics", "without"])
def test_a_crawl_listens_on_loopback_only(metrics: bool, tmp_path: Path) -> None:
    """With --metrics-port at one port of 127.0.0.1, without it nowhere."""
    options = ("--metrics-port", "0") if metrics else ()
    with (
        Site(HOME, from_table(MANY)) as home,
        crawling(f"{home.root}/", *NET, "--delay", "0.5", *options, out=tmp_path / "out") as run,
    ):
        wait_for(tmp_path / "out" / "run" / "node-0.sock", run)
        found = listening(run.pid)
        assert len(list(processes(run.pid))) >= 2
    assert len(found) == metrics
    assert all(re.fullmatch("0100007F:[0-9A-F]{4}", where) for where in found)


def modes(out: Path) -> dict[str, int]:
    found = {}
    for path in out.rglob("*"):
        with contextlib.suppress(FileNotFoundError):  # a crawl that runs makes files and removes them
            found[str(path.relative_to(out))] = stat.S_IMODE(path.lstat().st_mode)
    return found


@pytest.mark.slow
def test_others_may_not_write_to_a_crawl(tmp_path: Path) -> None:
    """With the usual umask no file, folder or socket of a crawl can be written to by anyone else."""
    out = tmp_path / "out"
    before = os.umask(0o022)
    try:
        with (
            Site(HOME, from_table(MANY)) as home,
            crawling(f"{home.root}/", *NET, "--delay", "0.5", out=out) as run,
        ):
            wait_for(out / "run" / "node-0.sock", run)
            wait_for(out / "frontier", run)  # made when the first seed is taken
            found = modes(out)
    finally:
        os.umask(before)
    assert found["run"] == 0o700
    assert {"run/node-0.sock", "crawl.json", "skitter.toml", "lock", "warc", "frontier"} <= set(found)
    assert not [name for name, mode in found.items() if mode & 0o022]


@pytest.mark.slow
def test_run_is_private_whatever_the_umask(tmp_path: Path) -> None:
    """Without a umask, and where an earlier run left it open to all, the folder of the sockets is still ours alone."""
    out = tmp_path / "out"
    (out / "run").mkdir(parents=True)
    (out / "run").chmod(0o777)
    before = os.umask(0)
    try:
        with Site(HOME, from_table({"/": page()})) as home:
            crawled(f"{home.root}/", *NET, out=out)
    finally:
        os.umask(before)
    found = modes(out)
    assert found["run"] == 0o700
    archive = [mode for name, mode in found.items() if name.endswith(".warc.gz")]
    assert archive
    assert not any(mode & 0o022 for mode in archive)


def test_run_is_made_private(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        assert not nodes_at_work(tmp_path / "out")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out" / "run").stat().st_mode) == 0o700
