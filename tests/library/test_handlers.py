"""Functions that a crawl calls with each page: `@crawl.page`, in the order in which they were named."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

import skitter
from tests.plugins.site import options, page, served

pytestmark = pytest.mark.slow
PATHS = ["a", "b", "c"]
SITE = {"/": page("Home", "welcome to all of you", *PATHS), **{f"/{one}": page(one, f"this is {one}") for one in PATHS}}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with served(SITE) as address:
        yield address


def test_each_page_is_given_to_each_function_in_their_order(url: str, tmp_path: Path) -> None:
    crawl, seen = skitter.CrawlSync(url, tmp_path / "out", **options()), list[tuple[str, str]]()

    @crawl.page
    def first(page: skitter.Page) -> None:
        seen.append(("first", page.url))

    @crawl.page
    def second(page: skitter.Page) -> None:
        seen.append(("second", page.url))

    assert first.__name__ == "first"
    assert crawl.run().pages == 4
    assert sorted(url for who, url in seen if who == "first") == [url, *(f"{url}{path}" for path in PATHS)]
    assert [who for who, _ in seen] == ["first", "second"] * 4
    assert skitter.CrawlSync(out=tmp_path / "out", **options()).run().pages == 0


def test_what_a_function_raises_stops_the_crawl_and_its_page_comes_again(url: str, tmp_path: Path) -> None:
    crawl, seen = skitter.CrawlSync(url, tmp_path / "out", **options()), list[str]()

    @crawl.page
    def broken(page: skitter.Page) -> None:
        if page.title == "b":
            raise LookupError(page.url)
        seen.append(page.url)

    with pytest.raises(LookupError):
        crawl.run()
    again = skitter.CrawlSync(out=tmp_path / "out", **options())
    again.page(lambda page: seen.append(page.url))
    again.run()
    assert sorted(seen) == sorted({*seen})
    assert {*seen} == {url, *(f"{url}{path}" for path in PATHS)}


def test_functions_may_be_awaited_in_an_event_loop(url: str, tmp_path: Path) -> None:
    async def crawl_it() -> list[str]:
        crawl, seen = skitter.Crawl(url, tmp_path / "out", **options()), list[str]()

        @crawl.page
        async def slow(page: skitter.Page) -> None:
            await asyncio.sleep(0)
            seen.append(f"slow {page.title}")

        @crawl.page
        def quick(page: skitter.Page) -> None:
            seen.append(f"quick {page.title}")

        assert (await crawl.run()).pages == 4
        return seen

    seen = asyncio.run(crawl_it())
    assert {*seen} == {f"{how} {title}" for how in ("slow", "quick") for title in ("Home", *PATHS)}
    assert [word.split()[0] for word in seen] == ["slow", "quick"] * 4


def test_mistakes_are_told() -> None:
    crawl = skitter.CrawlSync("http://127.0.0.1:1/")
    with pytest.raises(TypeError, match="goes above a function that takes a page, not above 'x'"):
        crawl.page("x")  # type: ignore[type-var]

    @crawl.page
    async def waits(page: skitter.Page) -> None:
        """Never called."""

    with pytest.raises(TypeError, match=r"waits is to be awaited: use skitter\.Crawl"):
        crawl.run()
