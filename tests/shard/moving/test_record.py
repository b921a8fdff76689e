"""What a shard notes of slots that come and go: each handover counts once, and nothing is forgotten half way."""

from __future__ import annotations

from collections import Counter

import pytest

from skitter.shard.log import links
from skitter.shard.log.codec import Unreadable
from skitter.shard.moving.halves import halved
from skitter.shard.moving.record import (
    ID,
    NO_MOVES,
    REMEMBERED,
    Asked,
    Bundle,
    HandedOver,
    Leaving,
    Spread,
    cleared,
    come,
    decode_moves,
    encode_moves,
    left,
    next_epochs,
    refused,
    with_asked,
    with_coming,
)
from skitter.url.routes import SLOTS, Place
from skitter.url.spread import MOST_PARTS, PART_SLOTS

ONE, OTHER, ATTEMPT = bytes(ID), bytes([1]) * ID, bytes([2]) * ID
ASKED = Asked(ONE, 3, [5])
MESSAGE = HandedOver(ONE, ATTEMPT, 2, [(5, 1)])


def test_what_is_asked_for_is_done_once() -> None:
    moves = with_asked(with_asked(NO_MOVES, ASKED), ASKED)
    assert list(moves.asked) == [ASKED]
    moves = left(moves, Leaving(3, MESSAGE))
    assert moves.places == {5: Place(1, 3)}
    assert with_asked(moves, ASKED) == moves, "it is under way"
    moves = cleared(moves)
    assert with_asked(moves, ASKED) == moves, "it was done"
    assert not moves.is_pending


def test_what_comes_is_taken_once() -> None:
    moves = with_coming(with_coming(NO_MOVES, MESSAGE), MESSAGE)
    assert moves.is_pending
    moves = come(moves, 3)
    assert moves.places == {5: Place(1, 3)}
    assert not with_coming(moves, MESSAGE).is_pending


def test_a_slot_that_comes_and_goes_has_the_next_epoch() -> None:
    moves = come(with_coming(NO_MOVES, MESSAGE), 3)
    assert next_epochs(moves, [5, 6]) == [(5, 2), (6, 1)]


def test_what_can_t_be_is_not_asked_for_again() -> None:
    moves = refused(with_asked(NO_MOVES, ASKED), ONE)
    assert not with_asked(moves, ASKED).is_pending


def test_what_was_had_is_remembered_within_bounds() -> None:
    moves = NO_MOVES
    for number in range(REMEMBERED + 10):
        moves = refused(moves, number.to_bytes(ID, "big"))
    assert len(moves.had) == REMEMBERED


def test_moves_are_read_as_they_were_written() -> None:
    moves = left(with_coming(with_asked(NO_MOVES, ASKED), MESSAGE), Leaving(3, HandedOver(OTHER, ATTEMPT, 0)))
    assert encode_moves(decode_moves(encode_moves(moves))) == encode_moves(moves)
    assert decode_moves(None) is NO_MOVES
    with pytest.raises(ValueError, match="moves of version 09"):
        decode_moves(b"\x09")


@pytest.mark.parametrize(
    "message",
    [
        Bundle(b"short", ATTEMPT, 0, []),
        Bundle(ONE, b"short", 0, []),
        Bundle(ONE, ATTEMPT, 0, [(b"mcounts", b"")]),
        Asked(ONE, 3, [-1]),
        Asked(ONE, 3, [SLOTS + PART_SLOTS]),
        Spread(ONE, "a.test", [1]),
        Spread(ONE, "a.test", [1] * (MOST_PARTS + 1)),
        Spread(ONE, "a.test", [1, -1]),
        Spread(ONE, "a.test#1", [1, 2]),
        HandedOver(ONE, ATTEMPT, 1, [(1, 1)], spread={"a.test": 1}),
        Asked(ONE, -1),
        HandedOver(ONE, ATTEMPT, -1),
        HandedOver(ONE, ATTEMPT, 1, [(1, 0)]),
    ],
)
def test_messages_that_nobody_sends_are_refused(message: links.LinkMessage) -> None:
    assert isinstance(links.decode(links.encode(message)), Unreadable)


def test_messages_are_read_as_they_were_written() -> None:
    for message in (ASKED, MESSAGE, Bundle(ONE, ATTEMPT, 7, [(b"u" + ONE, b"x")])):
        read = links.decode(links.encode(message))
        assert type(read) is type(message)
        assert not isinstance(read, Unreadable)
        assert links.encode(read) == links.encode(message)


def test_halves() -> None:
    assert halved(Counter()) == []
    assert halved(Counter({7: 1000})) == [], "one slot can't be split"
    urls = Counter({slot: 1 + slot % 13 for slot in range(500)})
    going = sum(urls[slot] for slot in halved(urls))
    assert abs(going - urls.total() / 2) <= 13
