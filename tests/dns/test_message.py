"""Messages of the domain name system, read and written."""

from __future__ import annotations

import asyncio
import struct

import pytest

from skitter.dns.message import question, reply_in
from skitter.dns.replies import Reply, Said
from skitter.simweb.nameserver import NXDOMAIN, REFUSED, SERVFAIL, NameServer, Record

TABLE = {
    ("a.test", "A"): Record(("b.test", "192.0.2.1", "192.0.2.2"), ttl=300),
    ("a.test", "AAAA"): Record(("2001:db8::1",), ttl=60),
    "empty.test": Record(),
    "failing.test": Record(rcode=SERVFAIL),
    "refused.test": Record(rcode=REFUSED),
    "gone.test": Record(rcode=NXDOMAIN),
}


def answered(name: str, kind: str) -> bytes:
    """Returns what a name server makes of our question."""
    answer = asyncio.run(NameServer(TABLE)._answer(question(name, kind)))
    assert answer is not None
    return answer


ANSWERS = {
    ("a.test", "A"): (Said.FOUND, ("192.0.2.1", "192.0.2.2"), 300.0),
    ("a.test", "AAAA"): (Said.FOUND, ("2001:db8::1",), 60.0),
    ("empty.test", "A"): (Said.EMPTY, (), 0.0),
    ("failing.test", "A"): (Said.FAILED, (), 0.0),
    ("refused.test", "A"): (Said.NOTHING, (), 0.0),
    ("gone.test", "AAAA"): (Said.UNKNOWN, (), 0.0),
    ("other.test", "A"): (Said.UNKNOWN, (), 0.0),
}


@pytest.mark.parametrize(("asked", "expected"), ANSWERS.items(), ids=map(str, ANSWERS))
def test_what_a_server_answers(asked: tuple[str, str], expected: tuple[Said, tuple[str, ...], float]) -> None:
    assert reply_in(answered(*asked), asked[1])[:3] == expected


def test_what_lay_in_a_cache_holds_for_less_long() -> None:
    assert reply_in(answered("a.test", "A"), "A", age=100.0).ttl == 200.0
    assert reply_in(answered("a.test", "A"), "A", age=400.0).ttl == 0.0


def test_whatever_is_cut_off_is_no_answer() -> None:
    message = answered("a.test", "A")
    for length in range(len(message)):
        assert reply_in(message[:length], "A").said is Said.NOTHING


def test_a_question_is_no_answer_and_one_that_does_not_fit_is_none() -> None:
    assert reply_in(question("a.test", "A"), "A").said is Said.NOTHING
    message = bytearray(answered("a.test", "A"))
    message[2] |= 0x02
    assert reply_in(bytes(message), "A").said is Said.NOTHING


def test_an_address_of_the_wrong_size_is_no_answer() -> None:
    head = struct.pack("!6H", 0, 0x8180, 0, 1, 0, 0)
    record = b"\0" + struct.pack("!HHIH", 1, 1, 300, 5) + b"12345"
    assert reply_in(head + record, "A") == Reply(Said.NOTHING, detail="an answer that can't be read")
