"""Who owns a shard, by its log; and that no two owners ever fetch at the same time, whatever the network does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.shard.log.codec import LogRecord, Release, Take, Written
from skitter.shard.log.ownership import LEASE, Backwards, Gap, Standing, Tenure, after, taken, with_gap, written

A, B = b"a" * 16, b"b" * 16

STORIES: dict[str, tuple[Sequence[LogRecord], list[bool], bytes]] = {
    "an owner writes": ([Take(A), Written(A), Written(A)], [True, True, True], A),
    "nobody has taken it": ([Written(A), Release(A)], [False, False], b""),
    "another takes it": ([Take(A), Take(B), Written(A), Written(B)], [True, True, False, True], B),
    "the loser's release": ([Take(A), Take(B), Release(A), Written(B)], [True, True, False, True], B),
    "after a release": ([Take(A), Release(A), Written(A)], [True, True, False], b""),
    "taken back": ([Take(A), Take(B), Take(A), Written(B), Written(A)], [True, True, True, False, True], A),
}


@pytest.mark.parametrize("story", STORIES)
def test_a_record_counts_if_its_id_is_that_of_the_last_take(story: str) -> None:
    records, counting, owner = STORIES[story]
    standing, found = Standing(), []
    for record in records:
        standing, counts = after(standing, record)
        found.append(counts)
    assert found == counting
    assert standing.owner == owner


def test_the_next_offset_proves_it() -> None:
    tenure = taken(Take(A), 7, sent=100.0, heard=100.1, before=Standing())
    assert written(tenure, 8, 102.0) == Tenure(A, 9, 102.0, 100.1)
    assert written(tenure, 10, 102.0) == Gap(8, 10)
    assert written(tenure, 7, 102.0) == Backwards(7, 8)


def test_what_stands_in_between_is_a_losers_or_ends_it() -> None:
    tenure = taken(Take(A), 7, sent=100.0, heard=100.1, before=Standing(B))
    assert with_gap(tenure, [Written(B), Release(B)], 10, 102.0) == Tenure(A, 11, 102.0, 105.1)
    assert with_gap(tenure, [Written(B), Take(B)], 10, 102.0) is None


def test_who_has_to_be_waited_for() -> None:
    assert taken(Take(A), 7, sent=1.0, heard=2.0, before=Standing()).begins == 2.0
    assert taken(Take(A), 7, sent=1.0, heard=2.0, before=Standing(B)).begins == 2.0 + LEASE
    assert taken(Take(A), 7, sent=1.0, heard=2.0, before=Standing(B), ours={B: 0.0}).begins == 2.0
    assert taken(Take(A), 7, sent=1.0, heard=2.0, before=Standing(B), ours={B: 4.0}).begins == 4.0
    assert taken(Take(A), 7, sent=1.0, heard=2.0, before=Standing(B), ours={B: 99.0}).begins == 2.0 + LEASE
    assert taken(Take(A), 7, sent=1.0, heard=2.0, before=Standing(B), ours={A: 0.0}).begins == 2.0 + LEASE


def test_requests_start_until_a_lease_after_the_last_proven_record_was_sent() -> None:
    tenure = Tenure(A, 9, proven=10.0, begins=8.0)
    assert [tenure.may_fetch(now) for now in (7.9, 8.0, 14.9, 15.0)] == [False, True, True, False]


# An adversary between owners and the log: it delays, drops and reorders what it likes, and time goes by as it likes.


class Sent(NamedTuple):
    who: int
    record: LogRecord
    at: float


class Heard(NamedTuple):
    sent: Sent
    offset: int


class Play:
    """A log, nodes that want it, and what is on its way between them."""

    def __init__(self, nodes: int) -> None:
        self.now = 0.0
        self.log: list[LogRecord] = []
        self.underway: list[Sent] = []
        self.answers: list[Heard] = []
        self.tenures: list[Tenure | None] = [None] * nodes
        self.waiting: list[Sent | None] = [None] * nodes  # each has one record out at a time
        self.ids = iter(number.to_bytes(16, "big") for number in range(1, 10**6))
        self.stopped: set[bytes] = set()  # ids whose `release` was sent

    def send(self, who: int, kind: int) -> None:
        if self.waiting[who] is not None:
            return
        tenure = self.tenures[who]
        record: LogRecord
        if tenure is None:
            record = Take(next(self.ids))
        elif kind == 0:
            record, self.tenures[who] = Release(tenure.id), None
            self.underway.append(Sent(who, record, self.now))
            return
        else:
            record = Written(tenure.id)
        sent = Sent(who, record, self.now)
        self.waiting[who] = sent
        self.underway.append(sent)

    def write(self, which: int) -> None:
        sent = self.underway.pop(which % len(self.underway))
        self.log.append(sent.record)
        self.answers.append(Heard(sent, len(self.log) - 1))

    def hear(self, which: int) -> None:
        (who, record, at), offset = self.answers.pop(which % len(self.answers))
        waiting = self.waiting[who]
        if waiting is None or waiting.record is not record:
            return
        self.waiting[who] = None
        tenure = self.tenures[who]
        if isinstance(record, Take):
            before = Standing()
            for earlier in self.log[:offset]:
                before, _ = after(before, earlier)
            self.tenures[who] = taken(record, offset, sent=at, heard=self.now, before=before)
        elif tenure is not None:
            found = written(tenure, offset, at)
            if isinstance(found, Gap):
                self.tenures[who] = with_gap(tenure, self.log[found.start : found.end], offset, at)
            else:
                assert isinstance(found, Tenure)
                self.tenures[who] = found

    def give_up(self, who: int) -> None:
        """It heard nothing, or was killed: it knows nothing any more, and what it sent may still arrive."""
        self.waiting[who] = self.tenures[who] = None

    def fetching(self) -> int:
        return sum(tenure is not None and tenure.may_fetch(self.now) for tenure in self.tenures)


NODES = 3
MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("send"), st.integers(0, NODES - 1), st.integers(0, 4)),
        st.tuples(st.just("write"), st.integers(0, 9), st.just(0)),
        st.tuples(st.just("write"), st.integers(0, 9), st.just(0)),
        st.tuples(st.just("hear"), st.integers(0, 9), st.just(0)),
        st.tuples(st.just("hear"), st.integers(0, 9), st.just(0)),
        st.tuples(st.just("wait"), st.integers(1, 40), st.just(0)),
        st.tuples(st.just("give up"), st.integers(0, NODES - 1), st.just(0)),
    ),
    max_size=60,
)


def played(moves: Sequence[tuple[str, int, int]]) -> Play:
    play = Play(NODES)
    for what, number, kind in moves:
        if what == "send":
            play.send(number, kind)
        elif what == "write" and play.underway:
            play.write(number)
        elif what == "hear" and play.answers:
            play.hear(number)
        elif what == "give up":
            play.give_up(number)
        elif what == "wait":
            play.now += number / 4
        assert play.fetching() <= 1, f"two fetch at {play.now}"
    return play


@settings(max_examples=400)
@given(MOVES)
def test_no_two_ever_fetch_at_once(moves: Sequence[tuple[str, int, int]]) -> None:
    played(moves)


OVERLAP = [
    ("send", 0, 1),
    ("write", 0, 0),
    ("hear", 0, 0),  # the first has it
    ("send", 1, 1),
    ("write", 0, 0),
    ("hear", 0, 0),  # and so has the second, at once, since the first is cut off
    ("wait", 19, 0),
    ("wait", 2, 0),
]


def taken_at_once(take: Take, offset: int, *, sent: float, heard: float, before: Standing) -> Tenure:
    return Tenure(take.id, offset + 1, sent, heard)


def test_without_the_wait_two_fetch_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The play can be lost: that is what the property is worth."""
    assert played(OVERLAP).fetching() == 0
    monkeypatch.setitem(globals(), "taken", taken_at_once)
    with pytest.raises(AssertionError, match="two fetch"):
        played(OVERLAP)
