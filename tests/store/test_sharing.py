"""Several nodes store the same bodies in one folder: each body once, and all others refer to a record that is there."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from skitter.errors import MachineError
from skitter.ports import Capture
from skitter.settings import StoreSettings
from skitter.store import archive as module
from skitter.store.archive import Archive
from skitter.store.bodies.memory import Bodies
from skitter.store.warc.payload import digests_of
from skitter.store.warc.places import relative_path
from skitter.store.warc.reader import Reader
from tests.store.following import Judge, responses
from tests.store.sharing import EACH, a_capture


def an_archive(directory: Path, node: str, disk: Any = None, **settings: Any) -> Archive:
    chosen = StoreSettings(**{"probe_seconds": 0.01, **settings})
    return Archive(directory, chosen, node=node, facts={}, clock=lambda: 1_794_775_600.0, disk=disk)


def key_of(capture: Capture) -> bytes:
    key = digests_of(capture.fetched).key
    assert key is not None
    return key


@contextmanager
def sharing(folder: Path, node: str, count: int, stop: str = "-") -> Iterator[subprocess.Popen[str]]:
    """Yields a process that is a node; it is gone afterwards."""
    command = [sys.executable, "-m", "tests.store.sharing", str(folder), node, str(count), stop]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_two_nodes_that_store_in_turn_store_a_body_once(tmp_path: Path, judged: Judge) -> None:
    async def main() -> list[bool]:
        async with an_archive(tmp_path, "n1") as one, an_archive(tmp_path, "n2") as other:
            stored = [await node.append(a_capture("h", 1, turn)) for turn, node in enumerate((one, other, other, one))]
        return [place.revisit for place in stored]

    assert asyncio.run(main()) == [False, True, True, True]
    assert len(responses(tmp_path, judged)) == 1


def test_nodes_that_store_at_once_store_a_body_once(tmp_path: Path, judged: Judge) -> None:
    async def main() -> int:
        async with an_archive(tmp_path, "n1") as one, an_archive(tmp_path, "n2") as other:
            some = [node.append(a_capture("h", number, 0)) for number in range(50) for node in (one, other)]
            return sum(place.revisit for place in await asyncio.gather(*some))

    assert asyncio.run(main()) == 50
    assert len(responses(tmp_path, judged)) == 50


@pytest.mark.slow
def test_processes_that_hammer_the_same_bodies_store_each_once(tmp_path: Path, judged: Judge) -> None:
    count, nodes = 400, 3
    with (
        sharing(tmp_path, "n0", count) as one,
        sharing(tmp_path, "n1", count) as two,
        sharing(tmp_path, "n2", count) as three,
    ):
        assert [process.wait(60) for process in (one, two, three)] == [0, 0, 0]
    found = responses(tmp_path, judged)
    assert len(found) == len({record.fields["warc-payload-digest"] for record in found}) == count
    assert {record.fields["warc-target-uri"].split("/")[2] for record in found} == {
        f"n{n}.example" for n in range(nodes)
    }
    files = (tmp_path / "warc").rglob("skitter-*")
    kinds = sum((Counter(record.kind for record in Reader(path)) for path in files), Counter())
    assert kinds["revisit"] == count * EACH * nodes - count


@pytest.mark.parametrize("stop", ["claimed", "written"])
@pytest.mark.slow
def test_a_node_that_is_killed_with_a_claim_leaves_the_body_to_others(stop: str, tmp_path: Path, judged: Judge) -> None:
    async def main() -> list[bool]:
        with sharing(tmp_path, "n1", 1, stop) as killed:
            assert killed.stdout is not None
            assert await asyncio.to_thread(killed.stdout.readline) == f"{stop}\n"
            async with an_archive(tmp_path, "n2") as other:
                waiting = asyncio.create_task(other.append(a_capture("n2", 0, 0)))
                assert (await asyncio.wait([waiting], timeout=0.1))[1], "another node is storing it"
                killed.kill()
                stored = [await waiting, await other.append(a_capture("n2", 0, 1))]
            async with an_archive(tmp_path, "n1") as again:
                stored.append(await again.append(a_capture("n1", 0, 0)))
        return [place.revisit for place in stored]

    assert asyncio.run(main()) == [False, True, True]
    # What the one who died had written is a copy that nobody knows: it costs space.
    assert len(responses(tmp_path, judged)) == {"claimed": 1, "written": 2}[stop]


def test_who_waits_for_another_node_holds_nobody_up(tmp_path: Path) -> None:
    async def main() -> None:
        held, free = a_capture("h", 1, 0), a_capture("h", 2, 0)
        async with an_archive(tmp_path, "n1") as archive:
            with closing(Bodies(tmp_path)) as other:
                assert other.claim([key_of(held)]) == {key_of(held): None}
                waiting = [asyncio.create_task(archive.append(held)) for _ in range(module.BATCH_CAPTURES + 1)]
                await asyncio.sleep(0)  # they are in line, and more than one batch
                assert not (await archive.append(free)).revisit
                assert not any(task.done() for task in waiting)
                assert archive.statistics().waiting == len(waiting)
            stored = await asyncio.gather(*waiting)
        assert sum(not place.revisit for place in stored) == 1

    asyncio.run(main())


def test_a_node_that_holds_a_claim_too_long_is_waited_for_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    capture = a_capture("h", 1, 0)

    async def main() -> list[bool]:
        with closing(Bodies(tmp_path)) as other:
            other.claim([key_of(capture)])
            async with an_archive(tmp_path, "n1") as archive:
                stored = [await archive.append(capture), await archive.append(capture)]
                other.release()
                stored += [await archive.append(capture), await archive.append(capture)]
        return [place.revisit for place in stored]

    assert asyncio.run(main()) == [False, False, False, True], "a copy is not written down without a claim"


def test_who_waits_is_told_when_the_disk_fails(
    tmp_path: Path, faulty_disk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 3600.0)

    async def main() -> None:
        held, free = a_capture("h", 1, 0), a_capture("h", 2, 0)
        with closing(Bodies(tmp_path)) as other:
            other.claim([key_of(held)])
            async with an_archive(tmp_path, "n1", faulty_disk) as archive:
                waiting = asyncio.create_task(archive.append(held))
                faulty_disk.faults = {"write"}
                with pytest.raises(MachineError):
                    await archive.append(free)
                with pytest.raises(MachineError):
                    await waiting
                faulty_disk.faults = set()
                await archive.wait_writable()
                assert other.claim([key_of(free)]) == {key_of(free): None}, "what failed is left to others"

    asyncio.run(main())


@pytest.mark.parametrize("sync_seconds", [0.1, 3600], ids=["now and then", "at the end"])
def test_what_is_referred_to_reaches_the_disk_first(sync_seconds: float, tmp_path: Path, faulty_disk: Any) -> None:
    """Else a power cut could leave a revisit without its original."""

    async def store(turn: int) -> list[str]:
        faulty_disk.synced.clear()
        async with an_archive(tmp_path, "n2", faulty_disk, sync_seconds=sync_seconds) as other:
            assert (await other.append(a_capture("h", 1, turn))).revisit
            while sync_seconds < 1 and not other.statistics().syncs:
                await asyncio.sleep(0.01)
        return [name.split("-")[2] for name in faulty_disk.synced]

    async def main() -> None:
        async with an_archive(tmp_path, "n1", sync_seconds=3600) as one:
            await one.append(a_capture("h", 1, 0))
            assert await store(1) == ["n1", "n2"]
            await one.roll()
            assert await store(2) == ["n2"], "what is sealed is on the disk"

    asyncio.run(main())


def test_what_a_power_cut_took_is_not_referred_to(tmp_path: Path, judged: Judge) -> None:
    """One node starts before the other has mended the file that the cut left."""

    async def first() -> Path:
        async with an_archive(tmp_path, "n1") as archive:
            stored = [await archive.append(a_capture("h", number, 0)) for number in range(3)]
        file = tmp_path / "warc" / relative_path(stored[0].file)
        content = file.read_bytes()
        file.unlink()
        file.with_name(f"{file.name}.open").write_bytes(content[: stored[1].offset + 5] + bytes(1000))
        return file

    async def then() -> list[bool]:
        async with an_archive(tmp_path, "n2") as other:
            stored = [await other.append(a_capture("h", number, 1)) for number in range(2)]
            async with an_archive(tmp_path, "n1"):
                stored += [await other.append(a_capture("h", number, 2)) for number in range(3)]
        return [place.revisit for place in stored]

    file = asyncio.run(first())
    assert asyncio.run(then()) == [False, False, True, True, False]
    assert file.exists()
    assert len(responses(tmp_path, judged)) == 4
