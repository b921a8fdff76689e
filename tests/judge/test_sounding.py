from __future__ import annotations

import re

import pytest

from skitter.judge.corner import SHAPE, WIDE, corners_of
from skitter.judge.counting import Corner, is_dated
from skitter.judge.evidence import EVIDENCE, evidence_in, has_date
from skitter.judge.sounding import soundings_of


@pytest.mark.parametrize(
    ("path", "first"),
    [
        ("day/2026/11/17", r"day/20[89]\d/11/17"),
        ("day/20261117", r"day/20[89]\d1117"),
        ("list?page=3&sort=price", r"list\?page=3\d{7}&sort=price"),
        ("article/12", r"article/12\d{7}"),
        ("p12.html", r"p12\d{7}\.html"),
        ("shop?color=red", r"shop\?color=[b-z]{9}"),
        ("docs/intro.html", r"docs/[b-z]{9}\.html"),
        ("s/s0123456789abcdef/5", r"s/s[0-9a-f]{16}/5"),
        ("", None),
    ],
)
def test_a_value_that_no_page_named(path: str, first: str | None) -> None:
    made = soundings_of(f"http://a.org/{path}", 0)
    assert (made == []) if first is None else re.fullmatch(f"http://a.org/{first}", made[0])


def test_a_number_is_no_year_where_others_are_none() -> None:
    assert re.fullmatch(r"http://a.org/article/2025\d{7}", soundings_of("http://a.org/article/2025", 0)[0])
    made = soundings_of("http://a.org/article/2025/3", 0, dated=False)
    assert not any("/20" in one and "/2025" not in one for one in made)
    assert is_dated(Corner("/article/0", SHAPE, pages=9, dated=5))
    assert not is_dated(Corner("/article/0", SHAPE, pages=9, dated=4))


def test_a_year_is_never_made_up_twice() -> None:
    assert all(soundings_of(f"http://a.org/{year}/1", 0)[0] != f"http://a.org/{year}/1" for year in range(2080, 2100))


@pytest.mark.parametrize("path", ["day/2026/11/17", "list?page=3&sort=price", "a/b/c", "p12.html"])
def test_soundings_stay_in_the_folder_and_differ(path: str) -> None:
    href = f"http://a.org/{path}"
    made = [*soundings_of(href, 0), *soundings_of(href, 1)]
    assert len({href, *made}) == len(made) + 1
    assert corners_of(soundings_of(href, 0)[0])[WIDE] == corners_of(href)[WIDE]
    if corners_of(href)[SHAPE]:
        assert corners_of(soundings_of(href, 0)[0])[SHAPE] == corners_of(href)[SHAPE]


def test_a_host_is_sounded_at_its_root() -> None:
    made = soundings_of("http://a.org/deep/in/it?x=1", 0, whole=True)
    assert [re.sub("[b-z]{9}", "x", one) for one in made] == ["http://a.org/x", "http://a.org/x/x"]


EXAMPLES = {
    "a date far ahead": "day/2031/1",
    "escapes that grow": "a%2520b",
    "pieces that come again": "a/b/a/b/a/b",
    "a deep path": "a/b/c/d/e/f/g/h/i",
    "many parameters": "list?a=1&b=2&c=3",
    "parameters that are lists": "list?f=red,blue",
    "a token": "s/0123456789abcdef",
    "great length": "x" * 301,
}


def test_each_row_of_the_evidence_has_its_example() -> None:
    assert EXAMPLES.keys() == EVIDENCE.keys()


@pytest.mark.parametrize("name", EXAMPLES)
def test_evidence(name: str) -> None:
    assert evidence_in(f"http://a.org/{EXAMPLES[name]}", 2026) == [name]


@pytest.mark.parametrize(
    "path", ["", "day/2027/11/17", "3.12/library/os.html", "viewtopic.php?f=2&t=34", "a/b/a/b", "book/3/3/3"]
)
def test_honest_urls_have_nothing_against_them(path: str) -> None:
    assert evidence_in(f"http://a.org/{path}", 2026) == []


def test_dates_are_seen() -> None:
    assert has_date("http://a.org/2026/11")
    assert not has_date("http://a.org/item/120261")
