"""Links that the kernel holds are written as those that Python holds: to the metadata record and to the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet  # type: ignore[import-untyped]

from skitter.messages import Link, Reason
from skitter.parse import html, reference, scanner
from skitter.parse.outlinks import as_table
from skitter.parse.scanner import Scanner
from skitter.ports import Capture
from skitter.settings import ParseSettings
from skitter.store.index.facts import encode, facts_of
from skitter.store.index.linkrows import LinkRows
from skitter.store.index.parquet import GROUP, SCHEMAS, Table

pytest.importorskip("skitter._native", reason="no Rust toolchain: Python holds all links")

SIGNS = st.sampled_from([*"ab/?%.é–ж中 \t\u00a0\u00ad\u200d\u2028\x85\x1c😀", "\u0301", " nofollow "])
ANCHORS = st.lists(SIGNS, max_size=8).map("".join)
REL = {True: "nofollow", False: "me"}
LINKS = st.lists(st.tuples(ANCHORS, ANCHORS, st.booleans()), max_size=20)


def links_of(written: Sequence[tuple[str, str, bool]], scan: Scanner) -> Sequence[Link]:
    body = "".join(
        f'<a href="x{escape(href)}" rel={REL[nofollow]}>{escape(anchor)}</a><img src="{escape(href)}i">'
        for href, anchor, nofollow in written
    )
    return html.read(body.encode(), "http://h.example/", [], ParseSettings(), "skitter", scan).links


def refused_of(links: Sequence[Link]) -> dict[int, str]:
    """Returns reasons for every third link, in no order."""
    return {place: str(tuple(Reason)[place % 5]) for place in reversed(range(0, len(links), 3))}


def rows_of(folder: Path, *pages: tuple[str, Sequence[Link]]) -> list[tuple[Any, ...]]:
    table = Table(folder / "links", SCHEMAS["links"])
    rows = LinkRows(table)
    for source, links in pages:
        rows.add(source, links, refused_of(links))
    rows.flush()
    table.close()
    found: list[tuple[Any, ...]] = duckdb.sql(f"select * from read_parquet('{folder / 'links'}')").fetchall()
    return found


@settings(max_examples=200, deadline=None)
@given(LINKS)
def test_the_record_is_the_same(capture: Callable[..., Capture], written: list[tuple[str, str, bool]]) -> None:
    native, python = (links_of(written, scan) for scan in (scanner.native, reference.scan))
    assert as_table(native) is not None
    refused = refused_of(native)
    told = [encode(facts_of(capture(links=links, refused=refused), "")) for links in (native, python)]
    assert told[0] == told[1]
    assert told[0].count(b"follow,") >= len(refused)


@pytest.mark.parametrize(
    "written",
    [
        [],
        [("1", "one", False)],
        [(str(number), "é" * (number % 3), number % 3 == 0) for number in range(100)],
    ],
    ids=["none", "one", "many"],
)
def test_the_rows_are_the_same(tmp_path: Path, written: list[tuple[str, str, bool]]) -> None:
    (tmp_path / "native").mkdir()
    (tmp_path / "python").mkdir()
    native, python = (links_of(written, scan) for scan in (scanner.native, reference.scan))
    pages = [(f"http://h.example/{number}", native) for number in range(3) if native]
    rows = rows_of(tmp_path / "native", *pages)
    assert rows == rows_of(tmp_path / "python", *((source, python) for source, _ in pages))
    assert len(rows) == 3 * 2 * len(written)
    assert [row[-1] for row in rows] == 3 * [refused_of(native).get(place) for place in range(len(native))]


def test_rows_are_written_in_groups(tmp_path: Path) -> None:
    links = links_of([(str(number), "", False) for number in range(500)], scanner.native)
    pages = GROUP // len(links) + 1
    rows = rows_of(tmp_path, *((f"http://h.example/{number}", links) for number in range(pages)))
    assert [row[:2] for row in rows] == [(f"http://h.example/{n}", link.url) for n in range(pages) for link in links]
    assert parquet.ParquetFile(tmp_path / "links").num_row_groups == 2


def test_a_table_is_a_sequence_of_links() -> None:
    native, python = (
        links_of([("1", "one", True), ("2", "two", False)], scan) for scan in (scanner.native, reference.scan)
    )
    assert (list(native), native[0], native[-1], native[1:3], len(native)) == (
        list(python),
        python[0],
        python[-1],
        python[1:3],
        len(python),
    )
    assert native == python
    assert native != python[1:]
    assert all(type(link) is Link for link in native)
