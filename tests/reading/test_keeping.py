"""What is kept of bodies follows from what they are, and digests stay those of the whole."""

from __future__ import annotations

from typing import Any

import pytest

from skitter.errors import OperatorError
from skitter.fetch.answer import AnswerReader
from skitter.messages import Errand, Fetched, Lease
from skitter.reading.keeping import HEAD, MOST, Keep, keep_of, kept, least_of, refuses, table_of
from skitter.settings import FetchSettings
from skitter.store.warc.payload import digests_of

LONG = b"\xff\xd8\xff" + b"x" * (2 * HEAD)


def fetched(body: bytes, media: str, errand: Errand = Errand.PAGE, **more: Any) -> Fetched:
    lease = Lease("https://a.example/x", "a.example", errand, 0.0)
    return Fetched(lease, 0.0, 0.0, status=200, headers=[("Content-Type", media)], payload=body, body=body, **more)


def test_every_way_has_a_bound_and_every_type_a_way() -> None:
    assert set(MOST) == set(Keep)
    assert keep_of("any/thing", table_of(())) is Keep.KEEP


@pytest.mark.parametrize(
    ("media", "rows", "length"),
    [
        ("text/html", (), len(LONG)),
        ("image/jpeg", (), len(LONG)),
        ("image/jpeg", ("image/* head",), HEAD),
        ("image/jpeg", ("image/jpeg keep", "image/* drop"), len(LONG)),
        ("image/jpeg", ("*/* drop",), 0),
        ("text/html", ("image/* drop",), 0),  # it says HTML, and is none
    ],
)
def test_the_first_rule_that_fits_counts(media: str, rows: tuple[str, ...], length: int) -> None:
    cut = kept(fetched(LONG, media), rows)
    assert len(cut.payload) == length
    assert cut.truncated == ("length" if length < len(LONG) else None)


@pytest.mark.parametrize(
    ("rows", "least", "length"),
    [((), HEAD, 9), (("image/* head",), HEAD, 9), (("image/* drop",), 0, 0), (("audio/* refuse",), 0, 9)],
)
def test_what_a_short_body_is_need_be_asked_only_if_something_is_kept_shorter(
    rows: tuple[str, ...], least: int, length: int
) -> None:
    assert least_of(rows) == least
    assert len(kept(fetched(LONG[:9], "image/jpeg"), rows).payload) == length


def test_films_are_kept_as_far_as_they_tell_what_they_are() -> None:
    film = b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom" + b"x" * (2 * HEAD)
    assert len(kept(fetched(film, "video/mp4"), ()).payload) == HEAD


def test_the_digest_of_the_content_is_that_of_all_of_it_and_no_other_body_is_taken_for_it() -> None:
    whole = fetched(LONG, "image/jpeg")
    cut = kept(whole, ("image/* head",))
    assert digests_of(cut).content == digests_of(whole).content
    assert digests_of(cut).payload != digests_of(whole).payload
    assert digests_of(cut).key is None


def test_robots_txt_is_kept_whatever_it_is() -> None:
    assert kept(fetched(LONG, "image/jpeg", Errand.ROBOTS), ("*/* drop",)).payload == LONG


@pytest.mark.parametrize("row", ["video/*", "video drop", "video/* maybe", "a/b c/d drop", ""])
def test_a_row_that_means_nothing_is_told_with_its_place(row: str) -> None:
    with pytest.raises(OperatorError, match=r"content\.types\[1\]"):
        table_of(("image/* keep", row))


def test_what_is_refused_is_not_read() -> None:
    assert refuses(()) is None
    answer = AnswerReader(FetchSettings(), refuses(("video/* refuse",)))
    assert answer.feed(b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 1000000\r\n\r\nabc")
    assert (answer.payload(), answer.truncated, answer.failure) == (b"", "length", None)
    assert not answer.is_clean
    other = AnswerReader(FetchSettings(), refuses(("video/* refuse",)))
    assert other.feed(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\r\nabc")
    assert (other.payload(), other.truncated) == (b"abc", None)
