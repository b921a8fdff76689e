"""Charset: the order of what is believed, labels as the Encoding standard knows them, and text that never fails."""

from __future__ import annotations

import pytest
import webencodings.labels
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.parse import charset

NAMES = sorted(set(webencodings.labels.LABELS.values()))
UTF8_META = b'<meta charset="utf-8">'
LATIN2_META = b'<meta charset="iso-8859-2">'


@pytest.mark.parametrize(
    ("content_type", "encoding"),
    [
        (None, None),
        ("", None),
        ("something else", None),
        ("text/html", None),
        ("text/html;charset=utf-8", "utf-8"),
        ("text/html; Charset=UTF-8", "utf-8"),
        ('text/html; charset="utf-8"', "utf-8"),
        ('text/html; charset="utf-8" ; foo=bar', "utf-8"),
        ("foo=bar; charset=utf-8", "utf-8"),
        ("text/html; charset=latin1", "windows-1252"),
        ("text/html; charset=utf-16", "utf-16le"),
        ("text/html; charset=utf-8, text/html", "utf-8"),
        ("text/html; charset=utf-8, text/plain; charset=koi8-r", "utf-8"),
        ('text/html; foo="; charset=koi8-r"; charset=utf-8', "utf-8"),
        ('text/html; charset=""; charset=utf-8', "utf-8"),
        ("text/html; charset=none; charset=utf-8", "utf-8"),
        ("charset=utf-8", None),
        ("text/html; charset = utf-8", None),
        ("text/html; charset= utf-8", None),
        ("text/html; charset='utf-8'", None),
        ('text/html; charset="utf-8', None),
        ('text/html; charset=utf-8"', None),
        ('text/html; charset="utf-8"x', None),
        ("text/html; xcharset=utf-8", None),
        ('text/html; foo="; charset=utf-8', None),
        ("text/html; charset=utf-7", None),
        ("text/html; charset=\ud800", None),
        ("text/html; charset=ütf-8", None),
        ("text/html; foo=" + 300 * "a" + "; charset=koi8-r", "koi8-r"),
    ],
)
def test_header(content_type: str | None, encoding: str | None) -> None:
    assert charset.declared(b"<p>x", content_type) == encoding


@pytest.mark.parametrize(
    ("body", "content_type", "encoding"),
    [
        pytest.param(b"\xef\xbb\xbf" + LATIN2_META, "text/html; charset=koi8-r", "utf-8", id="mark before header"),
        pytest.param(b"\xfe\xff\0x", "text/html; charset=koi8-r", "utf-16be", id="big-endian mark"),
        pytest.param(b"\xff\xfex\0", None, "utf-16le", id="little-endian mark"),
        pytest.param(UTF8_META, "text/html; charset=koi8-r", "koi8-r", id="header before meta"),
        pytest.param(LATIN2_META, "text/html; charset=none", "iso-8859-2", id="meta if the header is wrong"),
        pytest.param(b'<?xml version="1.0" encoding="koi8-r"?>' + UTF8_META, None, "utf-8", id="meta before XML"),
        pytest.param(b'<?xml version="1.0" encoding="koi8-r"?>', None, "koi8-r", id="XML"),
        pytest.param(b"no mark, no header, no meta", None, None, id="nothing"),
    ],
)
def test_order(body: bytes, content_type: str | None, encoding: str | None) -> None:
    assert charset.declared(body, content_type) == encoding


@pytest.mark.parametrize(
    ("body", "content_type", "text", "encoding"),
    [
        (b"", None, "", "utf-8"),
        ("Zoë".encode(), None, "Zoë", "utf-8"),
        (b"\xef\xbb\xbfx\xe3\xaby", None, "x\ufffdy", "utf-8"),
        ("wörld".encode() + b"\xc3", None, "wörld\ufffd", "utf-8"),
        (b"\xff\xfe\x34\x6c", None, "水", "utf-16le"),
        (b"\xfe\xff\x6c\x34", None, "水", "utf-16be"),
        (b"\x80\x81\xa3", "text/html; charset=iso-8859-1", "€\x81£", "windows-1252"),
        (b"\xaa", "text/html; charset=windows-1253", "\ufffd", "windows-1253"),
        (b"\xae\xbe", "text/html; charset=koi8-u", "ўЎ", "koi8-u"),
        (b"\xa8D", "text/html; charset=gb2312", "―", "gbk"),
        (b"\x81\x30\x84\x36", "text/html; charset=gbk", "¥", "gbk"),
        (b"\x87\x40", "text/html; charset=shift_jis", "①", "shift_jis"),
        (b"\x81\x41", "text/html; charset=euc-kr", "갂", "euc-kr"),
        (b"\x88\x62", "text/html; charset=big5", "Ê̄", "big5"),
        (b"\xf9", "text/html; charset=iso-8859-8-i", "ש", "iso-8859-8-i"),
        (b"\x80", "text/html; charset=x-user-defined", "\uf780", "x-user-defined"),
        (b"<script>", "text/html; charset=iso-2022-kr", "\ufffd", "replacement"),
        (b"\x81<a>", "text/html; charset=gbk", "\ufffd<a>", "gbk"),
    ],
)
def test_decode(body: bytes, content_type: str | None, text: str, encoding: str) -> None:
    assert charset.decode(body, content_type) == (text, encoding)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Съешь же ещё этих мягких французских булок да выпей чаю. " * 5, "windows-1251"),
        ("いろはにほへと ちりぬるを わかよたれそ つねならむ " * 5, "shift_jis"),
        ("中文网页的编码检测应当可靠而且快速。" * 5, "gb18030"),
    ],
)
def test_guess(text: str, encoding: str) -> None:
    # The first non-ASCII character is far away: the sample has to be taken where there is something to see.
    body = b"<p>" * 100_000 + text.encode(encoding)
    assert charset.decode(body, None) == ("<p>" * 100_000 + text, encoding)


def test_utf8_is_passed_through() -> None:
    body = b"<p>ok \xff"
    assert charset.to_utf8(body, "text/html; charset=utf-8")[0] is body
    assert charset.to_utf8(b"\xef\xbb\xbf" + body, None) == (body, "utf-8")
    assert charset.to_utf8(b"\xa3", "text/html; charset=latin1") == ("£".encode(), "windows-1252")


@given(st.binary(max_size=200), st.sampled_from(NAMES))
@settings(max_examples=200)
def test_any_bytes_in_any_encoding(body: bytes, name: str) -> None:
    text, _ = charset.decode(body, f"text/html; charset={name}")
    utf8, _ = charset.to_utf8(body, f"text/html; charset={name}")
    assert utf8.decode("utf-8", "replace") == text


@given(st.binary(max_size=300), st.none() | st.text(max_size=60))
@settings(max_examples=200)
def test_never_raises(body: bytes, content_type: str | None) -> None:
    name = charset.find(body, content_type)
    assert name in NAMES
    assert charset.declared(body, content_type) in (None, name)


@pytest.mark.parametrize("name", NAMES)
def test_every_encoding_can_be_read_and_written(name: str) -> None:
    assert charset.decode(b"abc", f"text/html; charset={name}")[1] == name
    if name not in ("replacement", "x-user-defined"):
        assert isinstance("abc".encode(charset.codec(name)), bytes)
