"""The archive as a node uses it: stored on return, once, rolled, sealed, mended, and honest about a failing disk."""

from __future__ import annotations

import asyncio
import random
import shutil
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from skitter.errors import MachineError
from skitter.messages import Stored
from skitter.ports import Capture
from skitter.settings import StoreSettings
from skitter.store.archive import Archive
from skitter.store.bodies.memory import Bodies, Known, StoredBody
from skitter.store.disk import RealDisk
from skitter.store.index.parquet import SCHEMAS
from skitter.store.index.paths import index_paths
from skitter.store.warc.original import original_of
from skitter.store.warc.payload import digests_of
from skitter.store.warc.places import relative_path
from skitter.store.warc.reader import Reader
from tests.store.following import responses

Judge = Callable[[Path], Counter[str]]
NOW = 1_794_775_600.0


def an_archive(
    directory: Path, node: str = "n1", disk: Any = None, heir_of: tuple[str, ...] = (), **settings: Any
) -> Archive:
    chosen = StoreSettings(**{"probe_seconds": 0.01, **settings})
    facts = {"software": "Skitter"}
    return Archive(directory, chosen, node=node, facts=facts, clock=lambda: NOW, disk=disk, heir_of=heir_of)


def run(archive: Archive, use: Callable[[Archive], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        async with archive:
            return await use(archive)

    return asyncio.run(main())


def store(*captures: Capture) -> Callable[[Archive], Awaitable[list[Stored]]]:
    async def together(archive: Archive) -> list[Stored]:
        return list(await asyncio.gather(*(archive.append(capture) for capture in captures)))

    return together


def sealed(directory: Path) -> list[Path]:
    return sorted((directory / "warc").rglob("*.warc.gz"))


def rows(directory: Path, table: str) -> int:
    query = f"select count(*) from read_parquet('{directory}/parquet/{table}/**/*.parquet')"
    return int(duckdb.sql(query).fetchall()[0][0])


def record_at(directory: Path, stored: Stored) -> tuple[str, bytes]:
    record = next(iter(Reader(directory / "warc" / relative_path(stored.file), stored.offset)))
    assert record.length == stored.length
    return record.kind, record.block


def test_what_append_returns_is_where_it_is(tmp_path: Path, capture: Callable[..., Capture], judged: Judge) -> None:
    captures = [capture(f"https://a.example/{n}", b"page %d" % n) for n in range(20)]
    stored = run(an_archive(tmp_path), store(*captures))
    for seen, place in zip(captures, stored, strict=True):
        assert record_at(tmp_path, place) == ("response", seen.fetched.response_head + seen.fetched.payload)
    (file,) = sealed(tmp_path)
    assert file.name == "skitter-20261115204640-n1-00000.warc.gz"
    assert judged(file) == {"warcinfo": 1, "request": 20, "response": 20, "metadata": 20}


def test_bytes_are_with_the_system_when_append_returns(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    async def use(archive: Archive) -> None:
        stored = await archive.append(capture())
        records = list(Reader(tmp_path / "warc" / f"{relative_path(stored.file)}.open"))
        assert [record.kind for record in records] == ["warcinfo", "request", "response", "metadata"]

    run(an_archive(tmp_path), use)


def test_a_body_is_stored_once(tmp_path: Path, capture: Callable[..., Capture], judged: Judge) -> None:
    one, other = capture(), capture("https://b.example/copy")
    (first, second) = run(an_archive(tmp_path), store(one, other))  # in one batch, or in two: the same
    (third,) = run(an_archive(tmp_path), store(capture("https://c.example/later")))  # and after a restart
    assert [first.revisit, second.revisit, third.revisit] == [False, True, True]
    assert len({first.digest, second.digest, third.digest}) == 1
    assert record_at(tmp_path, third) == ("revisit", one.fetched.response_head)
    revisit = next(iter(Reader(tmp_path / "warc" / relative_path(third.file), third.offset)))
    original = next(iter(Reader(tmp_path / "warc" / relative_path(first.file), first.offset)))
    assert revisit.fields["warc-refers-to-target-uri"] == original.fields["warc-target-uri"]
    assert revisit.fields["warc-refers-to-date"] == original.fields["warc-date"]
    assert revisit.fields["warc-refers-to"] == original.fields["warc-record-id"]
    assert revisit.fields["warc-payload-digest"] == original.fields["warc-payload-digest"]
    assert sum((judged(path) for path in sealed(tmp_path)), Counter())["response"] == 1


def test_rows_equal_records(
    tmp_path: Path, capture: Callable[..., Capture], failure: Callable[..., Capture], judged: Judge
) -> None:
    captures = [capture(f"https://a.example/{n}", b"page %d" % (n % 30)) for n in range(40)]
    run(an_archive(tmp_path, roll_bytes=8192), store(*captures, failure(), failure(sent=b"GET")))
    assert len(sealed(tmp_path)) > 1
    kinds = sum((judged(path) for path in sealed(tmp_path)), Counter())
    assert kinds["response"] == 30
    assert kinds["revisit"] == 10
    assert rows(tmp_path, "captures") == kinds["response"] + kinds["revisit"]
    assert rows(tmp_path, "failures") == 2
    assert kinds["metadata"] == 42
    assert rows(tmp_path, "links") == 3 * 40
    assert sum(len(path.read_bytes().splitlines()) for path in (tmp_path / "cdxj").iterdir()) == 40


def test_rolling_on_demand(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    async def use(archive: Archive) -> None:
        await archive.roll()  # nothing is open: nothing happens
        first = await archive.append(capture())
        await archive.roll()
        assert [path.name for path in sealed(tmp_path)] == [first.file]
        second = await archive.append(capture("https://b.example/", b"b"))
        assert second.file != first.file
        assert archive.statistics().sealed == 1

    run(an_archive(tmp_path), use)
    assert len(sealed(tmp_path)) == 2


def test_an_archive_that_was_not_used_leaves_no_file(tmp_path: Path) -> None:
    run(an_archive(tmp_path), store())
    assert not list((tmp_path / "warc").rglob("skitter-*"))


def test_two_nodes_share_a_folder(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    async def main() -> None:
        async with an_archive(tmp_path, "n1") as one:
            await one.append(capture())
            async with an_archive(tmp_path, "n2") as other:  # must not seal what n1 writes
                assert other.recovered == []
                await other.append(capture())
            await one.append(capture("https://b.example/", b"b"))

    asyncio.run(main())
    assert [path.name.split("-")[2] for path in sealed(tmp_path)] == ["n1", "n2"]


def test_what_a_crash_left_is_mended_on_entering(
    tmp_path: Path, capture: Callable[..., Capture], judged: Judge
) -> None:
    run(an_archive(tmp_path), store(*(capture(f"https://a.example/{n}", b"page %d" % n) for n in range(5))))
    (file,) = sealed(tmp_path)
    file.rename(f"{file}.open")
    with Path(f"{file}.open").open("r+b") as torn:
        torn.truncate(torn.seek(0, 2) - 3)
    for path in index_paths(tmp_path, file.name).values():
        path.rename(f"{path}.tmp")

    async def use(archive: Archive) -> list[Any]:
        return archive.recovered

    (recovered,) = run(an_archive(tmp_path), use)
    assert recovered.file == file.name
    assert recovered.lost > 0
    assert judged(file) == {"warcinfo": 1, "request": 5, "response": 5, "metadata": 4}
    assert rows(tmp_path, "captures") == 5
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_body_that_was_cut_off_is_stored_again(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    (stored,) = run(an_archive(tmp_path), store(capture()))
    file = tmp_path / "warc" / relative_path(stored.file)
    file.write_bytes(file.read_bytes()[: stored.offset + 5])
    file.rename(f"{file}.open")
    (again,) = run(an_archive(tmp_path), store(capture()))
    assert not again.revisit
    (third,) = run(an_archive(tmp_path), store(capture()))
    assert third.revisit


def test_missing_indexes_are_made_on_entering(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    run(an_archive(tmp_path), store(capture()))
    (file,) = sealed(tmp_path)
    before = {name: path.read_bytes() for name, path in index_paths(tmp_path, file.name).items()}
    index_paths(tmp_path, file.name)["cdxj"].unlink()
    run(an_archive(tmp_path), store())
    assert {name: path.read_bytes() for name, path in index_paths(tmp_path, file.name).items()} == before


def test_damage_is_refused_on_entering(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    stored = run(an_archive(tmp_path), store(capture(), capture("https://b.example/", b"b")))
    file = tmp_path / "warc" / relative_path(stored[0].file)
    content = bytearray(file.read_bytes())
    content[stored[0].offset + 30] ^= 0xFF
    Path(f"{file}.open").write_bytes(content)
    file.unlink()
    with pytest.raises(MachineError, match=f"damaged at offset {stored[0].offset} .*{file.name}"):
        run(an_archive(tmp_path), store())
    assert Path(f"{file}.open").read_bytes() == content


class Trial:
    """An archive on a disk that fails: what is stored before, during and after."""

    def __init__(self, directory: Path, disk: Any, capture: Callable[..., Capture], **settings: Any) -> None:
        self.directory, self.disk, self.capture, self.settings = directory, disk, capture, settings
        self.number = 0

    def next(self) -> Capture:
        self.number += 1
        return self.capture(f"https://a.example/{self.number}", b"page %d " % self.number * 300)

    async def go(self, fail: Callable[[], None], mend: Callable[[], None]) -> list[Stored]:
        async with an_archive(self.directory, disk=self.disk, **self.settings) as archive:
            stored = [await archive.append(self.next()) for _ in range(3)]
            fail()
            results = await asyncio.gather(*(archive.append(self.next()) for _ in range(5)), return_exceptions=True)
            assert all(isinstance(result, MachineError) for result in results), results
            assert not archive.is_writable()
            with pytest.raises(MachineError):  # at once, without trying the disk
                await archive.append(self.next())
            waiting = asyncio.create_task(archive.wait_writable())
            assert (await asyncio.wait([waiting], timeout=0.05))[1], "it waits while the disk fails"
            mend()
            await waiting
            stored += [await archive.append(self.next()) for _ in range(3)]
            assert archive.statistics().troubles >= 1
        return stored


def set_fault(disk: Any, *names: str, room: int | None = None) -> Callable[[], None]:
    def apply() -> None:
        disk.faults, disk.room = set(names), room

    return apply


FAULTS = {
    "disk full": {"room": 0},
    "disk full in the middle": {"room": 400},
    "failed write": {"names": ["write"]},
    "full, and it can not be cut back": {"names": ["truncate"], "room": 400},
    "all at once": {"names": ["write", "fsync", "truncate", "rename", "create", "open"]},
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_failing_disk_loses_nothing_that_was_stored(
    fault: dict[str, Any], tmp_path: Path, faulty_disk: Any, capture: Callable[..., Capture], judged: Judge
) -> None:
    trial = Trial(tmp_path, faulty_disk, capture)
    fail = set_fault(faulty_disk, *fault.get("names", ()), room=fault.get("room"))
    stored = asyncio.run(trial.go(fail, set_fault(faulty_disk)))
    kinds = sum((judged(path) for path in sealed(tmp_path)), Counter())
    assert not list((tmp_path / "warc").rglob("*.open"))
    assert kinds["response"] == rows(tmp_path, "captures") == len(stored)
    for place in stored:
        assert record_at(tmp_path, place)[0] == "response"


def test_a_failed_sync_stops_the_archive(
    tmp_path: Path, faulty_disk: Any, capture: Callable[..., Capture], judged: Judge
) -> None:
    async def use(archive: Archive) -> None:
        await archive.append(capture())
        faulty_disk.faults = {"fsync"}
        while archive.is_writable():  # the next sync is due within a tenth of a second
            await asyncio.sleep(0.01)
        assert "can't be brought to the disk" in str(archive.trouble)
        with pytest.raises(MachineError):
            await archive.append(capture("https://b.example/", b"b"))
        faulty_disk.faults = set()
        await archive.wait_writable()
        await archive.append(capture("https://c.example/", b"c"))

    run(an_archive(tmp_path, disk=faulty_disk, sync_seconds=0.1), use)
    assert [judged(path)["response"] for path in sealed(tmp_path)] == [1, 1]
    assert rows(tmp_path, "captures") == 2


@pytest.mark.parametrize("fault", ["fsync", "rename", "sync_folder"])
def test_a_file_that_can_not_be_sealed_is_sealed_by_the_next_start(
    fault: str, tmp_path: Path, faulty_disk: Any, capture: Callable[..., Capture], judged: Judge
) -> None:
    async def use(archive: Archive) -> None:
        await archive.append(capture())
        faulty_disk.faults = {fault}

    with pytest.raises(MachineError, match="can't be sealed"):
        run(an_archive(tmp_path, disk=faulty_disk), use)
    run(an_archive(tmp_path, disk=RealDisk()), store())
    (file,) = sealed(tmp_path)
    assert judged(file)["response"] == 1
    assert rows(tmp_path, "captures") == 1


def test_written_files_reach_the_disk_now_and_then(
    tmp_path: Path, faulty_disk: Any, capture: Callable[..., Capture]
) -> None:
    async def use(archive: Archive) -> None:
        await archive.append(capture())
        while archive.statistics().syncs == 0:
            await asyncio.sleep(0.01)
        assert faulty_disk.calls["fsync"] == 1

    run(an_archive(tmp_path, disk=faulty_disk, sync_seconds=0.1), use)


class Forgetful(Bodies):
    """A memory that fails on command."""

    broken = ""

    def claim(self, keys: Iterable[bytes]) -> Known:
        self._fail("claim")
        return super().claim(keys)

    def remember(self, places: Iterable[tuple[bytes, StoredBody]]) -> None:
        self._fail("remember")
        super().remember(places)

    def _fail(self, name: str) -> None:
        if self.broken == name:
            raise MachineError("The memory failed", "there", "Mend it.")


@pytest.mark.parametrize(("broken", "is_stored"), [("claim", False), ("remember", True)])
def test_a_memory_that_fails_is_trouble(
    broken: str, is_stored: bool, tmp_path: Path, capture: Callable[..., Capture]
) -> None:
    bodies = Forgetful(tmp_path)

    async def main() -> None:
        archive = Archive(
            tmp_path, StoreSettings(probe_seconds=0.01), node="n1", facts={}, clock=lambda: NOW, bodies=lambda: bodies
        )
        async with archive:
            bodies.broken = broken
            (result,) = await asyncio.gather(archive.append(capture()), return_exceptions=True)
            assert isinstance(result, Stored if is_stored else MachineError), result
            assert "The memory failed" in str(archive.trouble)
            with pytest.raises(MachineError, match="The memory failed"):
                await archive.append(capture())
            bodies.broken = ""
            await archive.wait_writable()
            assert not (await archive.append(capture())).revisit, "nobody could know it"
            assert (await archive.append(capture())).revisit

    asyncio.run(main())
    assert rows(tmp_path, "captures") == 2 + is_stored


def test_a_memory_that_can_not_be_read_is_waited_for(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    (tmp_path / "bodies" / "hints-1-0").mkdir(parents=True)

    async def use(archive: Archive) -> None:
        with pytest.raises(MachineError, match=r"memory of stored bodies failed .*Make room or mend the disk"):
            await archive.append(capture())
        assert not archive.is_writable()
        (tmp_path / "bodies" / "hints-1-0").rmdir()
        with closing(Bodies(tmp_path)) as other:
            key = digests_of(capture().fetched).key
            assert key is not None
            assert other.claim([key]) == {key: None}, "nobody has a claim on what was not stored"
        await archive.wait_writable()
        assert not (await archive.append(capture())).revisit
        assert (await archive.append(capture())).revisit

    run(an_archive(tmp_path), use)


def remove_memory(directory: Path) -> None:
    shutil.rmtree(directory / "bodies")


def damage_memory(directory: Path) -> None:
    file = directory / "bodies" / "hints-1-0"
    content = bytearray(file.read_bytes())
    dice = random.Random(1)
    for at in (at for at, byte in enumerate(content) if byte and not dice.randrange(40)):
        content[at] ^= 1 << dice.randrange(8)
    file.write_bytes(content)


@pytest.mark.slow
@pytest.mark.parametrize("spoil", [remove_memory, damage_memory])
def test_without_its_memory_the_archive_stores_again_and_refers_to_nothing_that_is_not_there(
    spoil: Callable[[Path], None], tmp_path: Path, capture: Callable[..., Capture], judged: Judge
) -> None:
    captures = [capture(f"https://a.example/{n}", b"page %d" % n) for n in range(60)]
    run(an_archive(tmp_path), store(*captures))
    spoil(tmp_path)
    stored = run(an_archive(tmp_path), store(*captures))
    again = sum(not place.revisit for place in stored)
    assert again == 60 if spoil is remove_memory else 5 < again < 55
    assert len(responses(tmp_path, judged)) == 60 + again


def test_what_an_earlier_version_remembered_is_left_alone(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    (tmp_path / "digests-n1").mkdir()
    (tmp_path / "digests-n1" / "CURRENT").write_text("MANIFEST-000001\n")
    assert not run(an_archive(tmp_path), store(capture()))[0].revisit
    assert (tmp_path / "digests-n1" / "CURRENT").read_text() == "MANIFEST-000001\n"


def test_whoever_is_cancelled_leaves_the_others_alone(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    async def use(archive: Archive) -> int:
        tasks = [asyncio.create_task(archive.append(capture(f"https://a.example/{n}", b"%d" % n))) for n in range(30)]
        await asyncio.sleep(0)
        for task in tasks[::2]:
            task.cancel()
        return sum(isinstance(r, Stored) for r in await asyncio.gather(*tasks, return_exceptions=True))

    assert run(an_archive(tmp_path), use) == 15


def test_a_bug_in_the_writer_reaches_everyone(tmp_path: Path, capture: Callable[..., Capture], judged: Judge) -> None:
    results: list[Any] = []

    async def main() -> None:
        async with an_archive(tmp_path) as archive:
            await archive.append(capture())
            poison = archive.append(capture(links=[("not", "a", "link")]))
            results.extend(await asyncio.gather(poison, archive.append(capture()), return_exceptions=True))
            results.extend(await asyncio.gather(archive.append(capture()), return_exceptions=True))

    with pytest.raises(RuntimeError, match="takes no more") as caught:
        asyncio.run(main())
    assert isinstance(caught.value.__cause__, IndexError)
    assert [type(result) for result in results[:2]] == [IndexError, IndexError]
    assert isinstance(results[2], IndexError | RuntimeError)  # as the thread was ending, or after
    run(an_archive(tmp_path), store())  # the memory was let go, and what was stored is sealed
    assert [judged(path)["response"] for path in sealed(tmp_path)] == [1]


def test_nothing_is_taken_after_the_end(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    async def main() -> None:
        archive = an_archive(tmp_path)
        async with archive:
            pass
        with pytest.raises(RuntimeError, match="takes no more"):
            await archive.append(capture())

    asyncio.run(main())


def test_callers_that_wait_together_share_a_write(
    tmp_path: Path, faulty_disk: Any, capture: Callable[..., Capture]
) -> None:
    async def use(archive: Archive) -> None:
        await store(*(capture(f"https://a.example/{n}", b"%d" % n) for n in range(200)))(archive)
        assert archive.statistics().captures == 200
        assert archive.statistics().batches <= 20

    run(an_archive(tmp_path, disk=faulty_disk), use)


def test_every_table_can_be_queried_as_a_whole(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    run(an_archive(tmp_path, roll_bytes=4096), store(*(capture(f"https://{n}.example/", b"%d" % n) for n in range(9))))
    assert len(sealed(tmp_path)) > 1
    assert {table: rows(tmp_path, table) for table in SCHEMAS} == {
        "captures": 9,
        "failures": 0,
        "links": 27,
        "hosts": 9,
    }


def test_what_a_node_that_is_no_more_left_open_is_sealed_by_its_heir(
    tmp_path: Path, capture: Callable[..., Capture], judged: Judge
) -> None:
    run(an_archive(tmp_path, "n2"), store(capture()))
    (file,) = sealed(tmp_path)
    left = file.rename(f"{file}.open")
    for index in index_paths(tmp_path, file.name).values():
        index.unlink()
    run(an_archive(tmp_path, "n1"), store())
    assert left.exists(), "a node that may be alive is left alone"
    run(an_archive(tmp_path, "n0", heir_of=("n2", "n4")), store())
    assert judged(file)["response"] == 1
    assert all(index.exists() for index in index_paths(tmp_path, file.name).values())


def test_a_quiet_crawl_is_readable_in_time(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    times = [NOW]
    settings = StoreSettings(sync_seconds=0.1, roll_seconds=3600)
    archive = Archive(tmp_path, settings, node="n1", facts={}, clock=lambda: times[-1])

    async def use(archive: Archive) -> None:
        stored = await archive.append(capture())
        times.append(NOW + 3600)
        async with asyncio.timeout(20):
            while not index_paths(tmp_path, stored.file)["cdxj"].exists():
                await asyncio.sleep(0.01)
        assert rows(tmp_path, "captures") == 1
        assert [path.name for path in sealed(tmp_path)] == [stored.file]

    run(archive, use)


def flattened(directory: Path) -> None:
    """Gives files the places that they had before there were folders by day."""
    for path in [*(directory / "warc").rglob("skitter-*"), *directory.glob("parquet/*/*/*/*/*")]:
        path.rename(path.parents[3] / path.name)


def test_an_archive_without_days_is_read_on(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    run(an_archive(tmp_path), store(capture(), capture("https://b.example/", b"b")))
    flattened(tmp_path)
    (old,) = sealed(tmp_path)
    assert old.parent == tmp_path / "warc"
    (again,) = run(an_archive(tmp_path, node="n2"), store(capture("https://c.example/")))
    assert again.revisit, "its bodies are known"
    revisit = next(iter(Reader(tmp_path / "warc" / relative_path(again.file), again.offset)))
    original = original_of(revisit, tmp_path / "warc")
    assert original is not None
    assert original.block.endswith(b"<p>hello</p>")
    assert rows(tmp_path, "captures") == 3, "and its index was not made again"


def test_what_an_older_run_left_open_and_half_indexed_is_mended(
    tmp_path: Path, capture: Callable[..., Capture]
) -> None:
    run(an_archive(tmp_path), store(capture()))
    flattened(tmp_path)
    (old,) = sealed(tmp_path)
    index_paths(tmp_path, old.name)["cdxj"].unlink()  # a crash: its tables were there, its CDXJ was not
    old.rename(f"{old}.open")
    run(an_archive(tmp_path), store())
    assert sealed(tmp_path) == [old]
    assert rows(tmp_path, "captures") == 1
