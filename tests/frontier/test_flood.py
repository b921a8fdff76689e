"""A host that leads to too many URLs in a day: what is not added today is found tomorrow."""

from __future__ import annotations

from pathlib import Path

import pytest

from skitter.judge import suspicion
from tests.frontier.plays import NONE, Page, play, prose

PAGES = 120


def row(path: str) -> Page:
    """A list of all pages in parts: each leads to five, and to the next part."""
    number = int(path[1:] or 0) if path[1:].isdecimal() or path == "/" else -1
    if not 0 <= number < PAGES:
        return NONE
    return Page(prose(number), tuple(f"/{step}" for step in range(5 * number + 1, 5 * number + 6) if step < PAGES))


@pytest.mark.slow
def test_links_kept_back_in_a_flood_are_found_the_next_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suspicion, "FLOOD", 50)
    played = play(tmp_path, row, days=4)
    assert {path for path in played.asked if path != "/"} >= {f"/{number}" for number in range(1, PAGES)}
    again = [path for path, times in played.asked.items() if times > 1]
    assert 0 < len(again) <= PAGES // 2, "those are read again whose links were kept back, and no others"
