"""HTML is safe by how it is made, and pictures say in words what they show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skitter.api.dashboard import html
from skitter.api.dashboard.chart import Line, bar, chart, heat, spark, thinned
from skitter.api.dashboard.html import Html, joined, tag
from skitter.api.dashboard.pages.done import safe_way
from skitter.api.dashboard.pages.url import difference

HOSTILE = "\"'><script>alert(1)</script>&"


def test_text_is_escaped_wherever_it_stands() -> None:
    made = tag("p", HOSTILE, [HOSTILE, tag("b", HOSTILE)], title=HOSTILE)
    assert "<script" not in made
    assert made.count("&lt;script&gt;") == 4


def test_what_is_none_is_left_out_and_names_are_as_html_has_them() -> None:
    assert (
        tag("input", class_="a", for_="b", data_live=True, hidden=False, title=None)
        == '<input class="a" for="b" data-live>'
    )
    assert joined(None, 1, "a", [None, "b"]) == "1ab"


def test_only_one_file_makes_markup_of_text() -> None:
    folder = Path(html.__file__).parent
    for file in folder.rglob("*.py"):
        if file.name != "html.py":
            assert not re.search(r"\bHtml\(", file.read_text(encoding="utf-8")), f"{file} must use `tag`"


def test_a_chart_tells_in_words_and_numbers_what_it_shows() -> None:
    made = chart(
        "Speed", [0.0, 5.0, 10.0], [Line("pages", [1.0, None, 3.0]), Line("<b>", [0.0, 1.0, 2.0])], unit="a second"
    )
    assert 'aria-label="Speed, a second. pages: last 3, from 1 to 3; &lt;b&gt;: last 2, from 0 to 2."' in made
    assert "<b>&" not in made
    assert made.count("<tr>") == 4  # a header and three moments


def test_a_chart_of_nothing_says_so() -> None:
    assert "No numbers yet" in chart("Speed", [], [Line("pages", [])])
    assert spark("Speed", [None, 1.0]) is None
    assert "No errors" in heat("Errors", [1.0, 2.0], [Line("gone", [0.0, None])])


def test_a_chart_has_no_more_points_than_can_be_told_apart() -> None:
    at, (line,) = thinned(range(1000), [Line("a", [float(number) for number in range(1000)])], 100)
    assert len(at) == len(line.values) == 100
    assert line.values[0] == pytest.approx(4.5)  # the mean: a peak is not lost by where it falls


def test_a_line_that_stands_on_another_reaches_their_sum() -> None:
    made = chart("Queue", [0.0, 1.0], [Line("a", [1.0, 1.0]), Line("b", [2.0, 3.0])], is_stacked=True)
    assert "0,25.0 1000,0.0" in made  # a on b: 3 and 4 of 4
    assert "0,50.0 1000,25.0" in made


def test_a_bar_is_never_wider_than_its_place() -> None:
    assert 'width="100.0%"' in bar(7.0)
    assert 'width="0.0%"' in bar(-1.0)


def test_a_difference_shows_what_went_and_what_came() -> None:
    made = difference("same\nold <b>\nend", "same\nnew\nend")
    assert "<del>- old &lt;b&gt;\n</del><ins>+ new\n</ins>" in made
    assert "the same" in difference("a", "a")


@pytest.mark.parametrize(
    "text", ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", ""]
)
def test_a_form_leads_back_to_pages_of_ours_only(text: str) -> None:
    assert safe_way(text) == "/"
    assert isinstance(tag("a"), Html)
