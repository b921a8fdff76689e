"""A crawl's folder: who may work on it, what begins it, what stops its start."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skitter.config.load import load
from skitter.errors import OperatorError
from skitter.folder import inbox
from skitter.folder.crawlfile import read_crawl
from skitter.folder.inbox import FolderInbox
from skitter.folder.locks import locked, running
from skitter.ports import Pause, Seeds
from skitter.settings import Settings
from skitter.supervisor.begin import add_seeds, begin, require_allowed, require_contact
from skitter.supervisor.lastrun import read_last_run, write_last_run
from skitter.supervisor.progress import Progress

KNOWN = load(flags={"identity.contact": "me@a.org"}).settings


@pytest.mark.slow
def test_running_names_the_process_for_as_long_as_it_holds_the_folder(tmp_path: Path) -> None:
    assert running(tmp_path) is None
    with locked(tmp_path):
        assert running(tmp_path) == os.getpid()
        with (
            pytest.raises(OperatorError, match=f"is in use by process {os.getpid()}: stop that crawl first"),
            locked(tmp_path),
        ):
            pass
    assert running(tmp_path) is None


def test_a_file_in_the_way_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OperatorError, match="is a file, not a folder"), locked(tmp_path / "file"):
        pass


def test_seeds_added_are_in_the_inbox_and_widen_the_scope(tmp_path: Path) -> None:
    begin(tmp_path, ["http://a.org/"], KNOWN, 5.0)
    add_seeds(tmp_path, ["b.org", "http://a.org/"], KNOWN)
    assert read_crawl(tmp_path).seeds == ["http://a.org/", "https://b.org/"]
    instructions = [one for _, one in FolderInbox(tmp_path).pending(range(64))]
    offered = sorted(
        one.href for instruction in instructions if isinstance(instruction, Seeds) for one in instruction.seeds
    )
    assert offered == ["http://a.org/", "http://a.org/", "https://b.org/"]


def test_instructions_are_for_whoever_owns_their_shard_and_come_in_their_order(tmp_path: Path) -> None:
    for shard, host in ((5, "a.org"), (63, "b.org"), (5, "c.org"), (12_345, "d.org")):
        inbox.post(tmp_path, shard, Pause(host))
    (tmp_path / "inbox" / "left here by somebody").mkdir()
    (tmp_path / "inbox" / "0005" / ".being-written").write_bytes(b"{")
    for shards, hosts in (([5], ["a.org", "c.org"]), ([63, 12_345], ["b.org", "d.org"]), ([6], [])):
        assert [
            instruction.host
            for _, instruction in FolderInbox(tmp_path).pending(shards)
            if isinstance(instruction, Pause)
        ] == hosts


def test_a_folder_without_instructions(tmp_path: Path) -> None:
    assert list(FolderInbox(tmp_path).pending(range(64))) == []


REFUSED = [
    ({"dns.allow_nets": ["127.0.0.1/8"]}, "write a network as"),
    ({"dns.hosts_file": "/no/such/file"}, "can't be read"),
    ({"frontier.shards": 8}, "this crawl was created with 64, which can't be changed"),
]


@pytest.mark.parametrize(("flags", "told"), REFUSED, ids=[told for _, told in REFUSED])
def test_what_no_node_could_start_with_is_refused_before_one_does(
    tmp_path: Path, flags: dict[str, object], told: str
) -> None:
    begin(tmp_path, ["http://a.org/"], KNOWN, 5.0)
    changed = load(flags={"identity.contact": "me@a.org", **flags}).settings
    with pytest.raises(OperatorError, match=told):
        begin(tmp_path, [], changed, 6.0)
    assert "shards = 64" in (tmp_path / "skitter.toml").read_text()


@pytest.mark.parametrize(
    "seed", ["http://127.0.0.1:8080/", "http://[::1]/", "http://localhost/", "http://x.localhost/"]
)
def test_this_machine_needs_no_contact(seed: str) -> None:
    require_contact([seed], Settings())


@pytest.mark.parametrize("seed", ["http://a.org/", "http://127.evil.org/", "http://10.0.0.1/", "http://notlocalhost/"])
def test_anything_beyond_this_machine_needs_a_contact(seed: str) -> None:
    with pytest.raises(OperatorError, match=r"so that the owner of .* can ask about you"):
        require_contact([seed], Settings())


ALL_REFUSED = [["http://127.0.0.1/"], ["http://localhost:80/"], ["http://[::1]/", "http://10.1.2.3/"]]
SOME_ALLOWED = [["http://127.0.0.1/", "http://a.org/"], ["http://127.2.0.5/", "http://10.1.2.3/"]]


@pytest.mark.parametrize("seeds", ALL_REFUSED, ids=str)
def test_seeds_that_could_only_be_refused_are_a_mistake(tmp_path: Path, seeds: list[str]) -> None:
    with pytest.raises(OperatorError, match=r"its address is refused \(.*\); --allow-net NETWORK or --allow-private"):
        begin(tmp_path, seeds, KNOWN, 5.0)
    begin(tmp_path, seeds, load(flags={"identity.contact": "me@a.org", "dns.allow_private": True}).settings, 5.0)


@pytest.mark.parametrize("seeds", SOME_ALLOWED, ids=str)
def test_one_seed_that_may_be_fetched_is_enough(tmp_path: Path, seeds: list[str]) -> None:
    begin(
        tmp_path, seeds, load(flags={"identity.contact": "me@a.org", "dns.allow_nets": ["127.2.0.0/16"]}).settings, 5.0
    )


def test_no_seeds_are_none_that_could_be_refused() -> None:
    require_allowed([], Settings())


def test_how_the_last_run_went_can_be_read_back(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    assert read_last_run(tmp_path) is None
    snapshot = Progress(2, began=100.0).snapshot(160.0)
    write_last_run(tmp_path, snapshot, "done")
    last = read_last_run(tmp_path)
    assert last is not None
    assert (last.began, last.at, last.nodes, last.ended) == (100.0, 160.0, 2, "done")
    (tmp_path / "run" / "last.json").write_text("torn")
    assert read_last_run(tmp_path) is None


def test_a_disk_that_does_not_let_us_is_no_reason_to_stop(tmp_path: Path) -> None:
    write_last_run(tmp_path / "no" / "such", Progress(1, began=0.0).snapshot(1.0))
