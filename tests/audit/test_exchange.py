"""Records put together to exchanges, and what shows that they do not belong together."""

from __future__ import annotations

import pytest

from skitter.audit.exchange import Exchange, exchanges, faults_of
from skitter.store.warc.reader import Record

URL = "http://a.example/x?y=1"
GET = b"GET /x?y=1 HTTP/1.1\r\nHost: a.example\r\nAccept: */*\r\n\r\n"


def record(kind: str, id_: str = "", concurrent: str = "", block: bytes = b"", **more: str) -> Record:
    fields = {"warc-type": kind, "warc-record-id": id_, "warc-date": "2026-11-15T20:36:00Z", "warc-target-uri": URL}
    if concurrent:
        fields["warc-concurrent-to"] = concurrent
    return Record(0, 1, {**fields, **{name.replace("_", "-"): value for name, value in more.items()}}, block)


REQUEST = record("request", "q", "p", GET)
ALONE = record("request", "q", "", GET)
RESPONSE = record("response", "p")
REVISIT = record("revisit", "p")
ABOUT_ANSWER, ABOUT_REQUEST = record("metadata", "m", "p"), record("metadata", "m", "q")
UNREACHED = record("metadata", "m")
INFO = record("warcinfo")

SEQUENCES: dict[str, tuple[list[Record], list[Exchange]]] = {
    "nothing": ([], []),
    "answered": ([INFO, REQUEST, RESPONSE, ABOUT_ANSWER], [Exchange(REQUEST, RESPONSE, ABOUT_ANSWER)]),
    "revisited": ([REQUEST, REVISIT, ABOUT_ANSWER], [Exchange(REQUEST, REVISIT, ABOUT_ANSWER)]),
    "not answered": ([ALONE, ABOUT_REQUEST], [Exchange(ALONE, None, ABOUT_REQUEST)]),
    "not reached": ([UNREACHED, UNREACHED], [Exchange(metadata=UNREACHED)] * 2),
    "cut after the request": ([UNREACHED, REQUEST], [Exchange(metadata=UNREACHED), Exchange(REQUEST)]),
    "cut after the answer": ([REQUEST, RESPONSE], [Exchange(REQUEST, RESPONSE)]),
    "two requests": ([REQUEST, REQUEST, RESPONSE], [Exchange(REQUEST), Exchange(REQUEST, RESPONSE)]),
    "two answers": ([REQUEST, RESPONSE, RESPONSE], [Exchange(REQUEST, RESPONSE), Exchange(answer=RESPONSE)]),
}


@pytest.mark.parametrize(("records", "told"), SEQUENCES.values(), ids=SEQUENCES)
def test_records_become_exchanges(records: list[Record], told: list[Exchange]) -> None:
    assert list(exchanges(records)) == told


FAULTS: dict[str, tuple[Exchange, list[str]]] = {
    "answered": (Exchange(REQUEST, RESPONSE, ABOUT_ANSWER), []),
    "revisited": (Exchange(REQUEST, REVISIT, ABOUT_ANSWER), []),
    "not answered": (Exchange(ALONE, None, ABOUT_REQUEST), []),
    "not reached": (Exchange(metadata=UNREACHED), []),
    "no metadata": (Exchange(REQUEST, RESPONSE), ["there is no metadata record"]),
    "no request": (Exchange(None, RESPONSE, ABOUT_ANSWER), ["there is an answer, but no request"]),
    "a strange request": (
        Exchange(record("request", "q", "z", GET), RESPONSE, ABOUT_ANSWER),
        ["the request does not name the answer"],
    ),
    "strange metadata": (
        Exchange(REQUEST, RESPONSE, ABOUT_REQUEST),
        ["the metadata record is about another answer"],
    ),
    "another URL": (
        Exchange(REQUEST, record("response", "p", warc_target_uri="http://a.example/"), ABOUT_ANSWER),
        ["the records do not have the same warc-target-uri"],
    ),
    "another date": (
        Exchange(REQUEST, RESPONSE, record("metadata", "m", "p", warc_date="2026-11-15T20:36:01Z")),
        ["the records do not have the same warc-date"],
    ),
}
SENT = {
    "another path": GET.replace(b"x?y", b"x?z"),
    "another host": GET.replace(b"a.example", b"b.example"),
    "no host": GET.replace(b"Host", b"Hose"),
    "two hosts": GET.replace(b"Accept", b"Host: b.example\r\nAccept"),
    "nothing": b"",
}


@pytest.mark.parametrize(("exchange", "faults"), FAULTS.values(), ids=FAULTS)
def test_what_does_not_belong_together_is_named(exchange: Exchange, faults: list[str]) -> None:
    assert list(faults_of(exchange)) == faults


@pytest.mark.parametrize("sent", SENT.values(), ids=SENT)
def test_the_bytes_that_were_sent_must_ask_for_the_url(sent: bytes) -> None:
    request = record("request", "q", "p", sent)
    assert list(faults_of(Exchange(request, RESPONSE, ABOUT_ANSWER))) == ["the request was for another URL"]


def test_a_url_that_is_none_was_not_asked_for() -> None:
    request = record("request", "q", block=GET, warc_target_uri="http://a b/")
    metadata = record("metadata", "m", "q", warc_target_uri="http://a b/")
    assert list(faults_of(Exchange(request, None, metadata))) == ["the request was for another URL"]
