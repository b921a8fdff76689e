from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from skitter.metrics.text import Metric, Sample, histogram, rendered
from tests.metrics.scraped import Page


def read_back(*metrics: Metric) -> Page:
    return Page(rendered(metrics).decode())


def test_the_format_to_the_letter() -> None:
    metrics = [
        Metric("a_total", "counter", "Counts.", [Sample({"x": "1", "y": "two"}, 3), Sample({"x": "2", "y": ""}, 0.5)]),
        Metric("b", "gauge", "Back\\slash and\nnew line.", [Sample({}, 7)]),
    ]
    assert rendered(metrics).decode() == (
        "# HELP a_total Counts.\n"
        "# TYPE a_total counter\n"
        'a_total{x="1",y="two"} 3\n'
        'a_total{x="2",y=""} 0.5\n'
        "# HELP b Back\\\\slash and\\nnew line.\n"
        "# TYPE b gauge\n"
        "b 7\n"
    )


@pytest.mark.parametrize(
    "value",
    [
        'say "hi"',
        "back\\slash",
        "ends in \\",
        "two\nlines",
        '\\"',
        "\\n",
        "{a=b}",
        "a,b",
        "xn--bcher-kva.example:8080",
        "bücher",
        "#",
        " ",
    ],
)
def test_labels_with_odd_characters_come_back(value: str) -> None:
    page = read_back(Metric("a", "gauge", "A.", [Sample({"x": value, "y": "z"}, 1)]))
    assert page.numbers == {("a", frozenset({("x", value), ("y", "z")})): 1}


# The other parser splits lines as Python does, at more signs than the format knows; those it can't be asked about.
texts = st.text(st.characters(codec="utf-8", exclude_characters="\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"))


@settings(max_examples=200, deadline=None)
@given(texts, st.floats(allow_nan=False) | st.integers(-(2**53), 2**53))
def test_any_label_and_number_comes_back(text: str, value: float) -> None:
    page = read_back(Metric("a", "gauge", "A.", [Sample({"x": text}, value)]))
    assert page.numbers == {("a", frozenset({("x", text)})): value}


def test_a_label_that_is_no_text_at_all_does_not_stop_the_page() -> None:
    assert b'a{x="?"} 1\n' in rendered([Metric("a", "gauge", "A.", [Sample({"x": "\udc80"}, 1)])])


def test_a_histogram_counts_upwards_to_infinity() -> None:
    samples = histogram((0.5, 1, 10), {0: 2, 2: 3, 3: 4}, 99.5)
    families = list(text_string_to_metric_families(rendered([Metric("h", "histogram", "H.", samples)]).decode()))
    assert [(s.name, s.labels.get("le"), s.value) for s in families[0].samples] == [
        ("h_bucket", "0.5", 2),
        ("h_bucket", "1", 2),
        ("h_bucket", "10", 5),
        ("h_bucket", "+Inf", 9),
        ("h_sum", None, 99.5),
        ("h_count", None, 9),
    ]
    assert families[0].type == "histogram"
