"""Is it well? The sentence names what is wrong, and the worst first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from skitter.console.health import health
from skitter.console.views import Live

RUNBOOKS = Path(__file__).parents[2] / "docs" / "runbooks"
WELL = Live(
    began=0.0,
    at=100.0,
    ended=None,
    nodes=2,
    ready=2,
    pages=1000,
    requests=1100,
    received=10**6,
    page_rate=12.0,
    byte_rate=1e5,
    in_flight=7,
    urls={"queued": 10},
    failures={"dns_failed": 3, "not_found": 20},
    statuses={200: 1000, 429: 5},
    stages={},
    busiest=[],
    troubles=[],
    fresh=None,
    margin=0.002,
    late=0.0,
    to_render=0,
)

ILL: dict[str, tuple[dict[str, Any], str, str]] = {
    "the disk": ({"troubles": ["node 1: the disk is full"]}, "ill", "the disk is full"),
    "a silent supervisor": ({"at": 50.0}, "ill", "said nothing for 50 s"),
    "politeness": ({"margin": -0.4}, "ill", "0.400 s closer"),
    "a node that is not there": ({"ready": 1}, "watch", "1 of 2 nodes"),
    "a storm of 429": ({"statuses": {200: 500, 429: 400}}, "watch", "turned away"),
    "the name server": ({"failures": {"dns_failed": 300}}, "watch", "name server"),
    "failures": ({"failures": {"read_timeout": 900}}, "watch", "read timeout"),
    "nothing under way": ({"in_flight": 0, "page_rate": 0.0}, "watch", "held back"),
    "both": ({"ready": 1, "troubles": ["x"]}, "ill", "stands still"),
}


def test_every_reason_has_a_runbook_that_is_there() -> None:
    for more, _, _ in ILL.values():
        found = health(structs.replace(WELL, **more), 100.0, is_running=True)
        assert len(found.runbooks) == len(found.reasons)
        assert all((RUNBOOKS / f"{name}.md").exists() for name in found.runbooks)


def test_a_mode_is_told() -> None:
    found = health(WELL, 101.0, is_running=True, mode="2, known pages only, as you set it")
    assert (found.level, list(found.reasons)) == ("watch", ["Mode 2, known pages only, as you set it."])


def test_nothing_is_wrong() -> None:
    found = health(WELL, 101.0, is_running=True)
    assert (found.level, list(found.reasons)) == ("well", [])
    assert "12 pages a second" in found.sentence


@pytest.mark.parametrize("case", ILL)
def test_what_is_wrong_is_said(case: str) -> None:
    more, level, words = ILL[case]
    found = health(structs.replace(WELL, **more), 100.0, is_running=True)
    assert found.level == level
    assert words in found.sentence
    assert found.sentence in found.reasons


def test_one_that_does_not_run() -> None:
    assert health(None, 0.0, is_running=False).sentence == "It has not run yet."
    assert health(structs.replace(WELL, ended="done"), 1e9, is_running=False).level == "well"
    assert health(WELL, 1e9, is_running=False).sentence == "It was cut off."
