"""Prescan: what markup declares about its own encoding."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from webencodings.labels import LABELS

from skitter.parse import metas, prescan
from skitter.parse.metas import Declared
from tests.growth.clock import cheapest

META = b'<meta charset="iso-8859-2">'
PRAGMA = b'<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">'


@pytest.mark.parametrize(
    "body",
    [
        META,
        b"<meta charset=iso8859-2>",
        b"<META CHARSET='ISO8859-2'/>",
        b"<meta\ncharset = 'iso8859-2' >",
        b"<meta/charset=iso8859-2>",
        PRAGMA,
        b"<meta content='text/html; charset=iso8859-2' http-equiv=content-type>",
        b"<meta content='charset charset = \"iso8859-2\"' http-equiv=content-type>",
        b"<meta charset=iso8859-2 charset=utf-8>",
        b"<meta charset=iso8859-2 http-equiv=content-type content='text/html; charset=utf-8'>",
        b"<meta http-equiv=content-type content='text/html; charset=utf-8' charset=iso8859-2>",
        b"<meta <meta charset=iso8859-2>",
        b"<!-- <meta charset=utf-8> -->" + META,
        b"<!-->" + META,
        b"<p title='<meta charset=utf-8>'>" + META,
        b"<meta charset=none>" + META,
        b"<meta name=x content='text/html; charset=utf-8'>" + META,
        b"<style><meta charset=iso8859-2></style>",
        b"< meta x='" + META,
        b"<? x ?></ x><! x>" + META,
        b"<html \xc3\xb1>" + META,
        b"x" * (metas.NEAR - len(META)) + META,
        b"x" * 60_000 + META,
        b"x" * (metas.FAR - len(META)) + META,
        b"x" * 2000 + b"<title><meta charset=utf-8></title>" + META,
    ],
)
def test_found(body: bytes, by_meta: Declared) -> None:
    assert prescan.encoding(body, by_meta) == "iso-8859-2"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<",
        b"<meta",
        b"<metacharset=iso8859-2>",
        b"<meta charset",
        b"<meta charset=",
        b'<meta charset="iso8859-2',
        b"<meta charset=iso8859-2",
        b"<meta charset=none>",
        b"<meta charset=none http-equiv=content-type content='text/html; charset=utf-8'>",
        b"<meta content='text/html; charset=iso8859-2'>",
        b"<meta http-equiv='Content-Type ' content='text/html; charset=iso8859-2'>",
        b"<meta http-equiv=content-type content='text/html; charset=\"iso8859-2'>",
        b"<meta http-equiv=content-type content='text/html; charset'>",
        b"<!--" + META,
        b"<p title='" + META,
        b"<?" + META[1:-1],
        b"x" * metas.FAR + META,
        b"x" * 2000 + b"<script>" + META + b"</script>",
        b"x" * 2000 + b"<!--" + META + b"-->",
        b"<?xml version='1.0'?>",
        b"<?xml encoding='koi8-r'",
        b" <?xml encoding='koi8-r'?>",
        b"<?xml encoding='koi8 r'?>",
        b"<?xml?> encoding='koi8-r'",
    ],
)
def test_not_found(body: bytes, by_meta: Declared) -> None:
    assert prescan.encoding(body, by_meta) is None


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (b"<meta charset=utf-16>", "utf-8"),
        (b"<meta charset=utf-16be>", "utf-8"),
        (b"<meta charset=x-user-defined>", "windows-1252"),
        (b"<meta charset=latin1>", "windows-1252"),
        (b"<meta charset=iso-2022-kr>", "replacement"),
        (b"<?xml version='1.0' encoding = \"koi8-r\" ?>", "koi8-r"),
        (b"<?xml encoding='utf-16'?>", "utf-8"),
        ("<?xml".encode("utf-16le"), "utf-16le"),
        ("<?xml".encode("utf-16be"), "utf-16be"),
        (b"<script>'<meta charset=koi8-r>'</script>" + b"x" * 2000 + META, "koi8-r"),
        (b"x" * 2000 + b"<script>'<meta charset=koi8-r>'</script>" + META, "iso-8859-2"),
    ],
)
def test_meaning(body: bytes, encoding: str, by_meta: Declared) -> None:
    assert prescan.encoding(body, by_meta) == encoding


PIECES = b"< > meta . charset = utf-8 \" ' <!-- --> / content http-equiv=content-type <?xml encoding <script> \0 \xff"
MARKUP = st.lists(st.sampled_from(PIECES.split()), max_size=40).map(lambda parts: b"".join(parts).replace(b".", b" "))


@given(MARKUP)
@settings(max_examples=200)
def test_never_raises(by_meta: Declared, body: bytes) -> None:
    assert prescan.encoding(body, by_meta) in (None, "utf-8")


@pytest.mark.parametrize("piece", [b"<", b"<script>", b"<!--", b"<meta ", b"<a b='", b"<meta charset=x>", b"<?xml"])
def test_time_is_bounded(piece: bytes, by_meta: Declared) -> None:
    body = piece * (10_000_000 // len(piece))
    assert cheapest(lambda: prescan.encoding(body, by_meta), 1) < 1


def test_every_label_is_known_with_spaces_around_it() -> None:
    for label, name in LABELS.items():
        assert prescan.named(f"\t{label.upper()}{' ' * 100}") == name
        assert prescan.named(f"{label}x") is None


def test_what_pages_invent_is_not_remembered_at_length() -> None:
    before = prescan._looked_up.cache_info().currsize
    for number in range(3):
        assert prescan.named(f"{number}" * 10_000) is None
    assert prescan._looked_up.cache_info().currsize == before
