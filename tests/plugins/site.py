"""A small site on loopback, from a table of paths, served from a thread; and what a crawl of it needs."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HTML = "text/html; charset=utf-8"


def page(title: str, text: str, *links: str, lang: str = "en") -> tuple[str, bytes]:
    """Returns an HTML page."""
    anchors = "".join(f'<p><a href="{link}">{link}</a></p>' for link in links)
    body = f'<!DOCTYPE html><html lang="{lang}"><title>{title}</title><h1>{title}</h1><p>{text}</p>{anchors}'
    return HTML, body.encode()


@contextlib.contextmanager
def served(pages: Mapping[str, tuple[str, bytes]]) -> Iterator[str]:
    """Yields the address of a site with these pages."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            media_type, body = pages.get(self.path, ("text/plain", b""))
            self.send_response(200 if self.path in pages else 404)
            self.send_header("Content-Type", media_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def options(**plugins: object) -> dict[str, Any]:
    """Returns what a quick crawl of such a site is told, with these settings of plug-ins."""
    settings = {
        "node.linger": 0.3,
        "frontier.shards": 1,
        "judge.soft404": False,
        "robots.guess_sitemap": False,
        **{f"plugins.{name}": value for name, value in plugins.items()},
    }
    return {"allow_private": True, "delay": 0.01, "workers": 1, "settings": settings}
