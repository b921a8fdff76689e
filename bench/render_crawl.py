"""Does a crawl with some pages to render cost what the sum says? `python -m bench.render_crawl [--pages N]`

The same site, crawled without browsers and with them, in turn: one page in twenty is a built React application whose
links are behind a request. The sum: the crawl without, what each rendering took by its record, the starts of browsers,
and the page with many ways out that is tried before the first. CPU seconds are those of all processes (`meter.py`).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from skitter.render.browser import launch
from skitter.render.canary import try_walls
from skitter.render.finding import Found, find
from skitter.render.walls import Walls, raise_walls
from skitter.store.index.facts import decode, without_links
from skitter.store.warc.places import sealed_files
from skitter.store.warc.reader import Reader
from tests.servers import apps
from tests.servers.browser import render_settings

HOSTS, ONE_IN = 20, 20
APP = "react-data"
OURS = 0.015
"""CPU seconds of our own for a rendering, by `bench/render.py`."""
WORDS = "It says something that is worth reading, and goes on for a while, as pages do. "


def main() -> None:
    """Prints a line for each round."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=800)
    parser.add_argument("--rounds", type=int, default=2)
    args = parser.parse_args()
    if not apps.folder().exists():
        sys.exit("there are no applications: `make servers` builds them")
    for _ in range(args.rounds):
        with Site(args.pages) as site, tempfile.TemporaryDirectory() as folder:
            without, _ = site.crawled(Path(folder) / "without", "never")
            whole, out = site.crawled(Path(folder) / "with", "auto")
            took = list(renderings(out))
        start, walls = asyncio.run(beginning())
        browsers = min(len(took), render_settings().browsers)
        total = without + sum(took) + len(took) * OURS + browsers * start + walls
        sys.stdout.write(
            f"{args.pages} pages: {without:.2f} CPU s without browsers; {len(took)} rendered, {sum(took):.2f} s by "
            f"their records, {browsers} starts of {start:.2f}, walls {walls:.2f}; the sum {total:.2f}, measured "
            f"{whole:.2f}: {whole / total:.2f} of it (load {os.getloadavg()[0]:.0f})\n"
        )
        sys.stdout.flush()


async def beginning() -> tuple[float, float]:
    """Returns the CPU seconds of a browser's start, and of the trial of its walls."""
    settings = render_settings()
    found, walls = find(settings.browser), raise_walls(settings)
    assert isinstance(found, Found)
    assert isinstance(walls, Walls)
    browser = await launch(found, walls, settings, "skitter")
    try:
        began = browser.process.use().cpu
        assert await try_walls(browser) == ""
        return began, browser.process.use().cpu - began
    finally:
        await browser.end()


def renderings(out: Path) -> Iterator[float]:
    """Yields the CPU seconds that each rendering took."""
    for path in sealed_files(out / "warc"):
        for record in Reader(path, verify=False):
            if record.kind == "metadata" and (took := decode(without_links(record.block)).took) is not None:
                yield took[1]


class Site:
    """Hosts on loopback, each with the same pages."""

    def __init__(self, pages: int) -> None:
        self._each = pages // HOSTS
        self._shell = (apps.folder() / APP / "index.html").read_bytes()
        self._servers: list[ThreadingHTTPServer] = []

    def __enter__(self) -> Site:
        for number in range(HOSTS):
            server = ThreadingHTTPServer((f"127.0.1.{number + 1}", 0), self._handler())
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self._servers.append(server)
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()

    def _answer(self, path: str) -> tuple[int, str, bytes]:
        if path == "/items.json":
            links = [{"href": f"/p{number}", "text": f"{WORDS} {number}"} for number in range(1, self._each)]
            return 200, "application/json", msgspec.json.encode(links)
        if path.startswith(f"/{APP}/"):
            return 200, "text/javascript", (apps.folder() / path[1:]).read_bytes()
        name = "0" if path == "/" else path.removeprefix("/p")
        if not name.isdigit() or int(name) >= self._each:
            return 404, "text/plain", b"no"
        number = int(name)
        if number % ONE_IN == ONE_IN // 2:
            return 200, "text/html", self._shell
        anchors = "".join(f"<li><a href=/p{other}>{WORDS} {other}</a>" for other in range(1, self._each))
        text = "".join(f"<p>{WORDS * 4} {number}.{place}</p>" for place in range(80))
        return 200, "text/html", f"<!doctype html><title>Page {number}</title>{text}<ul>{anchors}</ul>".encode()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        answer = self._answer

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                status, kind, body = answer(urlsplit(self.path).path)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        return Handler

    def crawled(self, out: Path, mode: str) -> tuple[float, Path]:
        """Returns the CPU seconds of a crawl, and its folder."""
        seeds = [f"http://{server.server_address[0]!s}:{server.server_address[1]}/" for server in self._servers]
        result = out.with_suffix(".json")
        settings = {"render.browser": render_settings().browser, "politeness.address_rate": "100000"}
        crawl = [sys.executable, "-m", "skitter", "crawl", *seeds, "--out", str(out), "--render", mode, "--quiet"]
        crawl += ["--allow-net", "127.0.0.0/8", "--scope", "any", "--workers", "1", "--delay", "0"]
        crawl += [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
        meter = [sys.executable, str(Path(__file__).with_name("meter.py")), str(result), "900", *crawl]
        environment = {**os.environ, "SKITTER_CONTENT_TEXT": "off"}
        subprocess.run(meter, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        told = json.loads(result.read_bytes())
        return told["user"] + told["system"], out


if __name__ == "__main__":
    main()
