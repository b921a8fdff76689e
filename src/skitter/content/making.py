"""The tables of what documents say, for every WARC file of a crawl that has none. A kill costs the file in hand."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Thread

from skitter.config.load import load
from skitter.content.file import Made, Rules, make_contents
from skitter.content.kinds import all_readers
from skitter.errors import MachineError
from skitter.folder.crawlfile import settings_file
from skitter.settings import Settings
from skitter.store.compact.tables import Tables
from skitter.store.index.holding import reading
from skitter.store.index.manifest import write_manifests
from skitter.store.index.names import is_merged
from skitter.store.index.paths import CONTENTS, TEMPORARY, table_folder
from skitter.store.warc.file import SUFFIX
from skitter.store.warc.places import sealed_files

TELLING = CONTENTS[-1]


def settings_of(directory: Path) -> Settings:
    """Returns the settings of the crawl in a folder."""
    file = settings_file(directory)
    return load([file] if file is not None else []).settings


def made_files(directory: Path) -> set[str]:
    """Returns the WARC files, without ending, whose tables are there, merged or not."""
    with reading(directory):
        paths = list(table_folder(directory, TELLING).rglob("*.parquet"))
        loose = {path.stem for path in paths if not is_merged(path.stem)}
        return loose.union(*(Tables(TELLING).sources(path) for path in paths if is_merged(path.stem)))


def missing_files(directory: Path, out: Path | None = None) -> list[Path]:
    """Returns the sealed WARC files whose tables are not there."""
    made = made_files(out or directory)
    return [path for path in sealed_files(directory / "warc") if path.name.removesuffix(SUFFIX) not in made]


def make_missing(
    directory: Path,
    workers: int = 1,
    *,
    out: Path | None = None,
    is_anew: bool = False,
    on_file: Callable[[Made], None] = lambda _: None,
) -> list[Made]:
    """Makes the tables that are missing, and then the manifests; returns what came of each file.

    `is_anew`: page filters are asked again, and what they said in the crawl is forgotten.
    If another process is at it, it returns at once. What went wrong with a file is told in its `trouble`.
    """
    with _alone(out or directory) as is_ours:
        if not is_ours:
            return []
        files, done = missing_files(directory, out), list[Made]()
        for one in _all_made(directory, out or directory, files, workers, is_anew):
            done.append(one)
            on_file(one)
        write_manifests(out or directory)
        return done


def _all_made(directory: Path, out: Path, files: Sequence[Path], workers: int, is_anew: bool) -> Iterator[Made]:
    if workers == 1 or len(files) < 2:
        with Maker(directory, is_anew=is_anew) as maker:
            for path in files:
                yield maker.make(path, out)
        return
    # Not forked: pyarrow has threads, of which a fork takes none along.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(files)), context, _begin, (directory, is_anew)) as pool:
        jobs = [pool.submit(_made_there, path, out) for path in files]
        try:
            for job in as_completed(jobs):
                yield job.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class Maker:
    """Makes tables in this process. Its readers have processes of their own: use it in `with`."""

    def __init__(self, directory: Path, *, is_anew: bool = False) -> None:
        self._directory = directory
        self._settings = settings_of(directory)
        self._closing = ExitStack()
        readers, end = all_readers(self._settings.content)
        self._closing.callback(end)
        self._rules = Rules(self._settings, readers)
        if self._settings.plugins.use:
            self._rules = self._with_plugins(is_anew)

    def _with_plugins(self, is_anew: bool) -> Rules:
        from skitter.content.plugged import looked_at, plugin_readers  # here: few crawls have any
        from skitter.plugins.chain import opened

        with self._closing:  # if they can't be loaded, what is open is closed
            plugins = self._closing.enter_context(opened(self._settings.plugins))
            self._closing = self._closing.pop_all()
        assert plugins is not None
        looked = partial(looked_at, plugins) if is_anew else None
        return Rules(self._settings, {**self._rules.readers, **plugin_readers(plugins)}, looked)

    def __enter__(self) -> Maker:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def make(self, path: Path, out: Path) -> Made:
        """Returns what came of one file."""
        try:
            return make_contents(self._directory, path, out, self._rules)
        except FileNotFoundError:
            return Made(path.name, trouble="")  # it went to a bucket meanwhile: `reparse` reads it from there
        except (MachineError, OSError) as error:
            return Made(path.name, trouble=str(error))

    def __repr__(self) -> str:
        return f"<Maker of {self._directory}>"


_here: list[Maker] = []  # of a process of the pool: one, for all its files


def _begin(directory: Path, is_anew: bool) -> None:
    Thread(target=_end_with_parent, daemon=True).start()
    _here.append(Maker(directory, is_anew=is_anew))


def _end_with_parent() -> None:
    """Ends this process when the one that started it is gone: killed, it could not tell us."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _made_there(path: Path, out: Path) -> Made:
    return _here[0].make(path, out)


@contextmanager
def _alone(out: Path) -> Iterator[bool]:
    """Yields whether nobody else makes these tables; then what a kill left half made is removed."""
    folder = table_folder(out, TELLING)
    folder.mkdir(parents=True, exist_ok=True)
    held = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        for name in CONTENTS:
            for left in table_folder(out, name).rglob(f"*{TEMPORARY}"):
                if not is_merged(left.name.partition(".")[0]):
                    with suppress(FileNotFoundError):
                        left.unlink()
        yield True
    finally:
        os.close(held)
