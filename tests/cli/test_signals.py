"""What a site says of its changes, in a whole crawl: changefreq, Cache-Control, feeds that pages name, a WebSub hub."""

from __future__ import annotations

import http.server
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from skitter.inspection.folder import Folder
from skitter.messages import Errand
from skitter.settings import DAY, HOUR
from skitter.shard.records import HOSTS, URLS, UrlRecord
from tests.cli.test_forever import wait_until

GOOD = {"/", "/daily", "/silent", "/article", "/hourly", "/news", "/sitemap.xml"}

WORDS = "one two three four five six seven eight nine ten " * 10
PAGE = f"<html><head><title>%s</title>%s</head><body><p>%s {WORDS}</p>%s</body></html>"
NAMED = "<link rel=alternate type=application/rss+xml href=/news><link rel=alternate hreflang=de href=/de>"
SITEMAP = """<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>{0}/daily</loc><changefreq>daily</changefreq></url><url><loc>{0}/silent</loc></url></urlset>"""
FEED = """<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>News</title>
<atom:link rel="hub" href="https://hub.example/"/><item><link>{0}/article</link></item></channel></rss>"""


class Site(http.server.BaseHTTPRequestHandler):
    """A site that says a lot about its changes."""

    asked: set[str]

    def do_GET(self) -> None:
        place = f"http://127.0.0.1:{self.server.server_address[1]}"
        pages = {
            "/robots.txt": ("text/plain", f"User-agent: *\nAllow: /\nSitemap: {place}/sitemap.xml\n"),
            "/sitemap.xml": ("application/xml", SITEMAP.format(place)),
            "/news": ("text/html", FEED.format(place)),  # many a feed has a wrong type
            "/": ("text/html", PAGE % ("Home", NAMED, "home", "<a href=/hourly>hourly</a>")),
        }
        pages |= {
            path: ("text/html", PAGE % (path, "", path, "")) for path in ("/daily", "/silent", "/article", "/hourly")
        }
        self.asked.add(self.path)
        kind, body = pages.get(self.path, ("text/plain", ""))
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body.encode())))
        if self.path in ("/hourly", "/daily"):
            self.send_header("Cache-Control", "public, max-age=3600")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def asked() -> set[str]:
    return set()


@pytest.fixture
def place(asked: set[str]) -> Iterator[str]:
    handler = type("Site", (Site,), {"asked": asked})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.slow
def test_all_that_a_site_says_of_its_changes_is_heard_in_a_crawl(place: str, asked: set[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "skitter", "crawl", f"{place}/", "--out", str(out), "--quiet", "--workers", "1"]
    more = ["--allow-net", "127.0.0.0/8", "--delay", "0.01", "--forever"]
    with (tmp_path / "log").open("w") as log, subprocess.Popen([*command, *more], stderr=log, text=True) as process:
        try:
            wait_until(lambda: asked >= GOOD, process)
        finally:
            process.terminate()  # in order: what is in flight is settled
    known: dict[str, UrlRecord] = {}
    hubs: list[str] = []
    with Folder(out) as folder:
        for shard in folder.shards():
            records = [URLS.decode(raw) for _, raw in shard.iterate(b"u")]
            known |= {record.href.removeprefix(place): record for record in records}
            hubs += [HOSTS.decode(raw).hub for _, raw in shard.iterate(b"h")]
    assert set(known) >= GOOD
    claims = {path: None if record.claim is None else record.claim.every for path, record in known.items()}
    assert claims["/daily"] == DAY, "its sitemap is nearer than its header"
    assert claims["/hourly"] == HOUR
    assert claims["/silent"] is None
    assert known["/news"].errand is Errand.FEED, "it was asked for as one, and is one by reading it"
    assert known["/sitemap.xml"].errand is Errand.SITEMAP
    assert all(known[path].watch is not None for path in ("/daily", "/silent", "/article", "/hourly"))
    assert hubs == ["https://hub.example/"]
