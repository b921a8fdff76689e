"""All WARC files of a crawl read again, several at a time, into a folder of its own.

What is done is done: stopped at any moment, the same command goes on with the files that are left.
"""

from __future__ import annotations

import multiprocessing
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from skitter import __version__
from skitter.config.load import load
from skitter.content.file import Made
from skitter.content.making import make_missing
from skitter.content.pdf.desk import PdfDesk, is_installed
from skitter.errors import MachineError, OperatorError
from skitter.folder.atomic import write_whole
from skitter.folder.crawlfile import read_crawl, settings_file
from skitter.folder.locks import locked
from skitter.folder.routesfile import read_routes
from skitter.messages import Url
from skitter.reading.meaning import Rules
from skitter.reparse.file import FileDone, Readers, reparse_file
from skitter.settings import Settings
from skitter.store.index.holding import indexed_files
from skitter.store.index.paths import TEMPORARY
from skitter.store.warc.file import SUFFIX
from skitter.store.warc.places import sealed_files
from skitter.url.canon import Canon
from skitter.url.scope import Scope

MADE_BY = "reparsed.json"


class MadeBy(Struct, frozen=True):
    """What made the tables in a folder: tables of two parsers are not mixed."""

    version: str
    settings: msgspec.Raw


class Done(Struct, frozen=True):
    """What was read, in this run."""

    out: str
    files: int
    before: int  # files that were done by an earlier run
    captures: int
    links: int
    changed: int
    kept: int
    documents: int = 0  # rows of the table `text`
    images: int = 0
    troubles: Sequence[FileDone] = ()


def _untold(_done: int, _of: int) -> None:
    """Nobody wants to know how far it is."""


def reparse(
    directory: Path,
    out: Path,
    workers: int,
    *,
    is_anew: bool = False,
    on_file: Callable[[int, int], None] = _untold,
) -> Done:
    """Reads the archive of the crawl in `directory` again, and writes new tables into `out`.

    OperatorError if `out` holds something else. A file that is damaged is told in the result; the others are read.
    """
    rules = rules_of(directory)  # whatever is wrong with the folder is told before any process begins
    if rules.settings.plugins.use:
        from skitter.plugins.chain import require_loadable  # here: few crawls have any

        require_loadable(rules.settings.plugins)
    with locked(out):
        _begin(directory, out, is_anew=is_anew)
        before = indexed_files(out)
        files = [path for path in sealed_files(directory / "warc") if path.name.removesuffix(SUFFIX) not in before]
        done = []
        for one in _all_done(directory, out, files, workers):
            done.append(one)
            on_file(len(done), len(files))
        said = _said_again(directory, out, workers)
    good = [one for one in done if not one.trouble]
    return Done(
        str(out),
        len(good),
        len(before),
        sum(one.captures for one in good),
        sum(one.links for one in good),
        sum(one.changed for one in good),
        sum(one.kept for one in good),
        sum(one.text for one in said),
        sum(one.images for one in said),
        [one for one in done if one.trouble],
    )


def rules_of(directory: Path) -> Rules:
    """Returns what reading depends on, by the settings and the seeds in a crawl's folder."""
    crawl, file = read_crawl(directory), settings_file(directory)
    settings = load([file] if file is not None else []).settings
    canon = Canon(settings.url)
    seeds = [url for url in map(canon, crawl.seeds) if isinstance(url, Url)]
    return Rules(settings, canon, Scope(settings.scope, seeds, read_routes(directory).domains))


def _said_again(directory: Path, out: Path, workers: int) -> list[Made]:
    """Makes the tables of what documents say; a file that is damaged was told of already."""
    is_on = rules_of(directory).settings.content.text != "off"
    return make_missing(directory, workers, out=out, is_anew=True) if is_on else []


def _all_done(directory: Path, out: Path, files: Sequence[Path], workers: int) -> Iterator[FileDone]:
    # Not forked: RocksDB and pyarrow have threads, of which a fork takes none along.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(files)) or 1, context) as pool:
        jobs = [pool.submit(_one_done, directory, out, path) for path in files]
        try:
            for job in as_completed(jobs):
                yield job.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _one_done(directory: Path, out: Path, path: Path) -> FileDone:
    rules = rules_of(directory)
    try:
        with _readers(rules.settings) as readers:
            return reparse_file(path, directory / "warc", out, rules, readers)
    except MachineError as error:
        return FileDone(path.name, trouble=str(error))


@contextmanager
def _readers(settings: Settings) -> Iterator[Readers]:
    with ExitStack() as ends:
        papers = plugins = None
        if settings.content.pdf_links and is_installed():
            papers = ends.enter_context(closing(PdfDesk(settings.content)))  # its process begins with the first PDF
        if settings.plugins.use:
            from skitter.plugins.chain import opened  # here: few crawls have any

            plugins = ends.enter_context(opened(settings.plugins))
        yield Readers(plugins, papers)


def _begin(directory: Path, out: Path, *, is_anew: bool) -> None:
    rules = rules_of(directory)
    made_by = msgspec.json.encode(MadeBy(__version__, msgspec.Raw(msgspec.json.encode(rules.settings))))
    file = out / MADE_BY
    if is_anew:
        file.unlink(missing_ok=True)
        for name in ("cdxj", "parquet"):
            shutil.rmtree(out / name, ignore_errors=True)
    elif not file.exists() and any((out / name).exists() for name in ("cdxj", "parquet", "warc")):
        raise OperatorError("--out", str(out), "holds something else already: name a new folder")
    elif file.exists() and file.read_bytes() != made_by:
        raise OperatorError(
            "--out",
            str(out),
            "was made by another version or with other settings: --anew makes it again from the start",
        )
    write_whole(file, made_by)
    for left in out.rglob(f"*{TEMPORARY}"):
        left.unlink(missing_ok=True)
