"""CPU time of the pure parts on real documentation pages: `make parts`.

Each figure is the best of several runs of the whole work, in CPU time of this process, so that a busy machine disturbs
it least. Ratios within one run mean more than the figures themselves.
"""

from __future__ import annotations

import platform
import random
import time
from collections.abc import Callable

import ada_url
from pages import real_pages
from selectolax.lexbor import LexborHTMLParser

from skitter.judge.near import Representatives, signature_of
from skitter.messages import Url
from skitter.parse import html, reference, scanner, sitemap, text, tokens
from skitter.parse.main_text import main_text
from skitter.parse.regions import regions
from skitter.parse.shingles import MAX_SAID, said_of
from skitter.robots import rules
from skitter.settings import ParseSettings
from skitter.url.canon import Canon
from skitter.url.keys import fingerprint

ROUNDS = 7


def best(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Returns the CPU seconds of the fastest of some rounds."""
    times = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def row(what: str, figure: float, unit: str, bound: str = "") -> None:
    """Prints one line of the table."""
    print(f"{what:58} {figure:9.2f} {unit:8} {bound}")


def main() -> None:
    """Measures and prints one table."""
    bodies = [path.read_bytes() for path in real_pages(300)]
    megabytes = sum(map(len, bodies)) / 1e6
    settings = ParseSettings()
    urls = [f"https://docs{number % 7}.example.org/section/{number}/page.html" for number in range(len(bodies))]
    pages = [html.read(body, url, [], settings, "skitter") for body, url in zip(bodies, urls, strict=True)]
    count = sum(len(page.links) for page in pages)
    print(f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}")
    size, links = megabytes * 1000 / len(bodies), count / len(bodies)
    print(f"{len(bodies)} pages, {megabytes:.1f} MB, {size:.0f} KB and {links:.0f} links each\n")

    def parse_only() -> None:
        for body in bodies:
            LexborHTMLParser(body)

    def read_all() -> None:
        for body, url in zip(bodies, urls, strict=True):
            html.read(body, url, [], settings, "skitter")

    def read_in_python() -> None:
        for body, url in zip(bodies, urls, strict=True):
            html.read(body, url, [], settings, "skitter", reference.scan)

    row("parse a page, Lexbor alone", best(parse_only) / megabytes * 1000, "ms/MB", "(the bound)")
    row("parse a page with links, text and all", best(read_all) / megabytes * 1000, "ms/MB", "at most 20")
    if scanner.IS_NATIVE:
        row("the same without the native scanner", best(read_in_python) / megabytes * 1000, "ms/MB")

    def scan_all() -> None:
        for body in bodies:
            scanner.scan(body, 0, settings.max_anchor, html.MAX_TITLE)

    row("scan a page: links, main text, its hashes", best(scan_all) / megabytes * 1000, "ms/MB")
    texts = [_main_text(body) for body in bodies]
    row("of that, hash its main text", best(lambda: [*map(said_of, texts)]) / len(texts) * 1e6, "µs/page")
    signatures = [signature_of(page.said) for page in pages]

    def look_up() -> None:
        near = Representatives()
        for number, signature in enumerate(signatures):
            if near.near(signature) is None:
                near.add(number, signature)

    row("look a page up among near ones, and add it", best(look_up) / len(pages) * 1e6, "µs/page")

    hrefs = [(link.url, page.base) for page in pages for link in page.links]
    canon = Canon()

    def join_only() -> None:
        for href, base in hrefs:
            ada_url.join_url(base, href)

    def canonicalise() -> None:
        for href, base in hrefs:
            url = canon(href, base)
            assert isinstance(url, Url)
            fingerprint(url.key)

    row("join a link, ada alone", best(join_only) / len(hrefs) * 1e6, "µs", "(the bound)")
    row("join, canonicalise, key and fingerprint a link", best(canonicalise) / len(hrefs) * 1e6, "µs", "at most 6")

    dice = random.Random(1)
    words = [f"{chr(97 + number % 26)}{number:x}" for number in range(400)]
    for stars in (0, 30):
        patterns = [_pattern(dice, words, starred=number < 2 * stars) for number in range(200)]
        body = "User-agent: *\n" + "\n".join(f"{dice.choice(('Allow', 'Disallow'))}: {pattern}" for pattern in patterns)
        read = rules.parse(body.encode(), "skitter")
        paths = [f"/{'/'.join(dice.choices(words, k=3))}?q={number}" for number in range(5000)]

        def check(read: rules.Rules = read, paths: list[str] = paths) -> None:
            for path in paths:
                read.allows(path)

        row(
            f"check a path against 200 rules, {stars} % with wildcards",
            best(check) / len(paths) * 1e6,
            "µs",
            "at most 15",
        )

    listed = "".join(
        f"<url><loc>http://a.org/{number}</loc><lastmod>2026-01-02</lastmod></url>" for number in range(50_000)
    )
    body = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>'.encode()
    seconds = best(lambda: sitemap.read(body, "http://a.org/sitemap.xml", None, settings), 3)
    row("read a sitemap of 50,000 URLs, each", seconds / 50_000 * 1e6, "µs")


def _main_text(body: bytes) -> str:
    markup = tokens.cut(body)
    return text.visible([main_text(b"".join(markup.text), regions(markup)).text], MAX_SAID)


def _pattern(dice: random.Random, words: list[str], *, starred: bool) -> str:
    path = "/" + "/".join(dice.choices(words, k=dice.randint(1, 3)))
    return path.replace("/", "/*", 1) + dice.choice(("", "$", "*.html$")) if starred else path


main()
