"""A node hangs when it has been silent for too long while we listened."""

from __future__ import annotations

import pytest

from skitter.settings import NodeSettings
from skitter.supervisor.heartbeats import EVERY, TO_BEGIN, TO_CLOSE, WORDS, Awaited, Heartbeats, Wait, overdue, patience

SETTINGS = NodeSettings(silence=60.0, stop_seconds=30.0)
LIMITS = patience(SETTINGS)
NOW = 1_800_000_000.0

AGES = [
    (Awaited.REPORT, 0.5, False),
    (Awaited.REPORT, 60.0, False),
    (Awaited.REPORT, 60.1, True),
    (Awaited.FIRST_REPORT, 60.1, False),
    (Awaited.FIRST_REPORT, 60.0 * TO_BEGIN, False),
    (Awaited.FIRST_REPORT, 60.0 * TO_BEGIN + 0.1, True),
    (Awaited.END, 30.0 + TO_CLOSE, False),
    (Awaited.END, 30.1 + TO_CLOSE, True),
]


@pytest.mark.parametrize(("what", "age", "hangs"), AGES)
def test_who_is_overdue(what: Awaited, age: float, hangs: bool) -> None:
    waits = {0: Wait(Awaited.REPORT, NOW), 3: Wait(what, NOW - age)}
    assert list(overdue(waits, LIMITS, NOW)) == ([3] if hangs else [])


def test_everything_that_is_awaited_has_a_limit_and_words() -> None:
    assert set(LIMITS) == set(WORDS) == set(Awaited)


def looked(heartbeats: Heartbeats, since: float, until: float) -> dict[int, str]:
    """Looks as often as one should, and returns all that was found."""
    found: dict[int, str] = {}
    for step in range(1, int((until - since) / EVERY) + 1):
        found |= heartbeats.look(since + step * EVERY)
    return found


def test_a_silent_node_is_told_once_and_the_others_are_not() -> None:
    beats = Heartbeats(SETTINGS, NOW)
    for node in (0, 1):
        beats.started(node, NOW)
        beats.heard(node, NOW + 1)
    found = {}
    for second in range(1, 70):
        beats.heard(0, NOW + second)
        found |= looked(beats, NOW + second - 1, NOW + second)
    assert found == {1: "has said nothing for 60 s"}
    assert looked(beats, NOW + 69, NOW + 200) == {0: "has said nothing for 60 s"}, "it was killed: nothing is expected"


def test_the_first_report_may_take_longer() -> None:
    beats = Heartbeats(SETTINGS, NOW)
    beats.started(0, NOW)
    assert looked(beats, NOW, NOW + 600) == {}
    assert looked(beats, NOW + 600, NOW + 601) == {0: "was started 600 s ago and has said nothing yet"}


@pytest.mark.parametrize("gap", [59.0, 3600.0, 86400.0])
def test_time_in_which_we_did_not_listen_is_nobodys_silence(gap: float) -> None:
    beats = Heartbeats(SETTINGS, NOW)
    beats.started(0, NOW)
    beats.heard(0, NOW)
    assert looked(beats, NOW, NOW + 30) == {}
    assert beats.look(NOW + 30 + gap) == {}, "its reports may wait in the pipe, or it was stopped as we were"
    later = NOW + 30 + gap
    assert looked(beats, later, later + 29) == {}
    assert looked(beats, later + 29, later + 31) == {0: "has said nothing for 60 s"}, "what we heard before counts on"


def test_always_a_little_late() -> None:
    beats = Heartbeats(SETTINGS, NOW)
    beats.started(0, NOW)
    beats.heard(0, NOW)
    looks = [beats.look(NOW + step * 2 * EVERY) for step in range(1, 130)]
    assert [bool(found) for found in looks].index(True) == 120, "half of the time we listened"


def test_one_that_died_is_not_missed() -> None:
    beats = Heartbeats(SETTINGS, NOW)
    beats.started(0, NOW)
    beats.died(0)
    beats.heard(0, NOW)  # what was still in the pipe
    assert looked(beats, NOW, NOW + 1000) == {}


def test_who_was_told_to_stop_must_end_whatever_it_says() -> None:
    beats = Heartbeats(SETTINGS, NOW)
    beats.started(0, NOW)
    beats.stop(NOW)
    beats.started(1, NOW + 1)  # its process was being started when the stop came
    found = {}
    for second in range(1, 95):
        beats.heard(0, NOW + second)
        beats.heard(1, NOW + second)
        found |= looked(beats, NOW + second - 1, NOW + second)
    assert found == dict.fromkeys((0, 1), "was told to stop 90 s ago and has not")
