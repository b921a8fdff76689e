"""The end of a crawl: for people, for programs, and as an exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from skitter.cli.summary import ENDINGS, as_json, exit_code, go_on, summary
from skitter.inspection.standing import Standing
from skitter.supervisor.ending import Ending
from skitter.supervisor.progress import Snapshot
from skitter.supervisor.run import Finished

NOW = 1_800_000_000.0  # when the snapshot is taken
OUT = Path("crawl-a.org")

CODES = [
    ("done", {}, 0),
    ("waiting", {"failed": 3}, 0),
    ("waiting", {"queued": 3}, 0),
    ("pages", {"queued": 3}, 3),
    ("pages", {"done": 3}, 0),
    ("seconds", {"failed": 1}, 3),
    ("stopped", {"leased": 1}, 3),
    ("stopped", {"skipped": 1}, 0),
]


@pytest.mark.parametrize(("why", "states", "code"), CODES)
def test_exit_codes(snapshot: Callable[..., Snapshot], why: str, states: dict[str, int], code: int) -> None:
    assert exit_code(Finished(snapshot(states=states), Ending(why, is_done=False))) == code


@pytest.mark.parametrize("why", ENDINGS)
def test_what_is_left_and_how_to_go_on(snapshot: Callable[..., Snapshot], why: str) -> None:
    shown = snapshot(
        counted={"pages": 120, "received": 3000, "requests": 130, "failures": {"gone": 2}},
        states={"done": 110, "queued": 7, "failed": 2, "dead": 1},
        next_at=NOW + 300,
    )
    told = summary(Finished(shown, Ending(why, is_done=False)), OUT, go_on(OUT), {Standing.NO_ROBOTS: 7})
    lines = told.splitlines()
    assert lines[0] == ENDINGS[why][0]
    assert "Fetched: 120 pages in 1 min (2.0 a second), 3.0 kB, 130 requests with robots.txt and sitemaps." in lines
    assert "URLs: 120 found; 110 fetched, 1 given up." in lines
    assert "Errors: 2 gone." in lines
    assert "Left: 7 queued, 2 to be tried again. 7 wait because the robots.txt of their host can't be read." in told
    assert "(in 5 min)" in told
    assert lines[-1] == "To go on: skitter crawl --out crawl-a.org"


def test_nothing_left_means_nothing_to_go_on_with(snapshot: Callable[..., Snapshot]) -> None:
    told = summary(Finished(snapshot(states={"done": 5}), Ending("done", is_done=True)), OUT, go_on(OUT), {})
    assert "To go on" not in told
    assert "Left" not in told


def test_a_folder_with_blanks_is_quoted() -> None:
    assert go_on(Path("my crawl"), 3) == "skitter crawl --out 'my crawl' --workers 3"


def test_the_object_for_programs(snapshot: Callable[..., Snapshot]) -> None:
    shown = snapshot(
        counted={"pages": 3, "received": 99, "statuses": {404: 1, 200: 2}}, states={"done": 3, "queued": 1}
    )
    told = as_json(Finished(shown, Ending("pages", is_done=False)), OUT, go_on(OUT), {})
    assert json.loads(json.dumps(told)) == told
    assert told["pages"] == 3
    assert told["bytes"] == 99
    assert told["seconds"] == 60.0
    assert sum(told["urls"].values()) == told["discovered"] == 4
    assert (told["left"], told["done"], told["ended"]) == (1, False, "pages")
    assert told["statuses"] == {"200": 2, "404": 1}
    assert told["go_on"] == "skitter crawl --out crawl-a.org"


def test_a_service_that_was_stopped_says_what_is_next_and_how_to_go_on(snapshot: Callable[..., Snapshot]) -> None:
    shown = snapshot(states={"scheduled": 5}, next_at=NOW + 300)
    command = go_on(Path("crawl-a.org"), is_service=True)
    told = summary(Finished(shown, Ending("stopped", is_done=False)), OUT, command, {})
    assert "Left: 5 pages to be seen again, the first of them " in told
    assert "(in 5 min)" in told
    assert told.endswith("To go on: skitter crawl --out crawl-a.org --forever")
    assert "To go on" not in summary(Finished(shown, Ending("done", is_done=True)), OUT, command, {})
