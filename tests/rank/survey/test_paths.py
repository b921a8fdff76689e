"""Mirrors compared with their originals path by path, on what was captured of both."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from skitter.rank.survey import paths
from skitter.rank.survey.marks import CaptureMark
from skitter.rank.survey.paths import Compared, Paths, chosen

MIRRORS = {"copy.org": "b.org"}
Row = tuple[str, str, int, int, int]


def compared(*rows: Row, at_once: int = 1000) -> dict[str, Compared]:
    """Returns what comes of captures: host, URL, SimHash, time, mark."""
    columns: dict[str, Any] = {
        "host": [row[0] for row in rows],
        "url": [row[1] for row in rows],
        "digest": [""] * len(rows),
        "simhash": pa.array([row[2] for row in rows], pa.uint64()),
        "at": [row[3] for row in rows],
        "mark": pa.array([row[4] for row in rows], pa.uint8()),
    }
    batches = pa.table(columns).to_batches(at_once)
    found = Paths(MIRRORS)
    for batch in batches:
        found.sample(batch)
    found.share()
    for batch in batches:
        found.pick(batch)
    return found.compared()


def page(host: str, number: int, text: int, at: int = 1, mark: int = CaptureMark.PAGE) -> Row:
    return host, f"https://www.{host}/{number}.html", text, at, mark


def both(many: int) -> list[Row]:
    return [page(host, number, 7**18 * number) for number in range(1, many + 1) for host in ("copy.org", "b.org")]


def test_paths_that_say_the_same_and_those_that_do_not() -> None:
    rows = [*both(12), page("copy.org", 90, 1), page("b.org", 90, 0xFFFF), page("other.org", 1, 5)]
    assert compared(*rows) == compared(*rows, at_once=3) == {"copy.org": Compared("https://www.b.org", 12, 1)}


def test_three_bits_are_a_little_and_four_are_not() -> None:
    assert compared(page("copy.org", 1, 0b1111), page("b.org", 1, 0b1000))["copy.org"][1:] == (1, 0)
    assert compared(page("copy.org", 1, 0b11111), page("b.org", 1, 0b10000_0000))["copy.org"][1:] == (0, 1)


def test_one_text_on_all_paths_counts_once() -> None:
    rows = [page(host, number, 77) for number in range(50) for host in ("copy.org", "b.org")]
    assert compared(*rows)["copy.org"] == Compared("https://www.b.org", 1, 0)


def test_a_page_counts_as_it_last_was_and_a_soft_404_not_at_all() -> None:
    was = [page("copy.org", 1, 0xFFFF, at=1), page("copy.org", 1, 5, at=3), page("copy.org", 1, 0xFFFF, at=2)]
    none = CaptureMark.PAGE | CaptureMark.SOFT_404
    rows = [*was, page("b.org", 1, 5), page("copy.org", 2, 9, mark=none), page("b.org", 2, 0xFFFF)]
    assert compared(*rows)["copy.org"] == Compared("https://www.b.org", 1, 0)


@pytest.mark.parametrize(("mine", "theirs"), [(40, 3000), (3000, 40)])
def test_the_smaller_host_is_found_in_the_larger_one(mine: int, theirs: int) -> None:
    rows = [page("copy.org", number, 7**18 * number) for number in range(1, mine + 1)]
    rows += [page("b.org", number, 7**18 * number) for number in range(1, theirs + 1)]
    assert compared(*rows)["copy.org"].agreed >= 40
    assert compared(*rows)["copy.org"].agreed <= 2 * paths.SAMPLE, "and no more are held than were chosen"


def test_the_largest_mirrors_are_looked_into(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "MOST", 2)
    hosts = pa.table(
        {
            "name": ["b.org", "small.org", "large.org", "larger.org", "own.org"],
            "mirror_of": pa.array([None, 0, 0, 0, None], pa.uint32()),
            "pages": [9, 1, 5, 7, 99],
        }
    )
    assert chosen(hosts) == {"larger.org": "b.org", "large.org": "b.org"}
