"""What the writer tells of a capture is what can be read again from the file."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from skitter.messages import Link, LinkKind, Reason, Verdict
from skitter.ports import Capture
from skitter.store.index.entries import Entry, entries_of
from skitter.store.index.facts import Facts
from skitter.store.warc.batch import Batch
from skitter.store.warc.reader import Reader

HEADS = st.one_of(
    st.binary(max_size=60),
    st.builds(
        lambda status, line, end: b"HTTP/1.1 %d x\r\n%b\r\n%b" % (status, line, end),
        st.integers(100, 999),
        st.sampled_from([b"Content-Type: a/b", b"content-type:;", b"\x1f", b" ", b"X: \xff\x00"]),
        st.sampled_from([b"\r\n", b"\n", b""]),
    ),
)
SENT = st.tuples(HEADS, st.binary(max_size=30), st.text(max_size=9), st.integers(0, 999), st.booleans())


def plain(entry: Entry) -> Entry:
    """Returns the entry with lists where a sequence may be either."""
    facts = entry.facts
    links = [tuple(link) for link in facts.links]
    return structs.replace(
        entry, facts=structs.replace(facts, links=links, reasons=list(facts.reasons), chain=list(facts.chain))
    )


@settings(max_examples=40, deadline=None)
@given(st.lists(SENT, max_size=4))
def test_told_and_read_are_equal(
    tmp_path_factory: pytest.TempPathFactory,
    capture: Callable[..., Capture],
    sent: list[tuple[bytes, bytes, str, int, bool]],
) -> None:
    batch = Batch("a.warc.gz", 0, 4, {}.get)
    for number, (head, payload, text, status, asked) in enumerate(sent):
        batch.add(
            capture(
                f"https://a.example/{number}",
                payload,
                fetched={"response_head": head, "status": status, "request_head": b"GET" if asked else b""},
                title=text,
                links=[Link(text, "a", LinkKind.FORM, nofollow, text) for nofollow in (True, False, False)],
                refused={0: Reason.NOFOLLOW, 2: Reason.TOO_DEEP},
                verdict=Verdict(reasons=(Reason.TRAP,)),
            )
        )
    path = tmp_path_factory.getbasetemp() / "entries.warc.gz"
    path.write_bytes(batch.content)
    assert [plain(entry) for entry in entries_of(Reader(path))] == [plain(entry) for entry in batch.entries]


def test_an_answer_does_not_take_the_facts_of_another_fetch(
    tmp_path_factory: pytest.TempPathFactory, capture: Callable[..., Capture], failure: Callable[..., Capture]
) -> None:
    torn, after = Batch("a", 0, 4, {}.get), Batch("a", 0, 4, {}.get)
    torn.add(capture())
    after.add(failure())
    answer = torn.entries[0]
    path = tmp_path_factory.getbasetemp() / "torn.warc.gz"
    path.write_bytes(torn.content[: answer.offset + answer.length] + after.content)  # its metadata record is lost
    first, second = entries_of(Reader(path))
    assert (first.url, first.facts) == ("https://a.example/", Facts())
    assert (second.url, second.answer, second.facts.failure) == ("https://dead.example/", None, "refused")
