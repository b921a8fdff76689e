"""A crawl that is over, to be read again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import skitter
from tests.library.conftest import Web, web

__all__ = ["crawled", "folder", "web"]


@pytest.fixture(scope="session")
def crawled(web: Web, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a crawl whose pages are in several WARC files."""
    folder = tmp_path_factory.mktemp("crawled") / "out"
    options = web.options
    options["settings"] = {**options["settings"], "store.roll_bytes": 64 * 1024}
    for _ in skitter.crawl(web.seed, out=folder, **options):
        pass
    return folder


@pytest.fixture
def folder(crawled: Path, tmp_path: Path) -> Path:
    """A copy of that folder, to be spoilt."""
    return Path(shutil.copytree(crawled, tmp_path / "crawl", ignore=shutil.ignore_patterns("*.sock")))
