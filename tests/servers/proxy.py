"""A proxy before the S3 server that misbehaves on command: errors, cut connections, or nothing at all."""

from __future__ import annotations

import http.client
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ERRORS = {
    503: b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>",
    500: b"<Error><Code>InternalError</Code><Message>We encountered an internal error.</Message></Error>",
}
PASSED_ON = ("content-length", "connection", "transfer-encoding")


class Proxy:
    """`fault` is what every request meets: 0 nothing, 500, 503, or -1: the connection is cut."""

    def __init__(self, port: int) -> None:
        self.fault = 0
        self.only = ""  # requests for paths that have this in them meet it, others do not
        self.left: int | None = None  # of the requests that meet it; None: all
        self.met: Counter[int] = Counter()  # requests by the fault that they met
        self.asked: list[str] = []  # methods and paths of those that met none
        self._behind = port
        self._lock = threading.Lock()
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self) -> None:
                proxy.answer(self)

            do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = handle_one  # noqa: N815

            def log_message(self, *_: object) -> None:  # not to the tests' output
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Answers one request."""
        body = request.rfile.read(int(request.headers.get("content-length", 0)))
        fault = self._next_fault(request.path)
        if fault < 0:
            request.close_connection = True
            request.connection.close()
        elif fault:
            self._send(request, fault, {}, ERRORS[fault])
        else:
            self._pass_on(request, body)

    def _next_fault(self, path: str) -> int:
        with self._lock:
            fault = self.fault if self.only in path and (self.left is None or self.left > 0) else 0
            if fault and self.left is not None:
                self.left -= 1
            self.met[fault] += 1
            return fault

    def _pass_on(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        self.asked.append(f"{request.command} {request.path}")
        connection = http.client.HTTPConnection("127.0.0.1", self._behind, timeout=30)
        try:
            connection.request(request.command, request.path, body, dict(request.headers.items()))
            answer = connection.getresponse()
            self._send(request, answer.status, dict(answer.getheaders()), answer.read())
        except OSError:
            request.close_connection = True  # the server is gone: so are we
        finally:
            connection.close()

    def _send(self, request: BaseHTTPRequestHandler, status: int, headers: dict[str, str], body: bytes) -> None:
        is_head = request.command == "HEAD"
        request.send_response_only(status)
        for name, value in headers.items():
            if name.lower() not in PASSED_ON:
                request.send_header(name, value)
        size = headers.get("Content-Length", "0") if is_head else str(len(body))
        request.send_header("Content-Length", size)
        request.end_headers()
        if not is_head:
            request.wfile.write(body)

    def serve(self) -> None:
        """Answers until `stop`."""
        self._server.serve_forever(poll_interval=0.05)

    def stop(self) -> None:
        """Ends `serve`."""
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def proxied(port: int) -> Iterator[Proxy]:
    """Yields a proxy before the server at a port."""
    proxy = Proxy(port)
    thread = threading.Thread(target=proxy.serve, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.stop()
        thread.join()
