"""The records of a shard's log."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.shard.log import codec
from skitter.shard.log.codec import LogRecord, Release, Take, Unreadable, Written

ID = bytes(range(16))
IDS = st.binary(min_size=16, max_size=16)
CHANGES = st.dictionaries(st.binary(max_size=20), st.none() | st.binary(max_size=20), max_size=5)
RECORDS: st.SearchStrategy[LogRecord] = st.one_of(
    st.builds(Take, IDS, st.text(max_size=9)),
    st.builds(Release, IDS),
    st.builds(Written, IDS, CHANGES, st.none() | st.integers(0, 2**62)),
)


@given(RECORDS)
def test_a_record_is_read_as_it_was_written(record: LogRecord) -> None:
    assert codec.decode(codec.encode(record)) == record


def test_changes_keep_their_order() -> None:
    changes = {b"b": b"1", b"a": None, b"c": b""}
    read = codec.decode(codec.encode(Written(ID, changes)))
    assert isinstance(read, Written)
    assert list(read.changes.items()) == list(changes.items())


REFUSED = {
    "nothing": (b"", "empty"),
    "another version": (b"\x02" + codec.encode(Release(ID))[1:], "version 2"),
    "no record": (b"\x01\xc1", "no record"),
    "a kind that is not known": (b"\x01" + msgspec.msgpack.encode(["steal", ID]), "no record"),
    "a short id": (b"\x01" + msgspec.msgpack.encode(["take", ID[:15]]), "15 bytes"),
    "links before the first": (codec.encode(Written(ID, {}, -1)), "-1 of the links"),
    "half a record": (codec.encode(Written(ID, {b"a": b"1"}))[:-1], "no record"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_record_is_refused_in_words(case: str) -> None:
    raw, words = REFUSED[case]
    refused = codec.decode(raw)
    assert isinstance(refused, Unreadable)
    assert words in refused.why
