"""Makes indexes in a thread of its own, so that writing never waits for them.

While a file is written, its index grows beside it from what the writer tells. If that fails, or a crash intervenes, the
index is made again from the file.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec

from skitter.errors import MachineError
from skitter.store.index.entries import Entry
from skitter.store.index.holding import indexed_files
from skitter.store.index.names import day_in
from skitter.store.index.paths import TABLES, TEMPORARY, cdxj_folder, table_folder, undated_tables
from skitter.store.warc.file import SUFFIX, node_of
from skitter.store.warc.places import sealed_files

if TYPE_CHECKING:
    from skitter.store.index.files import Index

_log = logging.getLogger(__name__)
_TROUBLE = (OSError, MachineError)
P = ParamSpec("P")


class Indexer:
    """The indexes of one node's WARC files. Its methods return at once, but for `close` and a second `add` in a row."""

    def __init__(self, directory: Path, node: str, heir_of: Collection[str] = ()) -> None:
        self._directory = directory
        self._nodes = {node, *heir_of}
        self._live: dict[str, Index | None] = {}  # None: it failed. The worker thread alone looks at it
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"skitter-index-{node}")
        self._jobs: list[Future[None]] = []
        self._added: Future[None] | None = None
        self.made = 0
        self.failed = 0

    def clean(self) -> None:
        """Removes what a crash left half made. Only before anything is added."""
        for folder in (cdxj_folder(self._directory), *(table_folder(self._directory, name) for name in TABLES)):
            for path in folder.rglob(f"*{TEMPORARY}"):
                if node_of(path.name) in self._nodes:
                    path.unlink(missing_ok=True)

    def make_missing(self) -> None:
        """Orders the index of every sealed file that has none."""
        indexed = indexed_files(self._directory)
        for path in sealed_files(self._directory / "warc"):
            if node_of(path.name) in self._nodes and path.name.removesuffix(SUFFIX) not in indexed:
                self._submit(self._make, path)

    def add(self, file: str, entries: Sequence[Entry]) -> None:
        """Takes what was written to `file`; waits for the batch before it, so that memory is bounded."""
        if self._added:
            self._added.result()
        self._added = self._submit(self._add, file, entries)

    def finish(self, path: Path) -> None:
        """Ends the index of a file that is now sealed."""
        self._submit(self._finish, path)

    def drop(self, file: str) -> None:
        """Gives up the index of a file that could not be sealed; it is made from the file when it is."""
        self._submit(self._spoil, file)

    def close(self) -> None:
        """Returns when every index that was asked for is made, or has failed and was logged."""
        self._worker.shutdown(wait=True)
        for job in self._jobs:
            job.result()

    def _submit(self, job: Callable[P, None], *arguments: P.args, **named: P.kwargs) -> Future[None]:
        submitted = self._worker.submit(job, *arguments, **named)
        self._jobs = [*(job for job in self._jobs if not job.done() or job.exception()), submitted]
        return submitted

    def _add(self, file: str, entries: Sequence[Entry]) -> None:
        # Here and not above: pyarrow takes longer to import than all the rest, and no page needs it to be fetched.
        from skitter.store.index.files import Index

        try:
            index = self._live[file] if file in self._live else Index(self._directory, file)
            self._live[file] = index
            if index:
                index.add(entries)
        except _TROUBLE as error:
            _log.warning("The index of %s failed (%s). It will be made again from the file.", file, error)
            self._spoil(file)

    def _finish(self, path: Path) -> None:
        index = self._live.pop(path.name, None)
        if index is None:
            self._make(path)
            return
        try:
            index.finish()
            self.made += 1
        except _TROUBLE as error:
            _log.warning("The index of %s failed (%s). It will be made again from the file.", path.name, error)
            _give_up(index)
            self._make(path)

    def _has_index(self, path: Path) -> bool:
        name = path.name.removesuffix(SUFFIX)
        return name in indexed_files(self._directory, day_in(name) or "")

    def _make(self, path: Path) -> None:
        self._spoil(path.name)
        del self._live[path.name]
        if self._has_index(path):
            return  # it was ordered twice
        from skitter.store.index.files import make_index

        try:
            for table in undated_tables(self._directory, path.name):
                table.unlink(missing_ok=True)
            make_index(self._directory, path)
            self.made += 1
        except _TROUBLE as error:
            self.failed += 1
            _log.error("There is no index of %s: %s The next start tries again.", path, error)

    def _spoil(self, file: str) -> None:
        index = self._live.get(file)
        self._live[file] = None
        if index:
            _give_up(index)

    def __repr__(self) -> str:
        return f"<Indexer of {self._directory} made={self.made} failed={self.failed} jobs={len(self._jobs)}>"


def _give_up(index: Index) -> None:
    try:
        index.drop()
    except _TROUBLE as error:
        _log.warning("What was begun of an index could not be removed (%s); the next start does it.", error)
