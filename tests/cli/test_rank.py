"""`skitter rank` on a crawl that was made, and by a crawl that runs."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from msgspec import structs

from skitter.cli.rank import as_table, in_words
from skitter.rank.look import Look
from skitter.rank.published import Rank, newest, ranks_of
from tests.processes import wait_for

DONE = Look("/out/ranks.parquet", links=1_234_567, captures=1, domains=12, hosts=1, mirrors=0, seconds=75.0)
GOOD = Rank(
    *(0, "domain", "a.org", "a.org", 0.876, 0.1, 0.2, 0.5, 1234, 9, 0, 100, 50),
    *(0.0, 0.0, 0.0, 0.0, None, None, ["seed", "vouched"]),  # type: ignore[arg-type]
)


def skitter(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "skitter", *words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "Ranked 12 domains and 1 host by 1,234,567 links and 1 capture in 1 min 15 s: /out/ranks.parquet"),
        ({"mirrors": 1}, "in 1 min 15 s; 1 host is a mirror: /out/ranks.parquet"),
        ({"mirrors": 2}, "in 1 min 15 s; 2 hosts are mirrors: /out/ranks.parquet"),
    ],
    ids=["no mirror", "one", "two"],
)
def test_what_was_done_in_one_line(changes: dict[str, int], told: str) -> None:
    assert in_words(structs.replace(DONE, **changes)).endswith(told)


def test_a_table_of_ranks() -> None:
    copy = structs.replace(GOOD, name="b.org", worth=0.1, mirror_of="a.org", reasons=["mirror"])
    assert as_table([GOOD, copy]).splitlines() == [
        "domain  worth  linked from  independent  supporters  pages  why",
        "a.org    0.88        1,234            9         100     50  seed vouched",
        "b.org    0.10        1,234            9         100     50  mirror of a.org",
    ]


@pytest.mark.slow
def test_a_crawl_is_ranked(command: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    crawled = subprocess.run([*command, "--out", str(out), "--json"], check=True, capture_output=True, text=True)
    shown = skitter("rank", str(out), "--show")
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.startswith("The best:\ndomain ")
    assert "\nThe worst:\ndomain " in shown.stdout
    assert shown.stdout.splitlines()[-1].startswith("Ranked 3 domains and 3 hosts by ")
    assert "  seed        the operator named it\n" in shown.stdout
    ElementTree.parse(out / "parquet" / "ranks" / "worth.svg")  # noqa: S314 (our own)
    told = json.loads(skitter("rank", str(out), "--show", "--json").stdout)
    pages = json.loads(crawled.stdout.splitlines()[-1])["pages"]
    assert (told["domains"], told["hosts"], len(told["best"]), sum(told["spread"]["host"])) == (3, 3, 3, 3)
    assert told["ranks"] == str(newest(out))
    assert sum(one.pages for one in ranks_of(Path(told["ranks"]), range(64)) if one.kind == "host") == pages
    assert all(one.worth >= 0.3 for one in ranks_of(Path(told["ranks"]), range(64)))


@pytest.mark.slow
def test_a_running_crawl_ranks_itself_and_ends_in_order(command: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    often = ["--set", "schedule.rank_every=0.2", "--set", "store.roll_bytes=4096", "--delay", "0.4", "--forever"]
    with subprocess.Popen(
        [*command, *often, "--out", str(out), "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        try:
            asyncio.run(wait_for(lambda: newest(out) is not None or running.poll() is not None, 120))
        finally:
            running.terminate()
        _, said = running.communicate()
    assert running.returncode in (0, 3), said  # it may have been through by then
    assert "nightly" not in said
    path = newest(out)
    assert path is not None, said
    assert list(ranks_of(path, range(64)))


@pytest.mark.slow
def test_a_crawl_goes_on_though_its_look_fails(command: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "parquet" / "links").mkdir(parents=True)
    (out / "parquet" / "links" / "broken.parquet").write_bytes(b"broken")
    often = ["--set", "schedule.rank_every=0.1", "--delay", "0.4"]
    ended = subprocess.run([*command, *often, "--out", str(out), "--json"], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout.splitlines()[-1])["done"]
    assert ended.stderr.count("the nightly look failed, and the crawl goes on without: exit code 4.") == 1


@pytest.mark.slow
def test_mistakes(tmp_path: Path) -> None:
    ended = skitter("rank", str(tmp_path))
    assert ended.returncode == 2
    assert ended.stderr == f"skitter: DIR = '{tmp_path}': is not the folder of a crawl: it has no crawl.json\n"
