"""Crawls as a library user has them: real processes crawl a small simulated web."""

from __future__ import annotations

import asyncio
import gzip
import logging
import os
import shutil
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import skitter
from skitter.library.bookmark import Bookmark
from skitter.library.follow import Follower
from skitter.store.warc.places import relative_path

if TYPE_CHECKING:
    from tests.library.conftest import Web

pytestmark = pytest.mark.slow

Key = Callable[[str], str]


def places(pages: list[skitter.Page]) -> list[tuple[str, int]]:
    return [(page.warc_file, page.warc_offset) for page in pages]


def unread(out: Path) -> list[skitter.Page]:
    """Returns the pages that whoever takes up the crawl will be given first."""
    return list(Follower(out / "warc", Bookmark(out).ends).fresh())


def nodes() -> list[int]:
    """Returns the processes that this one has started, and that are nodes."""
    children = " ".join(path.read_text() for path in Path("/proc/self/task").glob("*/children"))
    return [int(pid) for pid in children.split() if b"skitter.node" in Path(f"/proc/{pid}/cmdline").read_bytes()]


@pytest.fixture(scope="module")
def crawled(web: Web, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[skitter.Page]]:
    """A crawl to its end: its folder, and the pages that the loop gave."""
    out = tmp_path_factory.mktemp("crawled") / "out"
    return out, list(skitter.crawl(web.seed, out, **web.options | {"workers": 2}))


def test_every_page_comes_once(crawled: tuple[Path, list[skitter.Page]], web: Web, key: Key) -> None:
    _, pages = crawled
    assert Counter(key(page.url) for page in pages) == Counter(web.truth())


def test_pages_are_what_the_web_answered(crawled: tuple[Path, list[skitter.Page]], web: Web) -> None:
    _, pages = crawled
    seen = set()
    for page in pages:
        answer = web.answer(page.url)
        packed = dict(answer.headers).get("Content-Encoding") == "gzip"
        assert page.body == (gzip.decompress(answer.body) if packed else answer.body), page
        assert page.status == answer.status
        assert page.content_type == dict(answer.headers)["Content-Type"].partition(";")[0]
        seen |= {page.url.split("/")[3], page.header("CONTENT-encoding"), page.header("Transfer-Encoding")}
        seen |= {"revisit"} if page.is_revisit and page.ok else set()
    assert seen >= {"p", "mirror", "packed", "chunked", "legacy", "files", "chain", "missing", "gzip", "revisit"}


def test_what_a_page_tells(crawled: tuple[Path, list[skitter.Page]], web: Web) -> None:
    out, pages = crawled
    by_url = {page.url: page for page in pages}
    home = by_url[web.seed]
    assert (home.status, home.ok, home.depth, home.parent, home.failure) == (200, True, 0, None, None)
    assert home.title == "Page 0 of h0000.sim.test"
    assert home.text.startswith("Page 0 of h0000.sim.test\n")
    assert "<" not in home.text
    assert home.html.startswith("<!DOCTYPE html>")
    assert (out / "warc" / relative_path(home.warc_file)).is_file()
    linked = {link.url for link in home.links}
    child = next(page for page in pages if page.parent == home.url and page.url in linked)
    assert child.depth == 1
    assert 0 <= (child.fetched_at - home.fetched_at).total_seconds() < 60
    assert 0 < child.seconds < 10
    moved = next(page for page in pages if page.status in (301, 302, 307, 308))
    target = next(page for page in pages if page.redirected_from)
    assert target.redirected_from[-1] in by_url
    assert (moved.ok, moved.links) == (False, [])
    file = next(page for page in pages if "/files/" in page.url)
    assert (file.text, file.html, file.content_type) == ("", "", "application/pdf")


def test_the_folder_has_the_same_pages(crawled: tuple[Path, list[skitter.Page]]) -> None:
    out, pages = crawled
    again = list(skitter.read(out))
    assert sorted(places(again)) == sorted(places(pages))
    assert {page.url: page.body for page in again} == {page.url: page.body for page in pages}


def test_a_page_outlives_its_folder(web: Web) -> None:
    """No folder is named, so a temporary one is made and removed."""
    with skitter.CrawlSync(web.seed, max_pages=12, **web.options) as crawl:
        pages = list(crawl.pages())
        out = crawl.directory
        assert out.is_dir()
    assert not out.exists()
    assert len(pages) == 12
    assert all(page.body for page in pages)
    assert crawl.statistics().ended == "pages"
    with pytest.raises(RuntimeError, match="not open"):
        next(crawl.pages())


