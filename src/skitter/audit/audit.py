"""The proof: `audit(directory)` reads the WARC files alone and returns what they show.

1. Each file is read once, from end to end. Its records are checked, and what they tell of requests is put in order.
2. `sorting` hands the requests back host by host in order of time, whatever files they were in. Each host's are held
   against its delay and against its robots.txt, whose bodies are read again from where they lie in the archive.

Memory does not grow with the archive: sorting is done on disk, one exchange is looked at at a time in the first part,
and in the second the last requests and the policies of one host. Times are those that the nodes wrote. They count on
steadily within a run; a clock that is set back between two runs makes a proof fail, never pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from skitter.audit.answer import fetched_again, payload_of
from skitter.audit.archive import ArchiveReading
from skitter.audit.delays import TOLERANCE
from skitter.audit.host import HostProof
from skitter.audit.report import SHOWN, Breach, Report, Tally, Violation
from skitter.audit.sorting import SortedVisits
from skitter.audit.telling import Telling
from skitter.audit.visit import Visit
from skitter.errors import MachineError, OperatorError
from skitter.messages import Errand, Fetched
from skitter.store.warc.dates import MICRO
from skitter.store.warc.file import OPEN
from skitter.store.warc.original import original_name, original_of
from skitter.store.warc.places import all_files, folder_of
from skitter.store.warc.reader import Reader, Record


def audit(
    directory: Path,
    *,
    digests: bool = True,
    shown: int = SHOWN,
    on_progress: Callable[[int, int], None] = lambda _done, _size: None,
    telling: Telling | None = None,
    also: Sequence[Path] = (),
) -> Report:
    """Returns what the WARC files of the crawl in `directory` prove. Without `digests`, none is recomputed.

    `on_progress` is told how many bytes were read, of how many; `telling`, what was asked of its host: then only that
    host is looked at. `also` are folders with more of the same crawl: of workers elsewhere, or of other nodes.
    """
    paths = [path for folder in (directory, *also) for path in warc_files(folder)]
    size, done = sum(path.stat().st_size for path in paths), 0

    def on_read(more: int) -> None:
        nonlocal done
        done += more
        on_progress(done, max(size, done))

    tally = Tally(shown)
    with SortedVisits() as sorted_visits:
        only = None if telling is None else telling.host
        reading = ArchiveReading(sorted_visits, tally, digests=digests, on_read=on_read, only=only)
        for path in paths:
            reading.read(path)
        sorted_visits.settle()
        for at in sorted_visits.dangling():
            if _late_original(_read_again(paths[at.file], at.offset), paths) is None:
                tally.add(Violation(Breach.DANGLING, reading.sources[at.file].name, at.offset))
        hosts, closest = _prove(sorted_visits, paths, reading, tally, telling)
    return Report(
        files=len(paths),
        size=reading.size,
        records=reading.records,
        requests=reading.requests,
        robots=reading.robots,
        hosts=hosts,
        closest=closest,
        digests=digests,
        tolerance=TOLERANCE,
        counts=dict(sorted(tally.counts.items())),
        shown=tally.in_order(),
        notes=reading.notes,
    )


def warc_files(directory: Path) -> list[Path]:
    """Returns the WARC files of a crawl, sealed or not, in the order of their names."""
    folder = directory / "warc"
    if not folder.is_dir():
        raise OperatorError("DIR", str(directory), "is not the folder of a crawl: it has no warc/ in it")
    return all_files(folder)


def _prove(
    sorted_visits: SortedVisits,
    paths: Sequence[Path],
    reading: ArchiveReading,
    tally: Tally,
    telling: Telling | None,
) -> tuple[int, float | None]:
    """Returns how many hosts were visited, and the least that a gap was over the delay it had to keep."""
    hosts = 0
    closest: float | None = None
    for _, visits in sorted_visits.by_host():
        proof = HostProof(reading.sources)
        for visit, answer in _with_answers(visits, sorted_visits, paths, reading):
            for violation in proof.see(visit, answer):
                tally.add(violation)
            if telling is not None:
                telling.see(visit, answer, proof.gap, reading.sources[visit.file].promise)
        hosts += proof.visited
        if proof.closest is not None:
            closest = proof.closest if closest is None else min(closest, proof.closest)
    return hosts, closest


def _with_answers(
    visits: Iterator[Visit], sorted_visits: SortedVisits, paths: Sequence[Path], reading: ArchiveReading
) -> Iterator[tuple[Visit, Fetched | None]]:
    for visit in visits:
        is_robots = visit.errand == Errand.ROBOTS
        yield visit, _answer(visit, sorted_visits, paths, reading) if is_robots else None


def _answer(visit: Visit, sorted_visits: SortedVisits, paths: Sequence[Path], reading: ArchiveReading) -> Fetched:
    """Returns the answer to a robots.txt. One whose payload is not in the archive is one that could not be read."""
    block, truncated = None, None
    if visit.answer_at >= 0:
        record = _read_again(paths[visit.file], visit.answer_at)
        block, truncated = record.block, record.fields.get("warc-truncated")
        if visit.refers is not None:
            held = sorted_visits.find(visit.refers)
            original = _read_again(paths[held.file], held.offset) if held else _late_original(record, paths)
            block = None if original is None else block + payload_of(original.block)
    promise = reading.sources[visit.file].promise
    return fetched_again(visit.url, visit.ended / MICRO, block, promise, truncated=truncated, failure=visit.failure)


def _late_original(revisit: Record, paths: Sequence[Path]) -> Record | None:
    """Returns what a revisit refers to if it was written after we had read its file: a crawl may be running."""
    name = original_name(revisit)
    was_sealed = any(path.name == name for path in paths)
    original = None if was_sealed else original_of(revisit, folder_of(paths[0]))
    said = revisit.fields.get("warc-payload-digest")
    is_same = original is not None and said in (None, original.fields.get("warc-payload-digest"))
    return original if is_same else None


def _read_again(path: Path, offset: int) -> Record:
    """Returns the record that was found at `offset` before. MachineError if it is gone."""
    # A file that was open before may have been sealed meanwhile.
    path = path if path.exists() else path.with_name(path.name.removesuffix(OPEN))
    for record in Reader(path, offset, verify=False):
        return record
    raise MachineError(f"The record at {offset} is gone", str(path), "Ask again when nobody changes the archive.")
