"""A worker of several nodes: what it opens for one leaves alone what it has open for another."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from skitter.clock import steady_clock
from skitter.errors import OperatorError
from skitter.folder.locks import nodes_at_work
from skitter.settings import IdentitySettings, Settings
from skitter.store.warc.places import sealed_files
from skitter.store.warc.reader import Reader
from skitter.worker.parts import Own, opened
from tests.store.appending import a_capture


async def _two_at_once(own: Own) -> None:
    async with opened(Settings(), own, (0, 2), steady_clock(), lambda _: None) as first:
        await first.archive.append(a_capture(0))
        async with opened(Settings(), own, (1, 2), steady_clock(), lambda _: None) as second:
            await second.archive.append(a_capture(1))
        await first.archive.append(a_capture(2))


def _targets(path: Path) -> list[str]:
    reader = Reader(path)
    found = [record.fields["warc-target-uri"] for record in reader if record.kind == "response"]
    assert reader.broken is None
    return found


@pytest.mark.slow
def test_one_that_joins_later_leaves_the_files_of_the_others_open(tmp_path: Path) -> None:
    nodes_at_work(tmp_path)
    asyncio.run(_two_at_once(Own("one", tmp_path)))
    assert sorted(len(_targets(path)) for path in sealed_files(tmp_path / "warc")) == [1, 2]


async def _cut_short(own: Own) -> None:
    async with opened(Settings(), own, (1, 2), steady_clock(), lambda _: None) as parts:
        await parts.archive.append(a_capture(0))
    for path in sealed_files(own.directory / "warc"):
        path.rename(path.with_name(path.name + ".open"))  # as a kill leaves it
    async with opened(Settings(), own, (0, 1), steady_clock(), lambda _: None):
        pass


@pytest.mark.slow
def test_what_a_node_fewer_left_open_is_sealed(tmp_path: Path) -> None:
    nodes_at_work(tmp_path)
    asyncio.run(_cut_short(Own("one", tmp_path)))
    assert [len(_targets(path)) for path in sealed_files(tmp_path / "warc")] == [1]


def test_a_key_is_of_the_workers_own_choice(tmp_path: Path) -> None:
    """No file of ours that an API names is read, let alone signed with."""
    nodes_at_work(tmp_path)
    told = Settings(identity=IdentitySettings(contact="https://bot.test/", key_file="/etc/hostname"))

    async def opens(own: Own) -> None:
        async with opened(told, own, (0, 1), steady_clock(), lambda _: None):
            pass

    asyncio.run(opens(Own("one", tmp_path)))
    with pytest.raises(OperatorError, match=r"identity\.key_file"):
        asyncio.run(opens(Own("one", tmp_path, key_file=str(tmp_path / "mine.pem"))))
