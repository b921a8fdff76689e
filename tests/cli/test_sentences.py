"""What a snapshot says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skitter.cli.sentences import errors, states, time_left
from skitter.supervisor.progress import Snapshot

NOW = 1_800_000_000.0  # when the snapshot is taken

LEFT = [
    ("starting", {"ready": 1}, {}, "starting: 1 of 2 nodes ready"),
    ("from the rate", {"states": {"queued": 100}, "page_rate": 2.0}, {}, "about 50 s left"),
    ("under way counts", {"states": {"queued": 90, "leased": 10}, "page_rate": 2.0}, {}, "about 50 s left"),
    ("growing", {"states": {"queued": 100}, "page_rate": 2.0, "growth": 3.0}, {}, "at least 50 s left"),
    ("limited in time", {"states": {"queued": 10**6}, "page_rate": 1.0}, {"max_seconds": 100.0}, "about 40 s left"),
    (
        "limited in pages",
        {"states": {"queued": 10**6}, "page_rate": 1.0, "growth": 9.0, "counted": {"pages": 70}},
        {"max_pages": 100},
        "about 30 s left",
    ),
    ("nothing to go by", {"states": {"queued": 5}}, {}, ""),
    ("waiting", {"states": {"failed": 5}, "next_at": NOW + 90}, {}, "waiting: the next turn is in 1 min 30 s"),
]


@pytest.mark.parametrize(("changes", "limits", "told"), [row[1:] for row in LEFT], ids=[row[0] for row in LEFT])
def test_time_left(
    snapshot: Callable[..., Snapshot], changes: dict[str, object], limits: dict[str, float], told: str
) -> None:
    assert time_left(snapshot(**changes), **limits) == told  # type: ignore[arg-type]


def test_states_leave_out_those_without_any(snapshot: Callable[..., Snapshot]) -> None:
    assert states(snapshot(states={"queued": 1234, "leased": 3, "dead": 1})) == "1,234 queued · 3 under way · 1 dead"
    assert states(snapshot()) == "none yet"


def test_errors_begin_with_the_most_frequent_and_add_up() -> None:
    assert errors({}) == "none"
    assert errors({"gone": 2, "read_timeout": 5, "reset": 1}, limit=2) == "5 read timeout · 2 gone · 1 others"
