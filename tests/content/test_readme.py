"""The questions that README asks of a first crawl have answers."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest

import skitter
from tests.content.conftest import a_pdf
from tests.plugins.site import options, page, served

README = Path(__file__).parents[2] / "README.md"
SITE = {
    "/": page("Home", "This domain is for use in examples, and for whoever wants to read about it. " * 5, "paper.pdf"),
    "/paper.pdf": ("application/pdf", a_pdf("Another word on the domain.")),
}


@pytest.mark.slow
def test_its_queries_run_on_a_small_crawl(tmp_path: Path) -> None:
    queries = re.findall(r'^duckdb -c "(.*)"$', README.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(queries) >= 2
    how = options()
    how["settings"]["content.text"] = "best"
    with served(SITE) as url:
        assert len(list(skitter.crawl(url, tmp_path / "out", **how))) == 2
    captures, texts = (duckdb.sql(one.replace("'example/", f"'{tmp_path}/out/")).fetchall() for one in queries[:2])
    assert (200, 3) in captures or (200, 2) in captures
    assert [(address, title) for address, title, _, _ in texts] == [(url, "Home"), (f"{url}paper.pdf", "A paper")]