def test_leaving_the_loop_stops_in_order_and_the_same_folder_goes_on(web: Web, key: Key, tmp_path: Path) -> None:
    """In an event loop that the crawl shares with others."""
    first: list[skitter.Page] = []
    rest: list[skitter.Page] = []

    async def main() -> None:
        async with skitter.Crawl(web.seed, tmp_path, **web.options | {"workers": 2}) as crawl:
            async for page in crawl.pages():
                first.append(page)
                if len(first) == 8:
                    break
        assert not nodes()
        assert not list(tmp_path.glob("warc/**/*.open"))
        stopped = crawl.statistics()
        assert (stopped.ended, stopped.is_done) == ("stopped", False)
        assert stopped.pages >= 8
        async with skitter.Crawl(out=tmp_path) as again:
            rest.extend([page async for page in again.pages()])
            assert (await again.wait()).is_done
            assert again.statistics().urls["done"] > len(rest)

    asyncio.run(main())
    assert len(first) == 8
    assert Counter(key(page.url) for page in first + rest) == Counter(web.truth())
    assert sorted(places(first + rest)) == sorted(places(list(skitter.read(tmp_path))))


def test_an_error_in_the_loop_gives_the_page_again(web: Web, tmp_path: Path) -> None:
    given: list[skitter.Page] = []

    def take_three() -> None:
        with skitter.CrawlSync(web.seed, tmp_path, **web.options) as crawl:
            for page in crawl.pages():
                given.append(page)
                if len(given) == 3:
                    raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        take_three()
    again = unread(tmp_path)
    assert places(given)[2] in places(again)
    assert not set(places(given)[:2]) & set(places(again))


def test_a_killed_node_loses_no_page(web: Web, key: Key, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    pages: list[skitter.Page] = []
    with (
        caplog.at_level(logging.WARNING, "skitter"),
        skitter.CrawlSync(web.seed, tmp_path, **web.options | {"workers": 2}) as crawl,
    ):
        for page in crawl.pages():
            pages.append(page)
            if len(pages) in (6, 20):
                os.kill(nodes()[0], signal.SIGKILL)
    assert {key(page.url) for page in pages} == web.truth()
    assert len(set(places(pages))) == len(pages)
    assert sorted(places(pages)) == sorted(places(list(skitter.read(tmp_path))))
    assert sum("is started again" in message for message in caplog.messages) == 2


def test_stop_ends_the_pages(web: Web, tmp_path: Path) -> None:
    with skitter.CrawlSync(web.seed, tmp_path, **web.options) as crawl:
        pages = crawl.pages()
        given = [next(pages)]
        crawl.stop()
        given += pages
        assert sorted(places(given)) == sorted(places(list(skitter.read(tmp_path))))
        assert crawl.statistics().left


def test_stop_and_leaving_is_one_stop(web: Web, tmp_path: Path) -> None:
    with skitter.CrawlSync(web.seed, tmp_path, **web.options) as crawl:
        next(crawl.pages())
        crawl.stop()
    assert not list(tmp_path.glob("warc/**/*.open"))


def test_an_end_while_the_nodes_are_being_started_reaches_them(web: Web) -> None:
    with skitter.CrawlSync(web.seed, max_seconds=0, **web.options) as crawl:
        assert list(crawl.pages()) == []
        assert crawl.statistics().ended == "seconds"
    assert not nodes()


def test_a_folder_in_use_is_refused(web: Web, tmp_path: Path) -> None:
    with skitter.CrawlSync(web.seed, tmp_path, **web.options):
        with pytest.raises(skitter.OperatorError) as told, skitter.CrawlSync(web.seed, tmp_path, **web.options):
            pass
        assert told.value.key == "out"
        assert f"process {os.getpid()}" in told.value.right


def test_cancelling_stops_the_crawl(web: Web, tmp_path: Path) -> None:
    async def crawl_for_ever() -> None:
        async with skitter.Crawl(web.seed, tmp_path, **web.options) as crawl:
            async for _ in crawl.pages():
                started.set()

    async def main() -> None:
        task = asyncio.create_task(crawl_for_ever())
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not nodes()

    started = asyncio.Event()
    asyncio.run(main())


def test_leaving_a_plain_loop_stops_the_crawl_too(web: Web, tmp_path: Path) -> None:
    for page in skitter.crawl(web.seed, tmp_path, **web.options):
        first = page
        break
    assert not nodes()
    assert places([first])[0] not in places(unread(tmp_path))
    assert len(unread(tmp_path)) == len(list(skitter.read(tmp_path))) - 1


def test_a_damaged_archive_ends_the_pages_with_an_error(
    crawled: tuple[Path, list[skitter.Page]], tmp_path: Path
) -> None:
    """The node that is to mend the file can't go on."""
    out = tmp_path / "out"
    shutil.copytree(crawled[0], out)
    file = max((out / "warc").rglob("skitter-*"), key=lambda path: path.stat().st_size)
    content = bytearray(file.read_bytes())
    content[200] ^= 0xFF
    file.with_name(f"{file.name}.open").write_bytes(content)
    file.unlink()
    for mark in (out / "bodies").glob("synced-*"):
        mark.unlink()  # a crawl that took its time has noted that this part is whole: it is not read again
    with skitter.CrawlSync(out=out) as crawl, pytest.raises(skitter.MachineError, match="can't go on"):
        list(crawl.pages())
    assert not nodes()
