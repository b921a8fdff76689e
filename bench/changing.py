"""A small web that lives: pages change, articles appear, some pages go away. On loopback, until it is told to stop.

    python -m bench.changing --hosts 8 --hosts-file hosts     # prints the command that crawls it
    skitter crawl --forever …

Each host is a site with a feed, a sitemap and a robots.txt. How often its pages change is drawn from a minute to a day.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import signal
import time
from email.utils import formatdate
from pathlib import Path
from typing import NamedTuple

from skitter.simweb.answer import Answer, Ask
from skitter.simweb.play import Play, status, text
from skitter.simweb.server import SimWeb
from skitter.simweb.settings import PLAIN
from skitter.simweb.world import World

WORDS = [
    f"{a}{b}{c}" for a in ("ba", "le", "mi", "no", "ru") for b in ("ka", "so", "ti", "ve") for c in ("n", "r", "s")
]
SHOWN = 20
"""Articles on a front page and in a feed: the last ones."""


class Site(NamedTuple):
    """One host. `began` is when it did; before that, nothing had changed."""

    name: str
    seed: int
    pages: int
    began: float

    def __call__(self, ask: Ask) -> Answer:
        """Returns what the site shows now."""
        path, age = ask.path, max(0.0, ask.now - self.began)
        match path:
            case "/robots.txt":
                return text(f"User-agent: *\nDisallow: /private\nSitemap: {ask.origin}/sitemap.xml\n")
            case "/":
                return self._front(age)
            case "/feed.xml":
                return self._feed(ask, age)
            case "/sitemap.xml":
                return self._sitemap(ask, age)
        kind, _, number = path[1:].partition("/")
        if kind == "p" and number.isdecimal() and int(number) < self.pages:
            return self._page(ask, int(number), age)
        if kind == "a" and number.isdecimal() and int(number) < self._articles(age):
            return _html(f"Article {number} of {self.name}", _prose(f"{self.name} a {number}", 150))
        return status(404)

    def period(self, number: int) -> float:
        """Returns the time between two changes of a page: a minute to a day."""
        return float(60.0 * 1440 ** random.Random(f"{self.seed} {self.name} {number}").random())

    def version(self, number: int, age: float) -> int:
        """Returns how often a page has changed."""
        return int(age / self.period(number))

    def _articles(self, age: float) -> int:
        return 3 + int(age / (120.0 * (1 + self.seed % 7)))

    def _is_gone(self, number: int, age: float) -> bool:
        return number % 10 == 9 and age > 600.0 + 60.0 * number

    def _page(self, ask: Ask, number: int, age: float) -> Answer:
        if self._is_gone(number, age):
            return status(410 if number % 20 == 9 else 404)
        version = self.version(number, age)
        mark, since = f'"{number}-{version}"', formatdate(self.began + version * self.period(number), usegmt=True)
        if ask.etag == mark:
            return Answer(304, (("ETag", mark),))
        # A clock on every third page: other bytes at each visit, and nothing new said.
        clock = f"<footer>{ask.now:.3f}</footer>" if number % 3 == 0 else ""
        body = _html(f"Page {number} of {self.name}", _prose(f"{self.name} {number} {version}", 200), clock).body
        tags = () if clock else (("ETag", mark), ("Last-Modified", since))
        return text(body, "text/html; charset=utf-8", *tags)

    def _front(self, age: float) -> Answer:
        last = self._articles(age)
        links = [f"/a/{number}" for number in range(max(0, last - SHOWN), last)]
        links += [f"/p/{number}" for number in range(self.pages)]
        anchors = "".join(f'<p><a href="{link}">{link}</a></p>' for link in links)
        alternate = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
        return _html(self.name, anchors, head=alternate)

    def _feed(self, ask: Ask, age: float) -> Answer:
        last = self._articles(age)
        items = "".join(
            f"<item><link>{ask.origin}/a/{number}</link><title>{number}</title></item>"
            for number in range(max(0, last - SHOWN), last)
        )
        return text(f'<rss version="2.0"><channel><title>t</title>{items}</channel></rss>', "application/rss+xml")

    def _sitemap(self, ask: Ask, age: float) -> Answer:
        rows = "".join(
            f"<url><loc>{ask.origin}/p/{number}</loc><lastmod>{_iso(self, number, age)}</lastmod></url>"
            for number in range(self.pages)
        )
        return text(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>', "application/xml")


def _iso(site: Site, number: int, age: float) -> str:
    at = site.began + site.version(number, age) * site.period(number)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))


def _prose(seed: str, words: int) -> str:
    dice = random.Random(seed)
    return f"<p>{' '.join(dice.choice(WORDS) for _ in range(words))}.</p>"


def _html(title: str, body: str, tail: str = "", head: str = "") -> Answer:
    whole = f"<!DOCTYPE html><html><head><title>{title}</title>{head}</head><body><main><h1>{title}</h1>{body}</main>"
    return text(f"{whole}{tail}</body></html>", "text/html; charset=utf-8")


def sites(hosts: int, pages: int, seed: int, began: float) -> dict[str, Play]:
    """Returns the hosts by name."""
    return {name: Site(name, seed + n, pages, began) for n in range(hosts) if (name := f"site{n}.test")}


async def _serve(options: argparse.Namespace) -> None:
    plays = sites(options.hosts, options.pages, options.seed, time.time())
    async with SimWeb(World(PLAIN, plays=plays), log=options.log) as web:
        web.hosts_file(options.hosts_file)
        seeds = [f"{web.origin(name)}/" for name in plays]
        hosts = ("--hosts-file", str(options.hosts_file), "--allow-net", "127.20.0.0/16")
        print("skitter", "crawl", *seeds, *hosts, flush=True)
        stop = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
        await stop.wait()


def main() -> None:
    """Serves until it is stopped."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=8)
    parser.add_argument("--pages", type=int, default=20, help="of each host, beside articles")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", type=Path, help="of all requests")
    parser.add_argument("--hosts-file", type=Path, default=Path("hosts"))
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(parser.parse_args()))


if __name__ == "__main__":
    main()
