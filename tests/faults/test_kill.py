"""The crash contract: `kill -9` of anything at any moment loses nothing, repeats nothing settled, and stays polite.

`make torture` is the same for longer.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from skitter.folder.locks import nodes_at_work
from skitter.simweb.settings import WorldSettings
from tests.faults.crawler import Crawl, logs, served, wait_until
from tests.faults.torture import Torture, torture

TORTURE = Torture(seed=5, kills=14, hosts=60, pages_per_host=14)


@pytest.mark.slow
def test_killed_at_any_moment_then_resumed(tmp_path: Path) -> None:
    ordeal, verdict = torture(tmp_path, TORTURE)
    assert verdict.faults == {}, logs(tmp_path / "out")
    assert len(ordeal.kills) >= TORTURE.kills, "it came to its end before it could be killed so often"


@contextlib.contextmanager
def stopped(pids: Sequence[int]) -> Iterator[None]:
    """Lets processes stand still, and go on after that whatever happens."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


@pytest.mark.slow
def test_nodes_whose_supervisor_died_before_their_first_line_are_waited_for(tmp_path: Path) -> None:
    with (
        served(tmp_path, WorldSettings(seed=5, hosts=2, pages_per_host=5)) as web,
        contextlib.closing(Crawl(tmp_path / "out", web)) as crawl,
    ):
        crawl.start()
        wait_until(lambda: len(crawl.nodes()) == 2)
        with stopped(crawl.nodes()):
            crawl.kill_supervisor()
            assert nodes_at_work(tmp_path / "out"), "the next run would open what these are about to open"
            crawl.start()
        ended = crawl.finish()
    assert ended["done"], logs(tmp_path / "out")


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_what_was_on_its_way_between_nodes_arrives_if_there_are_fewer_of_them_now(tmp_path: Path, workers: int) -> None:
    with (
        served(tmp_path, WorldSettings(seed=5, hosts=20, pages_per_host=12)) as web,
        contextlib.closing(Crawl(tmp_path / "out", web, delay=0.1)) as crawl,
    ):
        crawl.workers = 3
        crawl.start()
        wait_until(lambda: len(crawl.nodes()) == 3)
        wait_until(lambda: len(web.requests()) > 25)  # by then each node has work of its own
        with stopped(crawl.nodes()[:1]):  # links for it stay with the others
            before = len(web.requests())
            wait_until(lambda: len(web.requests()) > before + 5)
            crawl.kill_all()
        crawl.workers = workers
        crawl.start()
        crawl.finish()
        assert not web.findings().missed(web.truth())
