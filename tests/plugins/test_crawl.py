"""Whole crawls with plug-ins, in real processes: what they say counts, and nothing that they do stops a crawl."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import skitter
from skitter.library.crawl import CrawlSync
from skitter.store.index.facts import Facts, decode
from skitter.store.warc.places import sealed_files
from skitter.store.warc.reader import Reader
from skitter.supervisor.lastrun import LastRun, read_last_run
from tests.plugins.site import options, page, served
from tests.processes import children_since

pytestmark = pytest.mark.slow
HERE = str(Path(__file__).parent)
NAMES = [f"p{number}" for number in range(8)]
SITE = {
    "/": page("Home", "welcome to all of you", *NAMES),
    **{f"/{name}": page(name, f"this is {name}, and it says {name * 3}") for name in NAMES},
}


def crawled(out: Path, site: dict[str, tuple[str, bytes]], **plugins: Any) -> dict[str, Facts]:
    """Crawls, and returns what the archive has to say of each page, by its path."""
    with served(site) as url:
        count = len(list(skitter.crawl(url, out, **options(folder=HERE, **plugins))))
        records = [one for file in sealed_files(out / "warc") for one in Reader(file) if one.kind == "metadata"]
        told = {one.fields["warc-target-uri"].removeprefix(url): decode(one.block) for one in records}
    facts = {path: one for path, one in told.items() if one.errand == "page"}
    assert len(facts) == count
    return facts


def last_run(out: Path) -> LastRun:
    last = read_last_run(out)
    assert last is not None
    return last


def skitter_says(*words: object) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "skitter", *map(str, words)], capture_output=True, text=True, check=True
    )
    return done.stdout


FAULTS = {"Raises": "error", "Hangs": "hung", "Leaks": "died", "Babbles": "rubbish", "Aborts": "died"}


def test_a_crawl_goes_on_whatever_plugins_do(tmp_path: Path) -> None:
    """Each of five does its worst on a page of its own, and is asked for all others."""
    started = children_since()
    place = {name: NAMES[number] for number, name in enumerate(FAULTS)}
    parts = {f"naughty:{name}": {"part": f"/{path}"} for name, path in place.items()}
    facts = crawled(tmp_path / "out", SITE, use=list(parts), options=parts, deadline=3.0, memory=300_000_000)
    assert set(facts) == {"", *NAMES}  # all pages, and the links of all
    for name, fault in FAULTS.items():
        told = facts[place[name]]
        assert (told.reasons, told.verdict) == ([f"plugin:naughty.{name}:{fault}"], "follow")
        assert set(told.fields) == {f"by.{other}" for other in FAULTS if other != name}
    for path in set(facts) - set(place.values()):
        assert (set(facts[path].fields), facts[path].reasons) == ({f"by.{name}" for name in FAULTS}, [])
    counted = last_run(tmp_path / "out").counted
    calls = counted.plugin_calls
    assert counted.plugin_seconds["naughty.Hangs"] >= 3.0 > min(counted.plugin_seconds.values()) > 0
    wanted = {f"naughty.{name} {fault}": 1 for name, fault in FAULTS.items()}
    assert calls == wanted | {f"naughty.{name} ok": 8 for name in FAULTS}
    assert not started()


def test_one_that_always_fails_is_switched_off_and_that_is_said(tmp_path: Path) -> None:
    name, out = "naughty:Quick", tmp_path / "out"
    facts = crawled(out, SITE, use=[name], options={name: {"how": "raise"}}, patience=3)
    assert sorted(reason for one in facts.values() for reason in one.reasons) == [
        *["plugin:naughty.Quick:error"] * 3,
        *["plugin:naughty.Quick:off"] * 6,
    ]
    assert "Plug-in:  naughty.Quick: 3 calls in" in (told := skitter_says("status", out))
    assert "3 error, 6 off." in told
    url = next(iter(skitter.read(out))).url
    assert "naughty.Quick raised ZeroDivisionError" in skitter_says("why", out, url)


def test_while_it_runs_a_crawl_says_what_is_switched_off(tmp_path: Path) -> None:
    name, out = "naughty:Quick", tmp_path / "out"
    settings = options(use=[name], folder=HERE, options={name: {"how": "raise"}}, patience=1, rest=3600.0)
    with served(SITE) as url, CrawlSync(url, out, **settings | {"delay": 0.5}) as crawl:
        for _ in crawl.pages():
            troubles = last_run(out).troubles if (out / "run" / "last.json").exists() else []
            if troubles:
                break
    assert troubles == [
        "node 0: the plug-in naughty.Quick is switched off for a while, and pages go without it: "
        "it raised ZeroDivisionError: integer division or modulo by zero"
    ]


def test_urls_are_refused_and_weighed_and_why_tells_it(tmp_path: Path) -> None:
    out = tmp_path / "out"
    site = {
        "/": page("Home", "welcome", "ab", "ac", "ad"),
        **{f"/{n}": page(n, f"this is {n}") for n in ("ab", "ac", "ad")},
    }
    facts = crawled(
        out, site, use=["naughty:Chooser", "naughty:NaughtyUrls"], options={"naughty:NaughtyUrls": {"how": "none"}}
    )
    assert set(facts) == {"", "ac", "ad"}
    assert list(facts) == ["", "ad", "ac"]
    assert list(facts[""].refused.values()) == ["plugin:naughty.Chooser:has_b"]
    assert "the plug-in naughty.Chooser refuses it (has_b)" in skitter_says("why", out, f"{home(out)}ab")
    table = pq.read_table(next((out / "parquet" / "links").rglob("*.parquet"))).to_pylist()
    assert {row["target"][-2:]: row["refused"] for row in table} == {
        "ab": "plugin:naughty.Chooser:has_b",
        "ac": None,
        "ad": None,
    }


def home(out: Path) -> str:
    return next(page.url for page in skitter.read(out) if page.depth == 0)


def test_a_url_filter_that_fails_refuses_nothing(tmp_path: Path) -> None:
    name = "naughty:NaughtyUrls"
    facts = crawled(tmp_path / "out", SITE, use=[name], options={name: {"how": "raise"}})
    assert set(facts) == {"", *NAMES}
    assert facts[""].reasons == ["plugin:naughty.NaughtyUrls:error"]


def test_a_mistake_stops_a_crawl_before_it_begins(tmp_path: Path) -> None:
    with pytest.raises(skitter.OperatorError, match="NoPlugin is no plug-in"):
        list(skitter.crawl("http://127.0.0.1:1/", tmp_path / "out", **options(folder=HERE, use=["naughty:NoPlugin"])))
    assert not (tmp_path / "out" / "crawl.json").exists()
