"""A crawl that has run and stopped, made once: tests that change something have a copy of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec import structs

from skitter.simweb.settings import PLAIN
from tests.api.asking import PATIENCE, Served, served, token_file
from tests.faults.crawler import Crawl
from tests.faults.crawler import served as web_served


class Ran(NamedTuple):
    """The folder of a crawl, and the hosts that it knows."""

    folder: Path
    hosts: list[str]
    tokens: Path


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A crawl that was stopped with work left."""
    folder = tmp_path_factory.mktemp("made")
    with web_served(folder, structs.replace(PLAIN, seed=5, hosts=6, pages_per_host=8, page_bytes=500), "plain") as web:
        web.seeds = web.world.homes()
        crawl = Crawl(folder / "crawl", web, "--max-pages", "30", delay=0.05)
        crawl.workers = 1
        crawl.start()
        try:
            assert crawl.process is not None
            crawl.process.communicate(timeout=PATIENCE)
        finally:
            crawl.close()
        hosts = [home.split("/")[2] for home in web.seeds]
    return Ran(folder / "crawl", hosts, token_file(folder))


@pytest.fixture(scope="session")
def looked(made: Ran) -> Iterator[Served]:
    """The API of a crawl that nothing is told."""
    with served(made.folder, made.tokens) as found:
        yield found


@pytest.fixture(scope="module")
def refusing(made: Ran, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The API of a copy to which everything is wrong."""
    folder = tmp_path_factory.mktemp("refusing") / "crawl"
    shutil.copytree(made.folder, folder)
    with served(folder, made.tokens) as found:
        yield found


@pytest.fixture
def told(made: Ran, tmp_path: Path) -> Iterator[Served]:
    """The API of a copy of its own."""
    shutil.copytree(made.folder, tmp_path / "crawl")
    with served(tmp_path / "crawl", made.tokens) as found:
        yield found
