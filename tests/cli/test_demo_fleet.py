"""`skitter demo --fleet`: real servers, real nodes, one of them killed; or words if they can't be had."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import structs

from skitter.audit.report import Breach
from skitter.cli.demo_story import Story, lines_of
from tests.servers.jars import CACHE
from tests.servers.kafka import Broker

COMMAND = [sys.executable, "-m", "skitter", "demo", "--fleet"]
KEPT = Story(
    seconds=60.0,
    requests=10,
    pages=7,
    expected=8,
    missed=[],
    killed="b",
    moved={"a": 2, "c": 1},
    hosts_moved=5,
    back_after=(11.0, 12.5),
    twice=["http://h1/p/1"],
    twice_of_killed=1,
    too_early={},
    most_at_once=1,
    forbidden=[],
    archived=9,
    files=3,
    breaches={},
)


@pytest.mark.slow
def test_a_node_is_killed_with_its_disk_and_nothing_is_lost(tmp_path: Path, broker: Broker) -> None:
    # `broker`: where none can be had this is skipped, and the demo finds what it needs where the tests keep it.
    (tmp_path / "skitter").symlink_to(CACHE)
    done = subprocess.run(
        [*COMMAND, "--json", "--out", str(tmp_path / "demo")],
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    story = json.loads(done.stdout.splitlines()[-1])
    assert story["missed"] == []
    assert story["too_early"] == {}
    assert sum(story["moved"].values()) > 0
    assert "b" not in story["moved"]
    assert story["back_after"][0] > 5, "the lease of a node that was killed is waited for"
    assert story["archived"] > 100
    assert not (tmp_path / "demo" / "nodes" / "b").exists()
    assert "node b killed with its disk" in done.stderr


@pytest.mark.slow
def test_where_a_server_cant_be_had_it_says_so_and_ends_with_2(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    java = shutil.which("java")
    if java is not None:
        (programs / "java").symlink_to(java)
    done = subprocess.run(
        [*COMMAND, "--out", str(tmp_path / "demo")],
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": str(programs)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "a server that it needs can't be had: there is no Maven (mvn)" in done.stderr
    assert "downloading a Kafka broker" in done.stderr


def test_the_story_says_what_was_kept() -> None:
    assert KEPT.is_well
    text = "\n".join(lines_of(KEPT, Path("demo")))
    assert "node b with its disk: 2 shards to a, 1 shard to c" in text
    assert "its 5 hosts were asked again 11.0 s (the first) to 12.5 s after the kill" in text
    assert "1 page, 1 of them of the hosts of node b" in text
    assert "3 WARC files in S3 with 9 requests prove the same" in text
    assert "all kept" in text


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"missed": ["http://h1/a"]}, "1: http://h1/a"),
        ({"too_early": {"h1": 0.1}}, "1: h1"),
        ({"most_at_once": 2}, "at once     2"),
        ({"forbidden": ["http://h1/private"]}, "1: http://h1/private"),
        ({"breaches": {Breach.TOO_EARLY.value: 3}}, "3 × a request followed the one before it sooner"),
    ],
)
def test_the_story_says_what_was_not_kept(changes: dict[str, object], words: str) -> None:
    broken = structs.replace(KEPT, **changes)
    assert not broken.is_well
    text = "\n".join(lines_of(broken, Path("demo")))
    assert words in text
    assert "NOT all kept" in text


def test_records_that_were_on_the_lost_disk_are_no_broken_promise() -> None:
    gone = structs.replace(KEPT, breaches={Breach.ROBOTS_UNKNOWN.value: 2})
    assert gone.is_well
    assert "records were on the disk of b" in "\n".join(lines_of(gone, Path("demo")))
