"""The digests of an answer: what each is of, and when a payload may stand for another."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.messages import Failure, Kind
from skitter.ports import Capture
from skitter.store.warc.payload import WHOLE_IN_SPITE_OF, digests_of, unchunked

TEXT = b"<p>" + b"the same words " * 20 + b"</p>"
CHUNKED = (("Transfer-Encoding", "chunked"),)
PACKED = (("Content-Encoding", "gzip"),)


def chunks(*parts: bytes) -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (*parts, b""))


def hexed(content: bytes) -> str:
    return f"sha256:{sha256(content).hexdigest()}"


def test_payload_as_stored_and_content_as_read(capture: Callable[..., Capture]) -> None:
    packed = gzip.compress(TEXT)
    payload = chunks(packed[:9], packed[9:])
    digests = digests_of(capture(payload=payload, body=TEXT, headers=CHUNKED + PACKED).fetched)
    assert digests.payload == hexed(payload)
    assert digests.content == hexed(TEXT)


SAME = {
    "equal bytes": ((TEXT, ()), (TEXT, ()), True),
    "chunked differently": ((chunks(TEXT), CHUNKED), (chunks(TEXT[:7], TEXT[7:]), CHUNKED), True),
    "header in another case": ((TEXT, PACKED), (TEXT, (("content-encoding", "GZIP"),)), True),
    "other bytes": ((TEXT, ()), (TEXT + b"!", ()), False),
    # A revisit has its own head before the earlier payload: replay would take one for the other.
    "chunked and not": ((chunks(TEXT), CHUNKED), (TEXT, ()), False),
    "packed and not": ((TEXT, PACKED), (TEXT, ()), False),
}


@pytest.mark.parametrize(("one", "other", "same"), SAME.values(), ids=SAME)
def test_which_payloads_are_one(
    one: tuple[bytes, tuple], other: tuple[bytes, tuple], same: bool, capture: Callable[..., Capture]
) -> None:
    keys = [digests_of(capture(payload=p, headers=h, body=TEXT).fetched).key for p, h in (one, other)]
    assert None not in keys
    assert (keys[0] == keys[1]) is same


@pytest.mark.parametrize("kind", Kind)
def test_only_a_whole_payload_stands_for_another(kind: Kind, capture: Callable[..., Capture]) -> None:
    failed = capture(fetched={"failure": Failure(kind)}).fetched
    assert (digests_of(failed).key is not None) is (kind in WHOLE_IN_SPITE_OF)


@pytest.mark.parametrize("more", [{"truncated": "length"}, {"payload": b"", "body": b""}], ids=["cut", "empty"])
def test_cut_and_empty_payloads_have_no_key(more: dict, capture: Callable[..., Capture]) -> None:
    assert digests_of(capture(fetched=more).fetched).key is None


@settings(max_examples=50, deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=40), max_size=6))
def test_chunks_come_apart_and_together(parts: list[bytes]) -> None:
    assert unchunked(chunks(*parts)) == b"".join(parts)


BROKEN = {
    "no size": b"\r\nhello",
    "not hex": b"zz\r\nhello\r\n0\r\n\r\n",
    "sign": b"+5\r\nhello\r\n0\r\n\r\n",
    "too short": b"9\r\nhello\r\n0\r\n\r\n",
    "too long": b"3\r\nhello\r\n0\r\n\r\n",
    "no last chunk": b"5\r\nhello\r\n",
    "huge size": b"f" * 400 + b"\r\nhello",
}


@pytest.mark.parametrize("payload", BROKEN.values(), ids=BROKEN)
def test_broken_framing_is_left_as_it_is(payload: bytes, capture: Callable[..., Capture]) -> None:
    assert unchunked(payload) is None
    assert digests_of(capture(payload=payload, headers=CHUNKED, body=b"hello").fetched).payload == hexed(payload)


def test_extensions_and_trailers_are_framing() -> None:
    assert unchunked(b'5 ;name="x"\r\nhello\r\n0\r\nExpires: never\r\n\r\n') == b"hello"
