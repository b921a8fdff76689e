"""One thread looks: stores are kept for a while, acts see what is there now, and too many are told to ask again."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from skitter.console.looks import Looks
from skitter.console.port import Busy
from skitter.errors import OperatorError
from skitter.inspection.folder import Folder
from skitter.settings import DnsSettings, Settings
from skitter.shard.rocks import RocksStores
from skitter.supervisor.begin import begin


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    begin(tmp_path, ["http://127.0.0.1/"], Settings(dns=DnsSettings(allow_private=True)), 0.0)
    return tmp_path


def put(folder: Path, value: bytes) -> None:
    store = RocksStores(folder, 2**20).open(0)
    batch = store.batch()
    batch.put(b"ukey", value)
    store.write(batch)
    store.close()


def value(folder: Folder) -> bytes:
    shard = folder.shard(0)
    assert shard is not None
    return next(shard.iterate(b"u"))[1]


def test_a_store_is_kept_for_a_while_and_what_is_fresh_is_of_now(folder: Path) -> None:
    async def main() -> None:
        put(folder, b"old")
        lasting, fleeting = Looks(folder, kept=1000.0), Looks(folder, kept=0.0)
        assert await lasting.ask(value) == await fleeting.ask(value) == b"old"
        put(folder, b"new")
        assert await lasting.ask(value) == b"old"
        assert await lasting.ask(value, is_fresh=True) == b"new"
        fleeting._ends.clear()
        assert await fleeting.ask(value) == b"new"
        lasting.close()
        fleeting.close()

    asyncio.run(main())


def test_what_goes_wrong_is_told_and_the_next_one_is_answered(folder: Path) -> None:
    def wrong(_: Folder) -> bytes:
        raise OperatorError("host", "x", "y")

    async def main() -> None:
        put(folder, b"here")
        looks = Looks(folder)
        assert await looks.ask(value) == b"here"
        with pytest.raises(OperatorError):
            await looks.ask(wrong)
        assert await looks.ask(value) == b"here"
        looks.close()

    asyncio.run(main())


def test_beyond_a_few_who_wait_the_others_are_told_to_ask_again(folder: Path) -> None:
    async def main() -> None:
        looks, go_on = Looks(folder, most=2), threading.Event()
        waiting = [asyncio.ensure_future(looks.ask(lambda _: go_on.wait(60))) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Busy):
            await looks.ask(lambda _: True)
        go_on.set()
        assert await asyncio.gather(*waiting) == [True, True]
        assert await looks.ask(lambda _: True)
        looks.close()

    asyncio.run(main())


def test_who_waits_for_too_long_is_told_so_and_still_counts(folder: Path) -> None:
    async def main() -> None:
        looks, go_on = Looks(folder, most=1, longest=0.01), threading.Event()
        with pytest.raises(Busy):
            await looks.ask(lambda _: go_on.wait(60))
        with pytest.raises(Busy):  # the first is still at it
            await looks.ask(lambda _: True)
        go_on.set()
        looks.close()

    asyncio.run(main())


def test_a_crawl_that_is_being_begun_is_to_be_asked_again(tmp_path: Path) -> None:
    async def main() -> None:
        looks = Looks(tmp_path)
        with pytest.raises(Busy):
            await looks.ask(lambda _: True)
        looks.close()

    asyncio.run(main())
