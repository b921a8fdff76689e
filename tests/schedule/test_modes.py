"""Modes as a table: up at once, down one step at a time, and never below what the operator set."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.schedule.modes import (
    CALM,
    HOLD,
    LEAST_ANSWERS,
    RULES,
    WAYS,
    Mode,
    Signals,
    Standing,
    in_mode,
    pressures,
    stepped,
    wanted,
)
from skitter.settings import ModeSettings, NodeSettings, PolitenessSettings, Settings

RULED = ModeSettings(room=1000, memory=0.1, refused=0.5)
CALM_DAY = Signals(room=1e12, memory=0.9, answers=10_000, refused=0)


def test_every_mode_has_its_way_and_each_does_less() -> None:
    assert list(WAYS) == list(Mode)
    ways = list(WAYS.values())
    assert [way.slower for way in ways] == sorted(way.slower for way in ways)
    assert [way.fetches for way in ways] == [True, True, True, False, False]
    assert WAYS[Mode.AS_SET].least == 0.0
    assert not WAYS[Mode.GENTLY].only_known


def test_no_rule_ends_a_crawl() -> None:
    for rule in RULES.values():
        assert [row[0] for row in rule] == sorted(row[0] for row in rule)
        assert max(row[1] for row in rule) < Mode.FULL_STOP


@pytest.mark.parametrize(
    ("signals", "mode", "why"),
    [
        (CALM_DAY, 0, ""),
        (Signals(), 0, ""),
        (Signals(room=1001), 0, ""),
        (Signals(room=1000), 1, "disk"),
        (Signals(room=500), 2, "disk"),
        (Signals(room=250), 3, "disk"),
        (Signals(room=0), 3, "disk"),
        (Signals(memory=0.1), 1, "memory"),
        (Signals(memory=0.03), 3, "memory"),
        (Signals(answers=1000, refused=500), 1, "refused"),
        (Signals(answers=1000, refused=850), 3, "refused"),
        (Signals(answers=LEAST_ANSWERS - 1, refused=LEAST_ANSWERS - 1), 0, ""),
        (Signals(room=1000, memory=0.01, answers=1000, refused=600), 3, "memory"),
    ],
)
def test_what_is_short_says_the_mode(signals: Signals, mode: int, why: str) -> None:
    assert wanted(pressures(signals, RULED)) == (mode, why)


def test_up_at_once_and_down_in_order_after_calm() -> None:
    standing = stepped(Standing(), Signals(room=100), RULED, 0.0)
    assert (standing.mode, standing.why) == (3, "the disk has 0 MB left")
    seen = []
    for second in range(1, 400):
        standing = stepped(standing, CALM_DAY, RULED, float(second))
        if not seen or seen[-1][1] != standing.mode:
            seen.append((second, standing.mode))
    assert [mode for _, mode in seen] == [3, 2, 1, 0]
    times = [second for second, _ in seen][1:]
    assert times == [1 + HOLD, 1 + 2 * HOLD, 1 + 3 * HOLD]
    assert standing == Standing()


def test_what_is_neither_short_nor_clearly_enough_changes_nothing() -> None:
    standing = stepped(Standing(), Signals(room=1000), RULED, 0.0)
    nearly = Signals(room=1000 / CALM - 1)
    for second in range(1, 1000):
        standing = stepped(standing, nearly, RULED, float(second))
    assert standing.mode == 1
    for second in range(1000, 1200):
        standing = stepped(standing, Signals(room=1000 / CALM + 1), RULED, float(second))
    assert standing.mode == 0


def test_calm_that_is_broken_begins_anew() -> None:
    standing = stepped(Standing(), Signals(room=1000), RULED, 0.0)
    for second in range(1, 600):
        now = Signals(room=1000) if second % 50 == 0 else CALM_DAY
        standing = stepped(standing, now, RULED, float(second))
        assert standing.mode == 1


def test_what_the_operator_set_is_not_undone_by_a_rule() -> None:
    standing = Standing(operator=Mode.KNOWN_PAGES)
    standing = stepped(standing, Signals(room=100), RULED, 0.0)
    assert standing.mode == 3
    for second in range(1, 1000):
        standing = stepped(standing, CALM_DAY, RULED, float(second))
        assert standing.mode >= 2
    assert (standing.mode, standing.rule) == (2, 0)
    assert standing.words() == "2 (known pages only: nothing new is fetched; by the operator)"


def test_without_rules_a_mode_that_one_set_goes_in_order() -> None:
    standing = Standing(rule=Mode.MAINTENANCE, why="x")
    off = ModeSettings(by_rule=False)
    modes = {stepped(standing, Signals(room=0), off, 0.0).mode}
    for second in range(300):
        standing = stepped(standing, Signals(room=0), off, float(second))
        modes.add(standing.mode)
    assert modes == {3, 2, 1, 0}


@given(st.lists(st.floats(1, 5000), min_size=1, max_size=200), st.sampled_from(list(Mode)))
def test_whatever_comes_it_never_falls_by_two_nor_faster_than_it_may(rooms: list[float], operator: Mode) -> None:
    standing, last_fall = Standing(operator=operator), -HOLD
    for turn, room in enumerate(rooms):
        now = turn * 20.0
        before, standing = standing, stepped(standing, Signals(room=room), RULED, now)
        assert standing.mode >= operator
        assert standing.rule >= wanted(pressures(Signals(room=room), RULED))[0]
        if standing.rule < before.rule:
            assert standing.rule == before.rule - 1
            assert now - last_fall >= HOLD
            last_fall = now


def test_what_is_slower_is_said_as_settings() -> None:
    settings = Settings(politeness=PolitenessSettings(delay=3, max_delay=4), node=NodeSettings(in_flight=101))
    assert in_mode(settings, Mode.AS_SET) is settings
    slower = in_mode(settings, Mode.GENTLY)
    assert (slower.politeness.delay, slower.politeness.max_delay, slower.node.in_flight) == (6, 6, 50)
