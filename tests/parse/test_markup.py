"""Tags and text of XML as it is found."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.parse.markup import UNKNOWN, End, Leaf, Start, Text, attributes_of, resolve, tokens
from tests.growth.clock import dearer

Token = Start | End | Leaf | Text


def cut(text: str) -> Text:
    return Text(text, whole=False)


DOCUMENTS: dict[str, tuple[str, list[Token]]] = {
    "leaf": ("<a>b</a>", [Leaf("a", "b")]),
    "empty leaf": ("<a></a>", [Leaf("a", "")]),
    "nested": ("<a><b>c</b></a>", [Start("a", "", False), Leaf("b", "c"), End("a")]),
    "attributes": ("<a b='1'>c</a>", [Start("a", " b='1'", False), Text("c"), End("a")]),
    "closes itself": ("<a/><b c='/'/>", [Start("a", "/", True), Start("b", " c='/'/", True)]),
    "prefix": ("<x:a>b</x:a>", [Leaf("x:a", "b")]),
    "blank between tags": ("<a> \n <b>c</b>\n</a>\n", [Start("a", "", False), Leaf("b", "c"), End("a")]),
    "> in an attribute": ('<a b=">">c</a>', [Start("a", ' b=">"', False), Text("c"), End("a")]),
    "quote left open": ('<a b="1>\n<c>d</c>', [Start("a", ' b="1>\n', False), Leaf("c", "d")]),
    "tag left open": ("<a <c>d</c>", [Start("a", " ", False), Leaf("c", "d")]),
    "< in text": ("<a>1 < 2</a>", [Start("a", "", False), Text("1 < 2"), End("a")]),
    "CDATA": (
        "<a>1<![CDATA[&amp;<b>]]>2</a>",
        [Start("a", "", False), Text("1"), Text("&amp;<b>"), Text("2"), End("a")],
    ),
    "CDATA left open": ("<a><![CDATA[b", [Start("a", "", False), cut("b")]),
    "comment": ("<a>1<!-- <b> -- > -->2</a>", [Start("a", "", False), Text("1"), Text("2"), End("a")]),
    "comment left open": ("<a>1<!-- <b>2</b>", [Start("a", "", False), Text("1")]),
    "instruction": ("<?xml version='1.0'?><?b c?><a>1</a>", [Leaf("a", "1")]),
    "instruction closed as a tag": ("<?xml version='1.0'><a>1</a>", [Leaf("a", "1")]),
    "doctype": ("<!doctype html><a>1</a>", [Leaf("a", "1")]),
    "doctype that declares": (
        "<!DOCTYPE a [<!ENTITY x \"<loc>]&#62;</loc>\"><!-- ' --><!ENTITY y SYSTEM 'file:///z'>]><a>1</a>",
        [Leaf("a", "1")],
    ),
    "cut in text": ("<a>1", [Start("a", "", False), cut("1")]),
    "cut in an end tag": ("<a>1</a", [Start("a", "", False), Text("1"), End("a")]),
    "cut after <": ("<a>1<", [Start("a", "", False), Text("1")]),
    "cut after </": ("<a>1</", [Start("a", "", False), Text("1")]),
    "no markup": ("abc", [cut("abc")]),
    "nothing": ("", []),
}


@pytest.mark.parametrize(("source", "expected"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_tokens(source: str, expected: list[Token]) -> None:
    assert list(tokens(source)) == expected


REFERENCES = {
    "&amp;&lt;&gt;&quot;&apos;": "&<>\"'",
    "&#233;&#xE9;&#xe9;&#x1F600;": "ééé😀",
    "?a=1&b=2": "?a=1&b=2",
    "?a=1&amp=2": "?a=1&amp=2",
    "AT&T &": "AT&T &",
    "&amp;amp;": "&amp;",  # once, not again and again
    "a&xxe;b": f"a{UNKNOWN}b",
    "&nbsp;": UNKNOWN,
    "&AMP;": UNKNOWN,  # names are case-sensitive
    "&#0;": UNKNOWN,
    "&#xD800;": UNKNOWN,
    "&#x110000;": UNKNOWN,
    "&#99999999;": "&#99999999;",
}


@pytest.mark.parametrize(("text", "expected"), REFERENCES.items(), ids=REFERENCES)
def test_references(text: str, expected: str) -> None:
    assert resolve(text) == expected


ATTRIBUTES = {
    "both quotes": (""" a="1" b='2'/""", {"a": "1", "b": "2"}),
    "bare": (" a=1 b = 2", {"a": "1", "b": "2"}),
    "no blank between": (""" a="1"b='2'""", {"a": "1", "b": "2"}),
    "upper case": (' HREF="X"', {"href": "X"}),
    "twice": (' a="1" a="2"', {"a": "1"}),
    "quotes in quotes": (""" a="it's" b='"'""", {"a": "it's", "b": '"'}),
    "references": (' a="x&amp;y&z"', {"a": "x&y&z"}),
    "no value": (" a b=1", {"b": "1"}),
    "none": ("", {}),
}


@pytest.mark.parametrize(("source", "expected"), ATTRIBUTES.values(), ids=ATTRIBUTES)
def test_attributes(source: str, expected: dict[str, str]) -> None:
    assert attributes_of(Start("a", source, False)) == expected


@given(
    st.lists(st.sampled_from(["<", ">", "a", "/", "!", "[", "]", "-", '"', "'", "&", ";", " ", "<![CDATA[", "<!--"]))
)
def test_any_mixture_ends_and_adds_no_text(pieces: list[str]) -> None:
    source = "".join(pieces)
    found = [token.text for token in tokens(source) if isinstance(token, Leaf | Text)]
    assert sum(map(len, found)) <= len(source)


HOSTILE = [
    "<",
    "<a",
    "<a>",
    "</a>",
    "<a>b",
    "<![CDATA[",
    "<![CDATA[]]",
    "<!--",
    "<!---",
    "<!DOCTYPE [",
    "<!DOCTYPE[]",
    "<?",
]
HOSTILE += [
    "x",
    "x ",
    "x=",
    "<a b='",
    "<a '<a \"",
    '<a "<a" ',
    "&",
    "&#",
    "&a",
    "&#x1",
    "\n",
    "< ",
    "<!",
    "]",
    "<a =",
    "<aaaa>b</aaa>",
    "<!DOCTYPE '",
]


@pytest.mark.slow
@pytest.mark.parametrize("unit", HOSTILE, ids=repr)
def test_the_time_is_linear_in_the_length(unit: str) -> None:
    def work(source: str) -> None:
        for token in tokens(source):
            if isinstance(token, Start):
                attributes_of(token)

    small, large = (partial(work, "<a><b " + unit * (length // len(unit))) for length in (20_000, 200_000))
    assert dearer(small, large, 12, grace=0.05) <= 12
