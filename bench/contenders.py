"""Who does the work, and how each is called. All start from the same page and follow every link of the same tree."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import borrow
import fleets
from borrow import Program
from tree import Tree

PEERS = Path(__file__).parent / "peers"
THREADS = 20


class Call(NamedTuple):
    """A command, in the folder where it may write."""

    command: list[str]
    environment: dict[str, str]
    version: str = ""


class Contender(NamedTuple):
    """One line of the table."""

    title: str
    does: str
    call: Callable[[Tree, Path], Call | None]
    is_bound: bool = False


def skitter(nodes: int, *more: str, texts: str = "off") -> Callable[[Tree, Path], Call]:
    """Returns how Skitter is called: everything on but the table of texts, and no delay between requests to a host."""

    def call(tree: Tree, folder: Path) -> Call:
        command = [
            *(sys.executable, "-m", "skitter", "crawl", tree.seed, "--out", str(folder / "out"), "--scope", "any"),
            *("--allow-net", "127.0.0.0/8", "--workers", str(nodes), "--quiet", "--json"),
            *("--delay", "0", "--set", "politeness.address_rate=100000", *more),
        ]
        # By the environment, which `_before` has its own of: an older Skitter may not know these.
        return Call(command, {"SKITTER_CONTENT_TEXT": texts, "SKITTER_POLITENESS_LOAD_FACTOR": "0"})

    return call


def _fleet(nodes: int) -> Callable[[Tree, Path], Call | None]:
    """Returns how nodes of a fleet are called; making it is not counted, nor is its broker."""

    def call(tree: Tree, folder: Path) -> Call | None:
        made = fleets.made(tree.seed, folder)
        if made is None:
            return None
        command = [sys.executable, str(PEERS / "fleet.py"), str(made[0]), str(nodes), str(folder / "access.log")]
        return Call(command, made[1])

    return call


def _again(tree: Tree, folder: Path) -> Call:
    """Returns how Skitter is called if it comes back to pages. None is due yet when all were fetched: it ends then."""
    return skitter(
        1, "--set", "schedule.recrawl=true", "--set", "schedule.check_share=0", "--max-pages", str(len(tree.urls))
    )(tree, folder)


def _before(nodes: int) -> Callable[[Tree, Path], Call | None]:
    """Returns how the Skitter of another checkout is called, built in place, if the environment says where it is."""

    def call(tree: Tree, folder: Path) -> Call | None:
        tree_before = os.environ.get("BENCH_BEFORE")
        if not tree_before:
            return None
        return skitter(nodes)(tree, folder)._replace(environment={"PYTHONPATH": f"{tree_before}/src"})

    return call


def _scrapy(*jobs: str) -> Callable[[Tree, Path], Call | None]:
    return lambda tree, folder: _script("scrapy", "scrapy_spider.py", tree.seed, *(str(folder / job) for job in jobs))


def _crawlee(tree: Tree, folder: Path) -> Call | None:
    call = _script("crawlee", "crawlee_crawler.py", tree.seed)
    return call and call._replace(environment={"CRAWLEE_STORAGE_DIR": str(folder / "storage")})


def _bare(tree: Tree, folder: Path) -> Call | None:
    return _unversioned(_script("httptools", "bare.py", tree.seed, str(folder / "bodies")))


def _bound(part: str) -> Callable[[Tree, Path], Call | None]:
    def call(tree: Tree, folder: Path) -> Call | None:
        listed = folder / "pages.tsv"
        rows = zip(tree.urls, tree.files(), strict=True)
        listed.write_text("".join(f"{url}\t{file}\n" for url, file in rows), encoding="utf-8")
        return _unversioned(_script("httptools", "bounds.py", part, str(listed)))

    return call


def _unversioned(call: Call | None) -> Call | None:
    return call and call._replace(version="")


def _script(package: str, name: str, *arguments: str) -> Call | None:
    return _called(borrow.python_with(package), str(PEERS / name), *arguments)


def _wget2(*more: str) -> Callable[[Tree, Path], Call | None]:
    return lambda tree, folder: _called(
        borrow.debian("wget2"),
        *("--recursive", "--level=inf", "--span-hosts", f"--max-threads={THREADS}", "--no-check-certificate"),
        *("--quiet", f"--directory-prefix={folder / 'files'}", *more, tree.seed),
    )


def _wget(tree: Tree, folder: Path) -> Call | None:
    return _called(
        borrow.debian("wget"),
        *("--recursive", "--level=inf", "--span-hosts", "--no-check-certificate", "--delete-after", "--quiet"),
        *(f"--warc-file={folder / 'wget'}", "--warc-cdx", f"--directory-prefix={folder / 'files'}", tree.seed),
    )


def _called(program: Program | None, *arguments: str) -> Call | None:
    return program and Call([*program.command, *arguments], program.environment, program.version)


CONTENDERS = {
    "skitter-1": Contender("Skitter, 1 node", "WARC, index, durable, robots.txt", skitter(1)),
    "skitter-2": Contender("Skitter, 2 nodes", "WARC, index, durable, robots.txt", skitter(2)),
    "skitter-text": Contender(
        "Skitter, 1 node, texts", "the same, and a table of what pages say", skitter(1, texts="best")
    ),
    "fleet-1": Contender("a fleet of 1 node", "the same, its state in Kafka", _fleet(1)),
    "fleet-2": Contender("a fleet of 2 nodes", "the same, its state in Kafka", _fleet(2)),
    "fleet-4": Contender("a fleet of 4 nodes", "the same, its state in Kafka", _fleet(4)),
    "skitter-again": Contender(
        "Skitter, 1 node, pages seen again", "the same, and the next visit to each page is planned", _again
    ),
    "before-1": Contender("the one before, 1 node", "of BENCH_BEFORE=CHECKOUT, in turn with this", _before(1)),
    "before-2": Contender("the one before, 2 nodes", "of BENCH_BEFORE=CHECKOUT, in turn with this", _before(2)),
    "bare": Contender("a bare script", "zlib 1; nothing durable", _bare),
    "wget2": Contender("wget2, files kept", "robots.txt, a file a page; no WARC", _wget2()),
    "wget2-bin": Contender("wget2, files dropped", "robots.txt; keeps nothing", _wget2("--delete-after")),
    "wget": Contender("wget --warc-file", "WARC, CDX, robots.txt", _wget),
    "scrapy": Contender("Scrapy, in memory", "robots.txt; items thrown away", _scrapy()),
    "scrapy-disk": Contender("Scrapy, JOBDIR", "robots.txt, queue on disk; items thrown away", _scrapy("jobs")),
    "crawlee": Contender("Crawlee (Parsel)", "robots.txt, queue on disk", _crawlee),
    "fetch": Contender("fetch only", "httptools, uvloop", _bound("fetch"), is_bound=True),
    "parse": Contender("parse only", "Lexbor", _bound("parse"), is_bound=True),
    "zlib": Contender("compress only, zlib 1", "", _bound("zlib"), is_bound=True),
    "isal": Contender("compress only, ISA-L 2", "as Skitter by default", _bound("isal"), is_bound=True),
}
