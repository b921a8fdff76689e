"""The native kernel finds the declarations that the reference finds, and asks about the same labels in their order."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.parse import metas, prescan
from skitter.parse.metas import FAR, NEAR, Declared
from tests.parse.test_scanner import PAGE, PIECES

native = pytest.importorskip("skitter._native", reason="no Rust toolchain: the reference is in use")

CORPUS = Path(__file__).parents[1] / "fuzz" / "corpus" / "html"
CONTENT = b"<meta http-equiv=Content-Type content='text/html; Charset = \"koi8-r\"'>"
DECLARATIONS = [
    *b"< > </ <! <? / = ' \" ; - <!-- --> <meta meta charset ChArSet =utf-8 =koi8-r content http-equiv".split(),
    *b"<script </script> <SCRIPT> </Script <scripts> <title> </title <xmp_> <xmp- <iframe </IFRAME> <p </p".split(),
    *(b"<meta ", b"<META\t", b"<meta/", b" = ", b"http-equiv=content-type ", CONTENT, b"<meta charset=none>", b"\n"),
    *(b"<meta charset=latin1>", b"<meta charset=", b"\0", b"\xff", b" ", b"\f", b"<a b='", b'title="', b"x" * 100),
]
MARKUP = st.lists(st.sampled_from(DECLARATIONS), max_size=40).map(b"".join)
BEFORE = st.sampled_from([0, 0, 0, NEAR - 40, NEAR - 1, NEAR, 2000, FAR - 40]).map(b"x".__mul__)


def asked(declared: Declared, body: bytes) -> tuple[str | None, list[bytes]]:
    """What is declared, and which labels were looked up for it."""
    labels: list[bytes] = []

    def meant(label: bytes) -> str | None:
        labels.append(label.lower())
        return prescan.meant(label)

    return declared(body, meant), labels


def assert_same(body: bytes) -> None:
    assert asked(native.declared, body) == asked(metas.declared, body)


def test_the_native_kernel_is_in_use() -> None:
    assert prescan.declared is native.declared


@pytest.mark.slow
@given(BEFORE, MARKUP)
@settings(max_examples=300, deadline=None)
def test_pieces_of_declarations(before: bytes, markup: bytes) -> None:
    assert_same(before + markup)


@given(st.binary(max_size=100))
@settings(max_examples=100, deadline=None)
def test_any_bytes(body: bytes) -> None:
    assert_same(b"<meta " + body + b"charset=utf-8>")


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 200), st.integers(0, 5), st.sampled_from(DECLARATIONS + PIECES)), max_size=6))
@settings(max_examples=200, deadline=None)
def test_a_page_with_faults(faults: list[tuple[int, int, bytes]]) -> None:
    body = PAGE
    for at, size, piece in faults:
        body = body[:at] + piece + body[at + size :]
    assert_same(body)


@pytest.mark.parametrize(
    "body",
    [
        b"<!-x><meta charset=utf-8>-->",
        b"<!-- --!><meta charset=utf-8>",
        b"<meta http-equiv=content-type content='charset=koi8-r x'>",
        b"<meta http-equiv=content-type content='charset=koi8-r;x'>",
        b"<meta http-equiv=content-type content='charset=;koi8-r'>",
        b"<meta http-equiv=content-type content='charset charset\f=\tkoi8-r'>",
        b"<meta http-equiv=content-type content=\"charset='koi8-r' x\">",
        b"<meta http-equiv=content-type content=charset= charset=>",
    ],
)
def test_declarations(body: bytes) -> None:
    assert_same(body)


@pytest.mark.parametrize("length", range(len(CONTENT)))
def test_a_page_cut_short(length: int) -> None:
    assert_same(CONTENT[:length])
    assert_same(b"x" * (FAR - length) + CONTENT)
    assert_same(b"<script>".ljust(NEAR - length, b"x") + CONTENT)  # further on, scripts don't declare


@pytest.mark.parametrize("file", sorted(CORPUS.iterdir()), ids=lambda file: file.name)
def test_what_fuzzing_kept(file: Path) -> None:
    assert_same(file.read_bytes())


def test_nothing_is_asked_after_the_first_that_is_known() -> None:
    body = b"<meta charset=none><meta charset=UTF-8><meta charset=koi8-r>"
    assert asked(native.declared, body) == ("utf-8", [b"none", b"utf-8"])


def test_what_is_raised_by_the_answer_is_raised() -> None:
    def refuse(label: bytes) -> str | None:
        raise LookupError(label)

    with pytest.raises(LookupError, match="koi8-r"):
        native.declared(b"<meta charset=koi8-r>", refuse)
