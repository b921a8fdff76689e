"""Scrapy, set up as its guide to broad crawls says: `scrapy_spider.py SEED [JOBDIR]`. Items are thrown away."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

SETTINGS: dict[str, Any] = {
    "ROBOTSTXT_OBEY": True,
    "CONCURRENT_REQUESTS": 100,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "DOWNLOAD_DELAY": 0,
    "RANDOMIZE_DOWNLOAD_DELAY": False,
    "AUTOTHROTTLE_ENABLED": False,
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": False,
    "REDIRECT_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REACTOR_THREADPOOL_MAXSIZE": 20,
    "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
    "LOG_LEVEL": "ERROR",
    "LOGSTATS_INTERVAL": 0,
}


class Everything(scrapy.Spider):
    """Follows every link."""

    name = "everything"
    links = LinkExtractor()

    async def start(self) -> AsyncIterator[Any]:
        """Yields the seed, as a page that must not be fetched twice."""
        for url in self.start_urls:
            yield scrapy.Request(url)

    def parse(self, response: Response, **_: Any) -> Iterator[Any]:
        """Yields the page's title and a request for each of its links."""
        if not isinstance(response, HtmlResponse):
            return
        yield {"url": response.url, "title": response.css("title::text").get(), "bytes": len(response.body)}
        for link in self.links.extract_links(response):
            yield response.follow(link, self.parse)


def main() -> None:
    """Crawls to the end."""
    seed, *jobs = sys.argv[1:]
    process = CrawlerProcess(SETTINGS | ({"JOBDIR": jobs[0]} if jobs else {}))
    process.crawl(Everything, start_urls=[seed])
    process.start()


main()
