"""Bodies of sitemaps, packed and in all encodings."""

from __future__ import annotations

import gzip
import tracemalloc

import pytest
import webencodings.labels
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.parse.unpack import gunzip, unpack

MB = 1024**2
TEXT = "<a>é€</a>"

ENCODED = {
    "utf-8": (TEXT.encode(), None, TEXT),
    "utf-8 with a mark": (b"\xef\xbb\xbf" + TEXT.encode(), None, TEXT),
    "utf-8, then cut in a character": (TEXT.encode()[:4], None, "<a>"),
    "utf-16 with a mark": (TEXT.encode("utf-16"), None, TEXT),
    "utf-16-le without": (TEXT.encode("utf-16-le"), None, TEXT),
    "utf-16-be without": (TEXT.encode("utf-16-be"), None, TEXT),
    "utf-16-be with a mark": (b"\xfe\xff" + TEXT.encode("utf-16-be"), None, TEXT),
    "utf-32 with a mark": (TEXT.encode("utf-32"), None, TEXT),
    "declared Latin-1 but UTF-8": (
        b'<?xml version="1.0" encoding="iso-8859-1"?>' + TEXT.encode(),
        "text/xml; charset=latin1",
        '<?xml version="1.0" encoding="iso-8859-1"?>' + TEXT,
    ),
    "declared UTF-8 but Latin-1": (b'<?xml encoding="UTF-8"?>\xe9!', None, '<?xml encoding="UTF-8"?>é!'),
    "declared UTF-16 but Latin-1": (b'<?xml encoding="UTF-16"?>\xe9!', None, '<?xml encoding="UTF-16"?>é!'),
    "as declared": (b"<?xml encoding='koi8-r'?>\xc1", None, "<?xml encoding='koi8-r'?>а"),
    "the document before the header": (
        b"<?xml encoding='koi8-r'?>\xc1",
        "text/xml; charset=iso-8859-2",
        "<?xml encoding='koi8-r'?>а",
    ),
    "the header": (b"<a>\xb1\xe9", 'text/xml; charset="ISO-8859-2"', "<a>ąé"),
    "neither": (b"<a>\xe9!\x80", None, "<a>é!€"),
    "unknown names": (b"<?xml encoding='klingon'?>\xe9!", "text/xml; charset=elvish", "<?xml encoding='klingon'?>é!"),
    "blank lines, marks and NULs": (b"\xef\xbb\xbf\n \t\r\n\xef\xbb\xbf<\x00a>", None, "<a>"),
    "empty": (b"", None, ""),
}


@pytest.mark.parametrize(("body", "content_type", "expected"), ENCODED.values(), ids=ENCODED)
def test_the_encoding_is_found(body: bytes, content_type: str | None, expected: str) -> None:
    assert unpack(body, content_type, MB) == (expected, False)


@pytest.mark.parametrize("label", sorted(webencodings.labels.LABELS))
def test_every_label_of_the_standard_can_be_named(label: str) -> None:
    text, _ = unpack(b"<a>\xe9\xff\x81", f"text/xml; charset={label}", MB)
    assert text.startswith("<a>")


PACKED = {
    "once": (gzip.compress(b"abc"), "abc"),
    "twice": (gzip.compress(gzip.compress(b"abc")), "abc"),
    "members": (gzip.compress(b"ab") + gzip.compress(b"c"), "abc"),
    "rubbish behind": (gzip.compress(b"abc") + b"\x00\x00rubbish", "abc"),
    "cut off": (gzip.compress(bytes(range(32, 127)) * 9)[:-8], bytes(range(32, 127)).decode() * 9),
    "nothing but the magic": (b"\x1f\x8b", ""),
    "broken head": (b"\x1f\x8b\xff\xff\xff", ""),
    "empty": (gzip.compress(b""), ""),
}


@pytest.mark.parametrize(("body", "expected"), PACKED.values(), ids=PACKED)
def test_gzip_is_known_by_its_magic(body: bytes, expected: str) -> None:
    assert unpack(body, "text/xml", MB) == (expected.lstrip(), False)


def test_what_comes_before_a_break_is_kept() -> None:
    content = b"".join(b"%d\n" % number for number in range(200_000))
    packed = bytearray(gzip.compress(content))
    packed[-40_000] ^= 0xFF
    unpacked = gunzip(bytes(packed), 10 * MB)
    assert len(unpacked) > len(content) // 2
    assert content.startswith(unpacked[: len(content) // 2])


@pytest.mark.parametrize(("size", "cut"), [(1023, False), (1024, False), (1025, True)])
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_more_than_the_limit_is_cut(pack: type[bytes], size: int, cut: bool) -> None:
    assert unpack(pack(b"a" * size), None, 1024) == ("a" * min(size, 1024), cut)


@pytest.mark.slow
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_a_bomb_costs_no_more_than_the_limit(layers: int) -> None:
    bomb = b"a" * (64 * MB)
    for _ in range(layers):
        bomb = gzip.compress(bomb, 9)
    tracemalloc.start()
    try:
        text, cut = unpack(bomb, None, MB)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (len(text), cut) == (MB, True)
    assert peak < 8 * MB


def test_a_file_of_empty_members_comes_to_an_end() -> None:
    assert gunzip(gzip.compress(b"") * 100_000 + gzip.compress(b"a"), MB) == b""


@given(st.binary(), st.sampled_from([b"", b"\x1f\x8b\x08", b"\xff\xfe", b"<?xml encoding='"]), st.text())
@settings(max_examples=200)
def test_no_bytes_raise(body: bytes, head: bytes, content_type: str) -> None:
    text, _ = unpack(head + body, content_type, 1024)
    assert "\x00" not in text
