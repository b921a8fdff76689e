"""What is still being written is no instruction yet: whoever took it would take it away from under who writes it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from skitter.folder.atomic import whole
from skitter.folder.inbox import FolderInbox, post
from skitter.folder.orders import SetSettings, pending_orders, post_order
from skitter.ports import Instruction, Pause


def test_an_instruction_is_there_once_it_is_whole(tmp_path: Path) -> None:
    post(tmp_path, 3, Pause("a.org"))
    box = tmp_path / "inbox" / "0003"
    with whole(box / "9.json") as stream:
        stream.write(msgspec.json.encode(Pause("b.org")))
        stream.flush()
        assert found(tmp_path) == [Pause("a.org")]
    assert found(tmp_path) == [Pause("a.org"), Pause("b.org")]


def test_an_order_is_there_once_it_is_whole(tmp_path: Path) -> None:
    post_order(tmp_path, SetSettings({"politeness.delay": 2}))
    with whole(tmp_path / "inbox" / "crawl" / "9.json") as stream:
        stream.write(b"{}")
        stream.flush()
        assert len(pending_orders(tmp_path)) == 1
    assert len(pending_orders(tmp_path)) == 2


def found(folder: Path) -> list[Instruction]:
    return [instruction for _, instruction in FolderInbox(folder).pending([3])]
