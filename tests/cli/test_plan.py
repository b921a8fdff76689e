"""`skitter plan` as people call it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

from skitter.capacity.file import PlanFile, as_toml, read_plan
from skitter.cli.app import app
from skitter.errors import OperatorError


def said(*arguments: str) -> str:
    return CliRunner().invoke(app("plan"), ["plan", *arguments], catch_exceptions=False).stdout


def figures(*arguments: str) -> dict[str, float]:
    told: Any = json.loads(said(*arguments, "--json"))
    return {one["name"]: one["value"] for one in told["figures"]}


def test_what_is_asked_for_is_reckoned() -> None:
    found = figures("--pages", "1e9", "--page-bytes", "5e4", "--urls", "1e11", "--hosts", "1e7")
    assert found["fetched in a day"] == 5e13
    assert found["filter"] == pytest.approx(1.2e11, rel=0.01)
    words = said("--pages", "1e9", "--page-bytes", "5e4", "--hosts", "1e7")
    assert "50.0 TB" in words
    assert "pages a second                      11,574   1,000,000,000 / 86,400 s" in words


def test_what_politeness_forbids_is_said() -> None:
    assert "86,400 pages a day at most, and 1,000,000 are wanted" in said("--hosts", "1")
    assert "at most" not in said()


def test_prices_are_edited_in_a_file(tmp_path: Path) -> None:
    path, before = tmp_path / "plan.toml", figures()
    path.write_text(said("--print").replace("core_hour = 0.04", "core_hour = 0.08"))
    after = figures("--file", str(path))
    assert after["nodes, $"] == pytest.approx(2 * before["nodes, $"])
    assert after["storage, $"] == before["storage, $"]
    assert figures("--file", str(path), "--pages", "2e6")["fetched in a day"] == 2 * before["fetched in a day"]
    assert read_plan(as_toml(PlanFile()), "it") == PlanFile()


def test_a_picture_is_drawn(tmp_path: Path) -> None:
    said("--plot", str(tmp_path / "cost.svg"))
    picture = ET.parse(tmp_path / "cost.svg").getroot()  # noqa: S314 (it is our own)
    assert len([one for one in picture.iter() if one.tag.endswith("polyline")]) == 3


def test_this_machine_is_measured() -> None:
    told: Any = json.loads(said("--measure", "--json"))
    times, found = told["plan"]["costs"]["times"], {one["name"]: one["value"] for one in told["figures"]}
    assert found["cores at work"] == pytest.approx(times * figures()["cores at work"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--pages", "0"], r"need.pages = 0.0: must be more than 0"),
        (["--rendered", "2"], r"need.rendered = 2.0: must be 0 or more, and 1 at most"),
        (["somewhere"], r"DIR\|FILE = 'somewhere': goes with --freshness"),
        (["--budget", "3"], r"--budget = .* goes with --freshness"),
        (["--freshness"], r"must be a crawl's folder"),
        (["--file", "/nowhere/at/all"], r"--file = '/nowhere/at/all': can't be read"),
        (["--plot", "/nowhere/at/all"], r"--plot = '/nowhere/at/all': can't be written"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: list[str], words: str) -> None:
    with pytest.raises(OperatorError, match=words):
        said(*arguments)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[need]\npages = 'many'", r"Expected `float`"),
        ("[need]\npage = 3", r"unknown field `page`"),
        ("need = ", r"--file"),
        ("[prices]\nput = -1.0", r"prices.put = -1.0: must be 0 or more"),
        ("[machine]\nbusy = 1.5", r"machine.busy = 1.5: must be more than 0, and 1 at most"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises(OperatorError, match=words):
        said("--file", str(path))


def test_histories_of_which_nothing_is_known_in_time_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "histories.jsonl"
    file.write_text(
        '{"budget": 1, "from": 0, "until": 86400}\n{"id": 1, "host": "a", "known_at": 86400, "changes": []}\n'
    )
    with pytest.raises(OperatorError, match="known_at"):
        said("--freshness", str(file))
