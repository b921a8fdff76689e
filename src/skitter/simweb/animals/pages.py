"""Animals whose pages are well sent, and hard to read."""

from __future__ import annotations

from functools import cache

from skitter.simweb.animals.acts import MIB, Animal, answer, made, page, saying

CHARSETS = (
    *("utf-8", "ibm866", *(f"iso-8859-{number}" for number in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16))),
    *("iso-8859-8-i", "koi8-r", "koi8-u", "macintosh", "windows-874", *(f"windows-125{last}" for last in range(9))),
    *("x-mac-cyrillic", "gbk", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr"),
    *("utf-16be", "utf-16le", "x-user-defined", "utf-7", "hz-gb-2312", "iso-2022-kr", "no-such-charset"),
)
"""Those of the Encoding standard, three that it wants unread, and one that nobody knows."""

EVERY_BYTE = bytes(range(256))
_BROKEN_UTF8 = b"\xc0\xaf \xe0\x80\x80 \xed\xa0\x80 \xf4\x90\x80\x80 \xff\xfe \xe2\x82"


def _charset(path: str) -> bytes:
    """Returns every byte there is, in text, title and link, under the charset that the path names."""
    charset = path.removeprefix("/c/")
    if charset == path:
        links = "".join(f'<a href="/c/{charset}">{charset}</a>' for charset in CHARSETS)
        return page(f"<title>Charsets</title>{links}".encode())
    odd = EVERY_BYTE[0x80:]
    body = b"<title>" + odd + b"</title><p>" + EVERY_BYTE + b'</p><a href="/found?q=' + odd[:8] + b'">on</a>'
    return answer(b"200 OK", body, f"Content-Type: text/html; charset={charset}".encode())


@cache
def _links(count: int) -> bytes:
    return b"<body>" + b"".join(b'<a href="/l/%d">l</a>' % number for number in range(count))


@cache
def _many_attributes() -> bytes:
    return b"<a " + b"".join(b"a%d=1 " % number for number in range(500_000)) + b"href=/x>x</a>"


def _nested(open_tag: bytes) -> bytes:
    """Returns ten megabytes of tags in tags."""
    return page(open_tag * (10 * MIB // len(open_tag)))


PAGES: dict[str, Animal] = {
    "million-links": made(lambda _: page(_links(1_000_000))),
    "nested-tags": made(lambda _: _nested(b"<div>")),
    "nested-tables": made(lambda _: _nested(b"<table><tr><td>")),
    "open-tag": made(lambda _: page(b"<a href='" + b"x" * (9 * MIB))),
    "open-comment": made(lambda _: page(b"<!--" + b"<a href=/x>" * (MIB // 2))),
    "many-attributes": made(lambda _: page(_many_attributes())),
    "many-references": made(lambda _: page(b"<p>" + b"&amp" * (2 * MIB))),
    "long-title": made(lambda _: page(b"<title>" + b"t" * (9 * MIB) + b"</title>")),
    "only-brackets": made(lambda _: page(b"<" * (9 * MIB))),
    "only-nuls": made(lambda _: page(bytes(9 * MIB))),
    "bad-utf8": saying(page(b"<meta charset=utf-8><title>" + _BROKEN_UTF8 + b"</title>" + _BROKEN_UTF8)),
    "charsets": made(_charset),
    "type-odd": saying(answer(b"200 OK", b"<p>ok", b"Content-Type: \0\xff/;;charset=;")),
    "type-binary": saying(answer(b"200 OK", EVERY_BYTE, b"Content-Type: image/png")),
}
