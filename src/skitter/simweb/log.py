"""The server's log: a line when a request arrives and a line when it was answered. It is the judge; the crawler is not.

Tab-separated, the first line names the columns. Times are of this machine: `clock` never jumps, `wall` is of the epoch.
`at_host` and `at_address` are the requests under way there, this one counted in when it arrives and out when it ends.
`waited` is how long the kernel had a request before the server came to read it: on a busy machine, the first of two may
be noted so late that the second seems to follow too soon.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from msgspec import Struct, structs

COLUMNS = (
    *("event", "clock", "wall", "number", "connection", "host", "address", "method", "path", "status", "bytes"),
    *("at_host", "at_address", "scheme", "agent", "waited"),
)
ASK, END = "ask", "end"
LOST = -1
"""The status of a request whose connection went away before it was answered."""


class Request(Struct, frozen=True):
    """One request as the server saw it. `ended` is None if it was under way when the log stopped."""

    number: int
    connection: int
    host: str  # as asked: with `www.` and with the port
    address: str
    method: str
    path: str
    agent: str
    began: float
    began_wall: float
    at_host: int
    at_address: int
    scheme: str = "http"
    ended: float | None = None
    status: int = 0
    size: int = 0
    waited: float = 0.0

    @property
    def arrived(self) -> float:
        """When it came to this machine, by the kernel."""
        return self.began - self.waited

    @property
    def url(self) -> str:
        """What was asked for."""
        return f"{self.scheme}://{self.host}{self.path}"


class LogWriter:
    """Appends to a log; `flush` brings what was written to the file. Without a path it keeps nothing."""

    def __init__(self, path: Path | None) -> None:
        self._file: TextIO | None = path.open("w", encoding="utf-8", errors="backslashreplace") if path else None
        self._lines: list[str] = []
        self._write(*COLUMNS)

    def ask(self, request: Request) -> None:
        """Notes that a request has arrived."""
        self._line(ASK, request, request.began, request.began_wall, request.at_host, request.at_address)

    def end(self, request: Request, clock: float, wall: float, at_host: int, at_address: int) -> None:
        """Notes that a request was answered; the status is in it."""
        self._line(END, request, clock, wall, at_host, at_address)

    def flush(self) -> None:
        """Writes what has come together."""
        if self._file is not None and self._lines:
            self._file.write("".join(self._lines))
            self._file.flush()
        self._lines.clear()

    def close(self) -> None:
        """Writes the rest and closes the file."""
        self.flush()
        if self._file is not None:
            self._file.close()

    def _line(self, event: str, request: Request, clock: float, wall: float, at_host: int, at_address: int) -> None:
        if self._file is None:
            return
        self._lines.append(
            f"{event}\t{clock:.6f}\t{wall:.6f}\t{request.number}\t{request.connection}\t{request.host}\t"
            f"{request.address}\t{request.method}\t{request.path}\t{request.status}\t{request.size}\t"
            f"{at_host}\t{at_address}\t{request.scheme}\t{request.agent}\t{request.waited:.3f}\n"
        )

    def _write(self, *fields: str) -> None:
        if self._file is not None:
            self._lines.append("\t".join(fields) + "\n")


def read_log(path: Path) -> list[Request]:
    """Returns the requests of a log in the order in which they arrived."""
    requests: dict[int, Request] = {}
    for event, row in _rows(path):
        number = int(row["number"])
        asked = requests.get(number)
        if event == ASK:
            requests[number] = _request(row)
        elif asked is not None:
            requests[number] = structs.replace(
                asked, ended=float(row["clock"]), status=int(row["status"]), size=int(row["bytes"])
            )
    return list(requests.values())


def _rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    with path.open(encoding="utf-8", newline="\n") as file:
        names = file.readline().rstrip("\n").split("\t")
        for line in file:
            # A last line without an end was being written when the server was killed.
            if line.endswith("\n"):
                row = dict(zip(names, line[:-1].split("\t"), strict=True))
                yield row["event"], row


def _request(row: dict[str, str]) -> Request:
    return Request(
        number=int(row["number"]),
        connection=int(row["connection"]),
        host=row["host"],
        address=row["address"],
        method=row["method"],
        path=row["path"],
        agent=row["agent"],
        began=float(row["clock"]),
        began_wall=float(row["wall"]),
        at_host=int(row["at_host"]),
        at_address=int(row["at_address"]),
        scheme=row["scheme"],
        waited=float(row.get("waited", 0.0)),
    )
