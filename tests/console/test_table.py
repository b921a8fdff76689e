"""The table of hosts: any order, any page, through tables that are replaced in between."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.console.table import COLUMNS, ORDERS, SCHEMA, HostTable
from skitter.errors import OperatorError


def table(folder: Path, rows: list[dict[str, object]], as_of: float = 1.0) -> HostTable:
    usual: dict[str, object] = {"standing": "ready", "delay_because": "default"}
    numbers = {name: 0 for name in COLUMNS if name not in ("host", *usual)}
    whole = pa.Table.from_pylist([{**usual, **numbers, **row} for row in rows], SCHEMA).sort_by("host")
    file = folder / f"hosts-{as_of}.arrow"
    with pa.ipc.new_file(str(file), SCHEMA) as writer:
        writer.write_table(whole)
    return HostTable(file, as_of)


def walk(found: HostTable, sort: str, *, descending: bool, limit: int, search: str = "") -> list[str]:
    hosts: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = found.page(search, sort, descending=descending, cursor=cursor, limit=limit)
        hosts += [row.host for row in page.hosts]
        cursor = page.cursor
        assert len(hosts) <= len(found), "it has no end"
    return hosts


VALUES = st.lists(st.tuples(st.integers(0, 3), st.none() | st.sampled_from([0.0, 1.5, 2.5])), max_size=12)


@given(values=VALUES, limit=st.integers(1, 5), descending=st.booleans(), sort=st.sampled_from(["queued", "worth"]))
def test_pages_are_the_whole_in_order(
    tmp_path_factory: pytest.TempPathFactory,
    values: list[tuple[int, float | None]],
    limit: int,
    descending: bool,
    sort: str,
) -> None:
    rows: list[dict[str, object]] = [
        {"host": f"h{place:02d}", "queued": queued, "worth": worth} for place, (queued, worth) in enumerate(values)
    ]
    found = table(tmp_path_factory.mktemp("table"), rows)

    def place(row: dict[str, object]) -> tuple[bool, float, object]:
        value = row[sort]
        number = float(value) if isinstance(value, int | float) else 0.0
        return value is None, -number if descending else number, row["host"]

    assert walk(found, sort, descending=descending, limit=limit) == [row["host"] for row in sorted(rows, key=place)]


def test_a_cursor_holds_in_the_next_table(tmp_path: Path) -> None:
    before = table(tmp_path, [{"host": name, "queued": many} for name, many in zip("abcd", (9, 7, 5, 3), strict=True)])
    first = before.page("", "queued", descending=True, cursor="", limit=2)
    assert [row.host for row in first.hosts] == ["a", "b"]
    after = table(tmp_path, [{"host": name, "queued": many} for name, many in (("c", 5), ("d", 8), ("e", 6))], 2.0)
    second = after.page("", "queued", descending=True, cursor=first.cursor or "", limit=5)
    assert [row.host for row in second.hosts] == ["e", "c"]  # `d` went before where we were
    assert second.as_of == 2.0


def test_a_search_is_paged_too_and_what_is_kept_is_bounded(tmp_path: Path) -> None:
    found = table(tmp_path, [{"host": f"{name}.example"} for name in ("apple", "maple", "pear", "grape")])
    assert walk(found, "host", descending=False, limit=1, search="ap") == [
        "apple.example",
        "grape.example",
        "maple.example",
    ]
    for number in range(3 * ORDERS):
        found.page(str(number), "host", descending=False, cursor="", limit=1)
    assert len(found._orders) == ORDERS


@pytest.mark.parametrize("cursor", ["!", "AAAA", "é", "gqFhoWI", "kgEC"])
def test_a_cursor_that_is_none_is_an_error(tmp_path: Path, cursor: str) -> None:
    with pytest.raises(OperatorError, match="cursor"):
        table(tmp_path, [{"host": "a"}]).page("", "host", descending=False, cursor=cursor, limit=1)
