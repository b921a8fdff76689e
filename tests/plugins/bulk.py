"""A small server that speaks as much of Elasticsearch as a sink needs: `GET /` and `POST /_bulk`."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Index:
    """What was indexed, by index and id; how often each was brought; and which requests are still to fail, and how."""

    def __init__(self) -> None:
        self.documents: dict[tuple[str, str], dict[str, Any]] = {}
        self.brought: list[tuple[str, str]] = []
        self.statuses: list[int] = []  # of the next requests
        self.items: list[int] = []  # of the next documents, instead of 201
        self.requests = 0
        self.url = ""

    def take(self, body: bytes) -> dict[str, Any]:
        """Returns the answer to a bulk request, as the real one has it: each document has a status of its own."""
        assert body.endswith(b"\n"), "the last line must end too"
        lines = [json.loads(line) for line in body.splitlines()]
        items = []
        for action, document in zip(lines[::2], lines[1::2], strict=True):
            key = action["index"]["_index"], action["index"]["_id"]
            status = self.items.pop(0) if self.items else 201
            if status == 201:
                self.documents[key] = document
                self.brought.append(key)
            error = {} if status == 201 else {"error": {"type": "mapper_parsing_exception", "reason": "no such"}}
            items.append({"index": {"_id": key[1], "status": status, **error}})
        return {"took": 1, "errors": any(item["index"]["status"] >= 300 for item in items), "items": items}


@contextlib.contextmanager
def serving() -> Iterator[Index]:
    """Yields an index with a server in front of it."""
    index = Index()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(200, {"version": {"number": "8.15.0"}, "tagline": "You Know, for Search"})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            assert (self.path, self.headers["Content-Type"]) == ("/_bulk", "application/x-ndjson")
            index.requests += 1
            status = index.statuses.pop(0) if index.statuses else 200
            self._answer(status, index.take(body) if status == 200 else {"error": "busy"})

        def _answer(self, status: int, said: object) -> None:
            body = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        index.url = f"http://127.0.0.1:{server.server_address[1]}"
        yield index
        server.shutdown()
