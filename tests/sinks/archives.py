"""Archives as nodes leave them, without a crawl: WARC files that grow by captures of our making."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from msgspec import structs

from skitter.messages import Errand, Failure, Fetched, Kind, Lease, Link, LinkKind, Reason
from skitter.ports import Capture
from skitter.settings import DnsSettings, Settings
from skitter.store.bodies.memory import StoredBody
from skitter.store.warc.batch import Batch
from skitter.store.warc.places import relative_path
from skitter.supervisor.begin import begin
from skitter.url.keys import host_of

BEGAN = 1_794_775_551.0
_DNS = DnsSettings(allow_private=True)
ODD = [
    "",
    "plain",
    "n\0l",
    "\ud800 half",
    "\u2028\u202e",
    "🕷",
    "\\N",
    "\\.",
    "tab\there",
    "Ω" * 500,
    "'; drop table links; --",
]


class Archive:
    """The folder of a crawl whose nodes have written so much and not more. Times go up by a second a capture."""

    def __init__(self, directory: Path, settings: Settings | None = None, seed: int = 1) -> None:
        self.directory = directory
        directory.mkdir(exist_ok=True)
        begin(directory, ["http://localhost/"], structs.replace(settings or Settings(), dns=_DNS), BEGAN)
        (directory / "run").mkdir(exist_ok=True)
        self._chance = random.Random(seed)
        self._files = 0
        self.answers = self.failures = self.links = 0
        self._known: dict[bytes, StoredBody] = {}
        self._next()

    def _next(self) -> None:
        self._name = f"skitter-20261115203{self._files:03d}-0-{self._files:05d}.warc.gz"
        self._files += 1
        path = self.directory / "warc" / relative_path(self._name)
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self.open = path, path.with_name(path.name + ".open")
        self._end = 0
        self.open.touch()

    @property
    def captures(self) -> int:
        """How many there are, answered or not."""
        return self.answers + self.failures

    def add(self, many: int = 1) -> None:
        """Stores so many more captures, in one write as a node does."""
        batch = Batch(self._name, self._end, 4, self._known.get)
        for _ in range(many):
            batch.add(self._capture())
        self._known.update(batch.places)
        self.write(batch.content)

    def write(self, content: bytes) -> None:
        """Appends to the file that is open."""
        with self.open.open("ab") as file:
            file.write(content)
        self._end += len(content)

    def seal(self) -> None:
        """Seals the file that is open, and begins another."""
        self.open.rename(self.path)
        self._next()

    def _capture(self) -> Capture:
        number, chance = self.captures, self._chance
        url = f"http://h{number % 7}.test/p/{chance.randrange(200)}"
        began = BEGAN + number
        if chance.random() < 0.1:
            self.failures += 1
            fetched = Fetched(self._lease(url), began, began + 0.5, failure=Failure(Kind.READ_TIMEOUT, "n\0 answer"))
            return Capture(fetched)
        self.answers += 1
        links = [self._link(place) for place in range(chance.randrange(6))]
        self.links += len(links)
        body = f"<p>{chance.randrange(30)}</p>".encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
        fetched = Fetched(
            self._lease(url),
            began,
            began + 0.25,
            request_head=b"GET / HTTP/1.1\r\n\r\n",
            response_head=head,
            payload=body,
            status=200,
            headers=[("Content-Type", "text/html")],
            body=body,
        )
        refused = {0: Reason.OUT_OF_SCOPE} if links else {}
        title = chance.choice(ODD).encode("utf-8", "replace").decode()
        return Capture(fetched, links=links, refused=refused, title=title, simhash=2**64 - 1 - number)

    def _link(self, place: int) -> Link:
        target = f"http://h{self._chance.randrange(9)}.test/p/{self._chance.randrange(300)}?utm_source={place}"
        return Link(
            target, "a", LinkKind.NAVIGATION, False, self._chance.choice(ODD).encode("utf-8", "replace").decode()
        )

    def _lease(self, url: str) -> Lease:
        return Lease(url, host_of(url), Errand.PAGE, BEGAN, depth=2, parent="http://h0.test/")


def robots(archive: Archive, host: str, body: bytes, at: float) -> None:
    """Stores a robots.txt."""
    lease = Lease(f"http://{host}/robots.txt", host, Errand.ROBOTS, at)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
    fetched = Fetched(lease, at, at + 0.1, response_head=head, payload=body, status=200, body=body, headers=[])
    batch = Batch(archive.path.name, archive._end, 4, {}.get)
    batch.add(Capture(fetched))
    archive.answers += 1
    archive.write(batch.content)


def lines_of(file: Path) -> Sequence[bytes]:
    """Returns the lines of a file of rows."""
    return file.read_bytes().split(b"\n")[:-1]
