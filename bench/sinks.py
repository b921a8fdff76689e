"""What a row costs on its way from the archive to PostgreSQL: ours and the server's CPU time.

    .venv/bin/python -m bench.sinks [--captures 20000] [--links 50]

The archive is made of captures like those of a crawl, with so many links each; the server is one of the tests'. CPU
time of the server is that of its process for our connection, from /proc.
Run it on a quiet machine, and trust the ratios.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from skitter.messages import Errand, Fetched, Lease, Link, LinkKind
from skitter.ports import Capture
from skitter.settings import Settings
from skitter.sinks.json_lines import FileSink
from skitter.sinks.postgres.sink import TABLES, PostgresSink
from skitter.sinks.source import ArchiveSource
from skitter.store.warc.batch import Batch
from tests.servers.postgres import PostgresServer

NAME = "skitter-20261115203512-0-00000.warc.gz"
BODY = b"<p>" + b"some words of a page " * 400 + b"</p>"


def capture(number: int, links: int) -> Capture:
    """Returns a page with so many links, like those of a site."""
    host = f"h{number % 100}.test"
    url = f"http://{host}/p/{number}"
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    body = BODY + str(number).encode()
    lease = Lease(url, host, Errand.PAGE, 0.0, depth=3, parent=f"http://{host}/")
    asked = b"GET / HTTP/1.1\r\n\r\n"
    fetched = Fetched(lease, float(number), number + 0.2, "192.0.2.1", asked, head, body, 200, body=body)
    found = [
        Link(f"http://{host}/p/{(number * 7 + place * 13) % 40000}", "a", LinkKind.NAVIGATION, False, f"Link {place}")
        for place in range(links)
    ]
    return Capture(fetched, links=found, title=f"Page {number}", lang="en", simhash=number)


def made(folder: Path, captures: int, links: int) -> None:
    """Writes the archive."""
    path = folder / "warc" / NAME
    path.parent.mkdir()
    with path.open("wb") as file:
        for start in range(0, captures, 100):
            batch = Batch(NAME, file.tell(), 4, lambda _: None)
            for number in range(start, min(captures, start + 100)):
                batch.add(capture(number, links))
            file.write(batch.content)


def ticks(pid: int) -> float:
    """Returns the CPU seconds of a process."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--captures", type=int, default=20_000)
    parser.add_argument("--links", type=int, default=50)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made_folder:
        folder = Path(made_folder)
        made(folder, given.captures, given.links)
        reading = read_alone(folder)
        lines = json_lines(folder)
        server = PostgresServer(folder)
        server.start()
        try:
            server.make("bench")
            os.environ["PGPASSWORD"] = server.environment["PGPASSWORD"]
            some = postgres(folder, server, ["captures", "failures"])
            server.make("bench2")
            every = postgres(folder, server, TABLES, "bench2")
        finally:
            server.remove()
    print(f"{given.captures} captures with {given.links} links each; load {os.getloadavg()[0]:.1f}")
    print("| way | rows | ours, µs a row | server's, µs a row |\n|---|---|---|---|")
    for name, rows, ours, theirs in (reading, lines, some, every):
        print(f"| {name} | {rows} | {1e6 * ours / rows:.1f} | {1e6 * theirs / rows:.1f} |")


def read_alone(folder: Path) -> tuple[str, int, float, float]:
    """Reads the archive and makes rows of captures, for nobody."""
    began, rows = time.process_time(), 0
    for batch in ArchiveSource(folder, None, ["captures", "failures"]).batches():
        rows += sum(len(some.rows) for some in batch.rows)
    return "WARC files to rows of captures", rows, time.process_time() - began, 0.0


def json_lines(folder: Path) -> tuple[str, int, float, float]:
    """Writes JSON lines."""
    sink = FileSink(folder / "rows.jsonl", ["captures", "failures"])
    return ("the same to JSON lines", *fed(folder, sink, lambda: 0.0))


def postgres(
    folder: Path, server: PostgresServer, tables: list[str] | tuple[str, ...], name: str = "bench"
) -> tuple[str, int, float, float]:
    """Writes to PostgreSQL."""
    sink = PostgresSink(server.url(name), name, "bench", Settings(), lambda host: host, tables=tables)

    def theirs() -> float:
        return ticks(sink._connection.info.backend_pid) if sink._connection is not None else 0.0

    what = "captures" if "links" not in tables else "captures, links, URLs and hosts"
    return (f"the same to PostgreSQL: {what}", *fed(folder, sink, theirs))


def fed(folder: Path, sink: FileSink | PostgresSink, theirs: object) -> tuple[int, float, float]:
    """Feeds a sink, and returns rows, our CPU seconds, and those of the server."""
    assert callable(theirs)
    sink.open()
    began, rows, before = time.process_time(), 0, theirs()
    for batch in ArchiveSource(folder, None, sink.tables).batches():
        for some in batch.rows:
            rows += len(some.rows)
            sink.write(some)
        sink.commit(batch.bookmark)
    spent, after = time.process_time() - began, theirs()
    sink.close()
    return rows, spent, after - before


if __name__ == "__main__":
    main()
