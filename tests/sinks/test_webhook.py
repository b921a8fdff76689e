"""A real HTTP server that answers well, answers 500, hangs, breaks off and repeats: each row is there in the end."""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.server
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from skitter.errors import SinkError
from skitter.ports import Rows
from skitter.sinks.webhook import MOST_BYTES, MOST_ROWS, WebhookSink

SECRET = b"0123456789abcdef"


class Hook(http.server.ThreadingHTTPServer):
    """Takes batches and counts bad signatures; `plan` says what it does with the next ones instead of taking them."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.plan: list[int | str] = []
        self.rows: list[dict[str, Any]] = []
        self.batches: list[str] = []
        self.forged = 0
        self.gate = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/rows?for=me"


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Hook
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        told = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode() + body
        right = "v1," + base64.b64encode(hmac.new(SECRET, told, hashlib.sha256).digest()).decode()
        self.server.forged += self.headers["webhook-signature"] != right or self.path != "/rows?for=me"
        self.server.batches.append(self.headers["webhook-id"])
        what = self.server.plan.pop(0) if self.server.plan else 200
        if what == "hang":
            self.server.gate.wait(20)
            self.close_connection = True
            return
        if what == "take and break off":
            self.server.rows += json.loads(body)["rows"]
            self.close_connection = True
            return
        assert isinstance(what, int)
        if what == 200:
            self.server.rows += json.loads(body)["rows"]
        said = b"no, thank you" if what != 200 else b""
        self.send_response(what)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hook() -> Iterator[Hook]:
    server = Hook()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.gate.set()
    server.shutdown()
    thread.join()
    server.server_close()


def rows(*names: str) -> Rows:
    return Rows("captures", ("url", "status", "title"), 1, [(name, 200, None) for name in names])


def brought(sink: WebhookSink, some: Rows) -> None:
    sink.open()
    sink.write(some)
    sink.commit(b"mark")


def test_rows_come_signed(hook: Hook) -> None:
    sink = WebhookSink(hook.url, SECRET, ["captures"])
    brought(sink, rows("a", "b"))
    sink.close()
    assert hook.rows == [{"table": "captures", "url": name, "status": 200} for name in "ab"]
    assert hook.forged == 0


def test_another_secret_does_not_fit(hook: Hook) -> None:
    sink = WebhookSink(hook.url, b"another secret!!", ["captures"])
    brought(sink, rows("a"))
    sink.close()
    assert hook.forged == 1


@pytest.mark.parametrize(
    ("what", "kind", "words"),
    [
        (500, "away", "answered 500 no, thank you"),
        (429, "away", "answered 429"),
        (403, "refused", "answered 403"),
        (302, "refused", "answered 302"),
        ("hang", "away", "no answer in time"),
        ("take and break off", "away", "can't be reached"),
    ],
)
def test_what_fails_comes_again_with_its_id(hook: Hook, what: int | str, kind: str, words: str) -> None:
    hook.plan = [what]
    sink = WebhookSink(hook.url, SECRET, ["captures"], timeout=0.2 if what == "hang" else 60.0)
    with pytest.raises(SinkError, match=words) as caught:
        brought(sink, rows("a"))
    assert caught.value.kind == kind
    assert SECRET.decode() not in str(caught.value)
    sink.close()
    again = WebhookSink(hook.url, SECRET, ["captures"])
    brought(again, rows("a"))
    again.close()
    assert {row["url"] for row in hook.rows} == {"a"}
    assert len(set(hook.batches)) == 1, "who repeats says so by its id"
    assert hook.forged == 0


def test_batches_are_bounded(hook: Hook) -> None:
    sink = WebhookSink(hook.url, SECRET, ["captures"])
    brought(sink, rows(*(str(n) for n in range(MOST_ROWS + 5))))
    assert len(hook.batches) == 2
    brought(sink, rows("x" * MOST_BYTES, "y" * MOST_BYTES))
    assert len(hook.batches) == 4
    sink.close()
    assert len(hook.rows) == MOST_ROWS + 7


def test_nobody_there_is_away() -> None:
    with pytest.raises(SinkError, match="can't be reached") as caught:
        brought(WebhookSink("http://127.0.0.1:1/", SECRET, ["captures"]), rows("a"))
    assert caught.value.kind == "away"
