"""An application on loopback, empty without a browser: its script is on another host, its data behind a fetch."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

PAGES = 4
SHELL = """<!doctype html><html><head><title>App</title></head><body><div id="root"></div>
<script src="{cdn}/static/app.js"></script><script src="/private/count.js"></script></body></html>"""
SCRIPT = """
fetch("/api" + location.pathname).then(answer => answer.json()).then(page => {
  document.title = page.title;
  document.getElementById("root").innerHTML = "<h1>" + page.title + "</h1><p>" + page.text + "</p>" +
    page.links.map(link => "<a href='" + link + "'>" + link + "</a>").join(" ");
});
fetch("/private/secret.json").catch(() => 0);
fetch("/api/deed", {method: "POST", body: "x"}).catch(() => 0);
new Image().src = "/pixel.png";
"""
ROBOTS = "User-agent: *\nDisallow: /private/\n"


class Asked(NamedTuple):
    """One request, as the server saw it."""

    began: float
    ended: float
    host: str
    method: str
    path: str


class Spa:
    """What the servers have to say, and what they were asked."""

    def __init__(self) -> None:
        self.log: list[Asked] = []
        self.cdn = ""

    def answer(self, path: str) -> tuple[int, str, str]:
        """Returns status, type and body."""
        if path == "/robots.txt":
            return 200, "text/plain", ROBOTS
        if path == "/static/app.js":
            return 200, "text/javascript", SCRIPT
        if path.startswith("/api/"):
            return 200, "application/json", json.dumps(_page(path.removeprefix("/api/")))
        if path == "/" or path.removeprefix("/p").isdigit():
            return 200, "text/html", SHELL.format(cdn=self.cdn)
        return 404, "text/plain", "no"


def _page(name: str) -> dict[str, object]:
    number = int(name.removeprefix("p") or 0)
    said = " ".join(f"The word number {number * 97 + place} of the page {number}." for place in range(25))
    return {"title": f"Page {number}", "text": said, "links": [f"/p{one}" for one in range(1, PAGES + 1)]}


@contextlib.contextmanager
def served() -> Iterator[tuple[Spa, str]]:
    """Yields the servers and the URL of the application."""
    spa = Spa()
    with _server(spa) as site, _server(spa) as cdn:
        spa.cdn = cdn
        yield spa, f"{site}/"


@contextlib.contextmanager
def _server(spa: Spa) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            began = time.time()
            status, kind, text = spa.answer(self.path)
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            spa.log.append(Asked(began, time.time(), self.headers["Host"], self.command, self.path))
            self.wfile.write(body)

        do_GET = do_POST = do_HEAD = do_OPTIONS = _answer  # noqa: N815 (so they are looked for)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
