"""Every record that we write is one that warcio, FastWARC and our reader accept, whatever the web sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from uuid import RFC_4122, UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.ports import Capture, Earlier
from skitter.store.warc.batch import Batch
from skitter.store.warc.reader import Reader, Record
from skitter.store.warc.records import new_ids, warcinfo

Judge = Callable[[Path], Counter[str]]


def written(path: Path, *captures: Capture) -> list[Record]:
    batch = Batch(path.name, 0, 4, {}.get)
    for capture in captures:
        batch.add(capture)
    path.write_bytes(batch.content)
    return list(Reader(path))


def test_one_fetch_is_request_response_and_metadata(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    seen = capture()
    request, response, metadata = written(tmp_path / "a", seen)
    assert [record.kind for record in (request, response, metadata)] == ["request", "response", "metadata"]
    assert request.block == seen.fetched.request_head
    assert response.block == seen.fetched.response_head + seen.fetched.payload
    response_id = response.fields["warc-record-id"]
    assert request.fields["warc-concurrent-to"] == metadata.fields["warc-concurrent-to"] == response_id
    for record in (request, response, metadata):
        assert record.fields["warc-date"] == "2026-11-15T20:45:51.123456Z"
        assert record.fields["warc-ip-address"] == "192.0.2.7"
        assert record.fields["warc-target-uri"] == "https://a.example/"


def test_every_record_has_an_id_of_its_own() -> None:
    ids = [record_id for _ in range(200) for record_id in new_ids()]
    assert len(set(ids)) == 800
    for record_id in ids:
        uuid = UUID(record_id.removeprefix("<urn:uuid:").removesuffix(">"))
        assert (uuid.version, uuid.variant) == (4, RFC_4122)
        assert record_id == f"<{uuid.urn}>"


def test_a_cut_answer_says_so(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    _, response, _ = written(tmp_path / "a", capture(fetched={"truncated": "length"}))
    assert response.fields["warc-truncated"] == "length"


def test_not_modified_refers_to_what_it_repeats(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    earlier = Earlier("https://a.example/", 1_794_000_000.5)
    _, revisit, _ = written(tmp_path / "a", capture(status=304, payload=b"", earlier=earlier))
    assert revisit.kind == "revisit"
    assert revisit.fields["warc-profile"].endswith("/server-not-modified")
    assert revisit.fields["warc-refers-to-target-uri"] == "https://a.example/"
    assert revisit.fields["warc-refers-to-date"] == "2026-11-06T21:20:00.500000Z"


def test_not_modified_of_nothing_known_is_a_response(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    assert written(tmp_path / "a", capture(status=304, payload=b""))[1].kind == "response"


@pytest.mark.parametrize(("sent", "kinds"), [(b"", ["metadata"]), (b"GET / HTTP/1.1\r\n\r\n", ["request", "metadata"])])
def test_a_request_without_an_answer_is_on_record(
    sent: bytes, kinds: list[str], tmp_path: Path, failure: Callable[..., Capture]
) -> None:
    records = written(tmp_path / "a", failure(sent=sent))
    assert [record.kind for record in records] == kinds
    assert records[-1].fields["warc-date"] == "2026-11-15T20:45:51.123456Z"
    assert b"failure: refused\r\n" in records[-1].block


def test_bytes_that_are_no_answer_are_no_response(tmp_path: Path, failure: Callable[..., Capture]) -> None:
    records = written(tmp_path / "a", failure(response_head=b"garbage", kind="bad_response"))
    assert [record.kind for record in records] == ["metadata"]


def test_no_page_can_add_a_field(tmp_path: Path, capture: Callable[..., Capture], judged: Judge) -> None:
    evil = "https://a.example/\r\nWARC-Type: response\r\n\r\n"
    written(tmp_path / "a", capture(evil, title=evil, lang=evil))
    assert judged(tmp_path / "a") == {"request": 1, "response": 1, "metadata": 1}


def test_warcinfo_says_who_and_how(tmp_path: Path, judged: Judge) -> None:
    batch = Batch("a", 0, 4, {}.get)
    batch.add_raw(warcinfo("a.warc.gz", {"software": "Skitter/1", "robots": "obey", "x": "two\nlines"}, 0))
    (tmp_path / "a").write_bytes(batch.content)
    assert judged(tmp_path / "a") == {"warcinfo": 1}
    (info,) = Reader(tmp_path / "a")
    assert info.fields["warc-filename"] == "a.warc.gz"
    assert info.block == b"software: Skitter/1\r\nrobots: obey\r\nx: two lines\r\nformat: WARC File Format 1.1\r\n"


LINE = st.one_of(
    st.sampled_from([b"A: b", b"Content-Type: text/html", b" folded", b"", b" ", b"\x1f", b"\xc2\xa0", b"no colon"]),
    st.binary(max_size=8).map(lambda line: line.replace(b"\n", b"")),
)
NEWLINE = st.sampled_from([b"\r\n", b"\r\n", b"\n"])


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(LINE, NEWLINE), max_size=5), NEWLINE, NEWLINE, st.binary(max_size=40))
def test_whatever_came_as_an_answer_is_a_valid_record(
    tmp_path_factory: pytest.TempPathFactory,
    capture: Callable[..., Capture],
    judged: Judge,
    lines: list[tuple[bytes, bytes]],
    newline: bytes,
    end: bytes,
    payload: bytes,
) -> None:
    head = b"HTTP/1.1 200 OK" + newline + b"".join(line + ending for line, ending in lines) + end
    path = tmp_path_factory.getbasetemp() / "odd.warc.gz"
    written(path, capture(payload=payload, fetched={"response_head": head}))
    assert judged(path)["response"] == 1
