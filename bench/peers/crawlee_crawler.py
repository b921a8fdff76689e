"""Crawlee with its quickest crawler of HTML and, as by default, its storage on disk: `crawlee_crawler.py SEED`

Where it stores is told by CRAWLEE_STORAGE_DIR.
"""

from __future__ import annotations

import asyncio
import logging
import sys

from crawlee import ConcurrencySettings
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext

AT_ONCE = 100


async def main() -> None:
    """Crawls to the end."""
    crawler = ParselCrawler(
        concurrency_settings=ConcurrencySettings(
            min_concurrency=AT_ONCE // 2, desired_concurrency=AT_ONCE, max_concurrency=AT_ONCE
        ),
        respect_robots_txt_file=True,
        configure_logging=False,
    )

    @crawler.router.default_handler
    async def handle(context: ParselCrawlingContext) -> None:
        context.selector.css("title::text").get()
        await context.enqueue_links(strategy="all")

    await crawler.run([sys.argv[1]])


logging.basicConfig(level=logging.ERROR)
asyncio.run(main())
