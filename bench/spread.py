"""Real documentation as a web of many hosts: who owns which file, what robots.txt says, and what a server answers.

All files keep their paths; only the host differs. A folder is on one host, a large folder on several. A link leads from
a page to the same host, as it was written; if another host owns the file, the answer is a redirect to it.
"""

from __future__ import annotations

import zlib
from collections import Counter
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote
from urllib.robotparser import RobotFileParser

DOMAIN = "docs.test"
NETWORK = "127.30.0.0/16"
PER_HOST = 40
"""Files of a folder that go to one host."""


class Answer(NamedTuple):
    """What a server says: a status, and where to or what."""

    status: int
    location: str = ""
    file: Path | None = None


class Spread:
    """The files below `root`, spread over `count` hosts at one port."""

    def __init__(self, root: Path, count: int, port: int) -> None:
        self.root, self.port = root, port
        self.names = self.named(count)
        self.files = {f"/{path.relative_to(root)}" for path in root.rglob("*") if path.is_file()}
        self._folders = {f"/{path.relative_to(root)}" for path in root.rglob("*") if path.is_dir()} | {""}
        self._sizes = Counter(file.rpartition("/")[0] for file in self.files)
        self._closed = self._largest_folders()
        self._robots = {name: self._read(number) for number, name in enumerate(self.names)}

    def named(self, count: int) -> list[str]:
        """Returns the names of the hosts: they end in DOMAIN."""
        return [f"d{number:03d}.{DOMAIN}" for number in range(count)]

    def address(self, name: str) -> str:
        """Returns the loopback address of a host: each has its own."""
        number = self.names.index(name)
        return f"127.30.{number // 250}.{number % 250 + 1}"

    def url(self, name: str, path: str) -> str:
        """Returns the URL of a path as it stands on the disk."""
        return f"http://{name}:{self.port}{quote(path, safe='/~+=!$()*,;:@')}"

    def owners(self) -> dict[str, str]:
        """Returns the owner of every file, and of every folder that shows one."""
        found = {file: self._owner(file) for file in self.files}
        shown = {file.removesuffix("index.html"): name for file, name in found.items() if file.endswith("/index.html")}
        return found | shown

    def _owner(self, file: str) -> str:
        folder, _, name = file.rpartition("/")
        part = zlib.crc32(name.encode()) % (1 + self._sizes[folder] // PER_HOST)
        return self.names[zlib.crc32(f"{folder}/{part}".encode()) % len(self.names)]

    # What the hosts say

    def robots(self, number: int) -> str:
        """Returns a host's robots.txt. Every fifth one forbids us its largest folder, in one way or another."""
        if number % 5:
            return f"# host {number}\nUser-agent: *\nDisallow:\n"
        folder = quote(self._closed[self.names[number]], safe="/~+=")
        ours = f"User-agent: skitter\nDisallow: {folder}/\n"
        everyone = f"User-agent: *\nDisallow: {folder}/\n"
        others = "User-agent: *\nDisallow: /\n"
        return (everyone, ours, f"{others}\n{ours}", f"User-agent: otherbot\nDisallow: /\n\n{everyone}")[
            number // 5 % 4
        ]

    def _largest_folders(self) -> dict[str, str]:
        owned = Counter((self._owner(file), file.rpartition("/")[0]) for file in sorted(self.files))
        return {name: folder for (name, folder), _ in reversed(owned.most_common())}

    def allows(self, url: str, name: str) -> bool:
        """Whether a host's robots.txt allows a URL, as the standard library reads it."""
        return self._robots[name].can_fetch("skitter", url)

    def _read(self, number: int) -> RobotFileParser:
        parser = RobotFileParser()
        parser.parse(self.robots(number).splitlines())
        return parser

    def answer(self, name: str, path: str, owners: dict[str, str]) -> Answer:
        """Returns what the server answers to a path without its query."""
        plain = unquote(path)
        if owners.get(plain, name) != name:
            return Answer(301, f"http://{owners[plain]}:{self.port}{path}")
        if plain in self.files:
            return Answer(200, file=self.root / plain[1:])
        if plain.endswith("/"):
            shown = f"{plain}index.html"
            status = 403 if plain[:-1] in self._folders else 404
            return Answer(200, file=self.root / shown[1:]) if shown in self.files else Answer(status)
        return Answer(301, f"http://{name}:{self.port}{path}/") if plain in self._folders else Answer(404)
