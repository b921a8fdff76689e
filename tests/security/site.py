"""A site on a loopback address that says what it is told to and notes what it is asked, and crawls of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple
from unittest import mock

from skitter.cli.app import main

PATIENCE = 60.0


class Asked(NamedTuple):
    """One request: the path, and all headers."""

    path: str
    headers: Message


class Said(NamedTuple):
    """One answer."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = {"Content-Type": "text/html"}


def page(*links: str, more: str = "") -> Said:
    return Said(("".join(f'<a href="{link}">x</a>' for link in links) + more).encode())


def redirect(to: str) -> Said:
    return Said(status=302, headers={"Location": to})


Answers = Callable[[Asked], Said]


class Site:
    """Answers every request by `answers`. `connections` counts them, be they asked anything or not."""

    def __init__(self, address: str, answers: Answers, port: int = 0) -> None:
        self.requests: list[Asked] = []
        self.connections = 0
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                asked = Asked(self.path, self.headers)
                site.requests.append(asked)
                said = answers(asked)
                self.send_response_only(said.status)
                for name, value in said.headers.items():
                    self.send_header(name, value)
                if "Content-Length" not in said.headers:
                    self.send_header("Content-Length", str(len(said.body)))
                self.end_headers()
                self.wfile.write(said.body)

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def get_request(self) -> Any:
                site.connections += 1
                return super().get_request()

        self._server = Server((address, port), Handler)
        self.port: int = self._server.server_address[1]
        self.authority = f"{address}:{self.port}"
        self.root = f"http://{self.authority}"
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def paths(self) -> set[str]:
        return {asked.path for asked in self.requests}

    def __enter__(self) -> Site:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def from_table(table: Mapping[str, Said]) -> Answers:
    """Returns a site's answers by path; what is not in the table is not there."""
    return lambda asked: table.get(asked.path, Said(status=404))


def command(*words: str, out: Path) -> list[str]:
    """Returns the words that crawl as fast as the site likes."""
    pace = ("--delay", "0.02", "--workers", "1", "--set", "politeness.address_rate=10000", "--set", "node.linger=0.5")
    small = ("--set", "frontier.shards=1")
    return [sys.executable, "-m", "skitter", "crawl", "--out", str(out), *pace, *small, *words]


def crawled(*words: str, out: Path, env: Mapping[str, str] | None = None) -> tuple[dict[str, Any], str]:
    """Returns how a crawl ended, and everything that it said."""
    run = subprocess.run(
        [*command(*words, out=out), "--json"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env={**os.environ, **(env or {})},
    )
    assert run.returncode in (0, 3), run.stderr
    return json.loads(run.stdout.splitlines()[-1]), run.stdout + run.stderr


def told(*words: str) -> str:
    """Returns all that a command says, errors too."""
    said = StringIO()
    argv = mock.patch.object(sys, "argv", ["skitter", *words])
    with argv, redirect_stdout(said), redirect_stderr(said), suppress(SystemExit):
        main()
    return said.getvalue()


@contextmanager
def crawling(*words: str, out: Path) -> Iterator[subprocess.Popen[str]]:
    """Yields a crawl under way; it is stopped at the end."""
    with subprocess.Popen(command(*words, out=out), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        try:
            yield run
        finally:
            run.terminate()
            run.communicate(timeout=PATIENCE)
