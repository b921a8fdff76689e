"""`skitter recrawl` and `skitter history`: a page is seen again, and all its visits are told."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from skitter.cli.app import app
from skitter.cli.history import LEGEND, in_words, plot
from skitter.inspection.history import History, Visit, told
from skitter.messages import State

if TYPE_CHECKING:
    from tests.cli.conftest import Web

DAY = 86400.0
NOW = 1_800_000_000.0


def visit(days: float, changed: bool | None = False, status: int = 200, failure: str | None = None) -> Visit:
    return Visit(NOW + days * DAY, status, failure, changed, 1234, "one.warc.gz", 7)


def row(day: int, status: int | None = 200, digest: str | None = "a", failure: str | None = None) -> dict[str, Any]:
    place = {"warc_file": "f", "warc_offset": 0}
    return {"fetched_at": datetime(2026, 11, day), "status": status, "digest": digest, "failure": failure, **place}  # noqa: DTZ001


def test_each_visit_is_compared_with_the_last_good_one_before_it() -> None:
    rows = [
        row(5, digest="b"),
        row(1),
        row(2),
        row(3, status=None, digest=None, failure="reset"),
        row(4, status=404, digest="x", failure="gone"),
        row(6, status=304, digest=None),
        row(7, digest="b"),
    ]
    assert [one.changed for one in told(rows)] == [None, False, None, None, True, False, False]


@pytest.mark.parametrize("width", [20, 80, 100])
def test_the_plot_fits_and_has_every_end(width: int) -> None:
    visits = [visit(0, None), visit(1), visit(5, changed=True), visit(10, None, 404, "gone"), visit(30)]
    line, ends, legend = plot(visits, width)
    assert len(line) <= width
    marks = [sign for sign in line if sign not in " ─"]
    assert (marks[0], marks[-1], "●" in marks) == ("◆", "○", True)
    assert legend.strip() == LEGEND
    assert len(ends) <= max(width, 22)


def test_a_change_is_not_hidden_by_visits_beside_it() -> None:
    visits = [visit(0, None), *(visit(day / 1000, changed=day == 500) for day in range(1, 1000)), visit(1)]
    assert plot(visits, 40)[0].count("●") == 1


def test_a_single_visit() -> None:
    line, ends, _ = plot([visit(0, None)], 80)
    assert (line, ends.strip()[:4]) == ("  ◆", "2027")


def test_the_lines_of_visits_fit_into_a_narrow_terminal() -> None:
    known = History("http://a/", [visit(0, None), visit(1)], State.DONE, None, None, None, None, True)
    assert max(map(len, list(in_words(known, NOW, 60))[1:6])) <= 60
    assert "one.warc.gz" in "\n".join(in_words(known, NOW, 80))


def test_what_is_planned_and_why() -> None:
    known = History("http://a/", [visit(0, None)], State.SCHEDULED, 1 / DAY, 2 * DAY, NOW + 2 * DAY, None, False)
    text = "\n".join(in_words(known, NOW, 80))
    assert "It changes about once in 1 d, as far as its visits tell." in text
    assert "(in 2 d): 2 d after the last visit, by its changes so far." in text
    assert "not in the tables yet" in text
    unknown = "\n".join(in_words(History("http://a/", [], None, None, None, None, None, True), NOW, 80))
    assert "The crawl does not know this URL." in unknown


def said(*arguments: object) -> str:
    return CliRunner().invoke(app(), [*map(str, arguments)], catch_exceptions=False).stdout


@pytest.mark.slow
def test_a_page_is_seen_again_and_both_visits_are_told(command: list[str], web: Web, tmp_path: Path) -> None:
    def crawl() -> Any:
        told = subprocess.run(
            [*command, "--out", str(tmp_path), "--json", "--quiet"],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        return json.loads(told.stdout)

    first = crawl()
    assert "as soon as politeness allows" in said("recrawl", tmp_path, web.seed)
    assert crawl()["pages"] == 1
    story = json.loads(said("history", tmp_path, web.seed, "--json"))
    assert [one["changed"] for one in story["visits"]] == [None, False]
    assert story["all_indexed"]
    assert "as before" in said("history", tmp_path, web.seed)
    said("recrawl", tmp_path, "--all")
    assert crawl()["pages"] == first["pages"]
    host = web.seed.removeprefix("http://").rstrip("/")
    said("recrawl", tmp_path, host)
    assert 1 < crawl()["pages"] < first["pages"]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [[], ["http://nowhere.test/x"], ["http://a.org/", "--all"]])
def test_what_makes_no_sense_is_refused(command: list[str], tmp_path: Path, arguments: list[str]) -> None:
    subprocess.run([*command, "--out", str(tmp_path), "--max-pages", "1", "--quiet"], check=False, timeout=60)
    asked = [sys.executable, "-m", "skitter", "recrawl", str(tmp_path), *arguments]
    told = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=60)
    assert told.returncode == 2
    assert told.stderr.startswith("skitter: URL")
