"""What the nightly look found reaches the shards of a crawl, a thousand domains and hosts at a time."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from skitter.folder.inbox import FolderInbox
from skitter.judge.mirror import Mirror
from skitter.node.instructions import Instructions
from skitter.ports import Ranks
from skitter.rank import hand
from skitter.rank.published import Rank
from tests.frontier.test_frontier import SHARDS, Crawler


def rank(shard: int, domain: str, worth: float, kind: str = "domain") -> Rank:
    return Rank(
        shard, kind, domain, domain, worth, None, None, 0.0, 0, 0, 0, 0, 0, None, None, None, None, None, None, []
    )


def test_domains_are_handed_to_their_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crawler = Crawler(tmp_path / "out")
    names = [f"d{number}.test" for number in range(2500)]
    shard_of = crawler.frontier._shards.routes.shard_of
    rows = sorted(
        (rank(shard_of(name), name, place / 2500) for place, name in enumerate(names)), key=lambda one: one.shard
    )
    hosts = [rank(0, "www.d1.test", 0.9, kind="host")]
    monkeypatch.setattr(hand, "ranks_of", lambda _path, _shards: iter([*hosts, *rows]))
    assert hand.hand_on(tmp_path, tmp_path / "ranks", SHARDS) == 2500
    inbox = FolderInbox(tmp_path)
    pending = [instruction for _, instruction in inbox.pending(range(SHARDS))]
    assert all(isinstance(one, Ranks) and len(one.worths) <= hand.AT_A_TIME for one in pending)
    instructions = Instructions(inbox, crawler.frontier, lambda _seeds: None)
    rounds = 0
    while list(inbox.pending(range(SHARDS))):
        instructions.carry_out(range(SHARDS))
        rounds += 1
    assert rounds == len(pending), "one at a time: pages go on between them"
    found = [crawler.frontier._shards.of(name).domain(name) for name in names]
    assert [record.worth for record in found if record is not None] == [round(place / 2500, 4) for place in range(2500)]
    crawler.frontier.close()


def test_what_was_found_of_a_host_reaches_its_shard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crawler = Crawler(tmp_path / "out")
    shard = crawler.frontier._shards.of("copy.test")
    mirror = structs.replace(
        rank(shard.number, "copy.test", 0.25, kind="host"), pages=40, mirrored_at="http://b.test", same_paths=30
    )
    monkeypatch.setattr(hand, "ranks_of", lambda _path, _shards: iter([mirror]))
    assert hand.hand_on(tmp_path, tmp_path / "ranks", SHARDS) == 1
    inbox = FolderInbox(tmp_path)
    Instructions(inbox, crawler.frontier, lambda _seeds: None).carry_out(range(SHARDS))
    assert not list(inbox.pending(range(SHARDS)))
    assert shard.mirrors == {"copy.test": Mirror("http://b.test", 30)}
    crawler.frontier.close()
