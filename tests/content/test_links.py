"""Links in PDFs are followed, in a whole crawl of real processes; `why` tells where a URL came from."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

import skitter
from skitter.reparse.run import reparse
from tests.content.conftest import a_pdf
from tests.plugins.site import options, page, served
from tests.processes import children_since

pytestmark = pytest.mark.slow
HIDDEN = page("Hidden", "that no page leads to, but a paper does")
SITE = {"/": page("Home", "welcome to all of you", "paper.pdf"), "/hidden": HIDDEN}


def links(directory: Path) -> Any:
    tables = str(directory / "parquet" / "links" / "**" / "*.parquet")
    return duckdb.sql(f"select source, target, tag from '{tables}' where tag = 'pdf'").fetchall()


def crawled(out: Path, paper: bytes, **settings: Any) -> tuple[set[str], str]:
    with served({**SITE, "/paper.pdf": ("application/pdf", paper)}) as url:
        how = options()
        how["settings"] = {**how.get("settings", {}), **settings}
        return {one.url.removeprefix(url) for one in skitter.crawl(url, out, **how)}, url


def test_a_crawl_follows_them(tmp_path: Path) -> None:
    started = children_since()
    paths, url = crawled(tmp_path / "out", a_pdf(link="/hidden"))
    assert paths == {"", "paper.pdf", "hidden"}
    assert links(tmp_path / "out") == [(f"{url}paper.pdf", f"{url}hidden", "pdf")]
    command = [sys.executable, "-m", "skitter", "why", str(tmp_path / "out"), f"{url}hidden", "--json"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert f"{url}paper.pdf" in json.dumps(json.loads(told))
    assert not started()
    reparse(tmp_path / "out", tmp_path / "again", 1)
    assert links(tmp_path / "again") == links(tmp_path / "out")


@pytest.mark.parametrize(
    ("paper", "settings"),
    [(b"%PDF-1.7 and nothing more", {}), (a_pdf(link="/hidden"), {"content.pdf_links": False})],
)
def test_one_that_is_not_read_is_stored_and_has_none(paper: bytes, settings: dict[str, Any], tmp_path: Path) -> None:
    assert crawled(tmp_path / "out", paper, **settings)[0] == {"", "paper.pdf"}
