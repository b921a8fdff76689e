"""A crawl that never ends holds what it has found and no more, through kills and clocks that jump."""

from __future__ import annotations

import pytest
from msgspec import structs

from skitter.sim.run.year import Standing, faults, held, year


@pytest.mark.slow
def test_half_a_year_of_a_small_web() -> None:
    found = year(days=180, hosts=4, pages=4, articles=3.0, seed=2)
    assert [fault for one in found for fault in faults(one, found[1])] == []
    last = found[-1]
    assert last.lives > 20
    assert last.trimmed > 100, "articles that went away are forgotten"
    assert last.fresh == pytest.approx(last.truth, abs=0.15)


GOOD = Standing(2, 100, 10, 2, 1, {"u": 10, "d": 6, "q": 1, "h": 2}, 1000, 5000, 0.9, 0.9, 1)


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({"entries": {"u": 10, "d": 8, "q": 1, "h": 2}}, "9 in lists"),
        ({"memory": 9000}, "bytes in memory"),
        ({"bytes": 1200}, "bytes a URL"),
        ({"entries": {"u": 10, "d": 6, "q": 1, "h": 20}}, "20 entries under h"),
    ],
)
def test_what_grows_is_told(facts: dict[str, object], told: str) -> None:
    assert list(faults(GOOD, GOOD)) == []
    assert told in " ".join(faults(structs.replace(GOOD, **facts), GOOD))


def test_memory_is_counted_through_all_that_is_held() -> None:
    assert held({"a": [b"x" * 1000]}) > 1000 + held({"a": [b""]}) - 50
