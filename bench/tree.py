"""Real pages as a web of many hosts: files for a server, each link leading to another page of the same set.

The pages are Debian's documentation. Every distinct target of a page becomes another page of the set, so that a page
keeps its size, its markup and the number of its links, and a crawl from the first page reaches all of them. What else
leads somewhere (images, styles, scripts, `rel`, robots directives) is renamed, so that every crawler has the same work.
"""

from __future__ import annotations

import gzip
import json
import posixpath
import random
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pages import ROOT, real_pages

CACHE = ROOT / ".cache" / "bench" / "trees"
VERSION = 3
"""Of the files below CACHE: another one when they are made differently."""

CHILDREN = 3
"""Links of a page that make it sure that all pages are reached: page n leads to 3n+1, 3n+2 and 3n+3."""

ROOM = 0.84
"""What is left of a page's size for its content: its links become longer."""

LARGEST = 200_000
"""Bytes of a real page; the few that are larger are lists of everything."""

_TAG = re.compile(rb"<([a-zA-Z][a-zA-Z0-9]*)(\s[^<>]*)>")
_HREF = re.compile(rb"""(\bhref\s*=\s*)(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_LEADS = re.compile(
    rb"\s(href|src|srcset|action|data|poster|background|cite|longdesc|usemap|manifest|formaction|rel|http-equiv)(?=\s*=)",
    re.IGNORECASE,
)
_ROBOTS = re.compile(rb"""\bname(?=\s*=\s*["']?robots)""", re.IGNORECASE)
_ASIDE = re.compile(rb"<!--.*?-->|<(script|style)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_BODY = re.compile(rb"<body[^>]*>(.*?)(?:</body\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_NOT_LINKS = (b"#", b"mailto:", b"javascript:", b"data:", b"ftp:", b"news:")


class Shape(NamedTuple):
    """Which web is wanted."""

    pages: int
    hosts: int
    size: int = 0  # bytes of a page; 0: as they are
    scheme: str = "http"
    port: int = 8480


class Tree(NamedTuple):
    """A web on the disk: a folder for each address, and what is in them."""

    shape: Shape
    root: Path
    urls: list[str]
    size: float  # bytes of a page, the mean
    links: float  # of a page
    distinct: float  # places that a page leads to

    @property
    def seed(self) -> str:
        """The page that all others are reached from."""
        return self.urls[0]

    def files(self) -> list[Path]:
        """Returns the file of each page."""
        start = len(f"{self.shape.scheme}://")
        return [self.root / url[start:].replace(f":{self.shape.port}/", "/", 1) for url in self.urls]

    def says(self) -> str:
        """Returns one line for a report."""
        kilobytes = self.size / 1000
        return (
            f"{len(self.urls)} pages of {kilobytes:.1f} KB with {self.links:.0f} links to {self.distinct:.0f} places "
            f"each, on {self.shape.hosts} hosts"
        )


def address(host: int) -> str:
    """Returns the loopback address of a host: each has its own, which is its name too."""
    return f"127.{40 + host // 62_500}.{host // 250 % 250}.{host % 250 + 1}"


def tree_of(shape: Shape) -> Tree:
    """Returns the web of this shape, made when it is first asked for."""
    root = CACHE / "-".join(map(str, (f"v{VERSION}", *shape)))
    if not (root / "tree.json").exists():
        print(f"bench: makes {shape.pages} pages on {shape.hosts} hosts, once", file=sys.stderr)
        _write(shape, root)
    told = json.loads((root / "tree.json").read_bytes())
    return Tree(shape, root, told["urls"], told["size"], told["links"], told["distinct"])


def with_gzip(tree: Tree) -> None:
    """Puts a compressed copy beside each page."""
    for file in tree.files():
        packed = file.with_name(f"{file.name}.gz")
        if not packed.exists():
            packed.write_bytes(gzip.compress(file.read_bytes(), 6))


def _write(shape: Shape, root: Path) -> None:
    making = root.with_name(f"{root.name}.part")
    shutil.rmtree(making, ignore_errors=True)
    sources = _sources(shape)
    paths = [_path(number, sources[number % len(sources)][0]) for number in range(shape.pages)]
    counts = []
    for number, path in enumerate(paths):
        _, content = sources[number % len(sources)]
        leads = _Leads(shape, paths, number)
        written = _linked(content, leads)
        file = making / address(number % shape.hosts) / path[1:]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(written)
        counts.append((len(written), leads.links, leads.distinct))
    urls = [_url(shape, number, path) for number, path in enumerate(paths)]
    size, links, distinct = (sum(column) / len(counts) for column in zip(*counts, strict=True))
    (making / "tree.json").write_text(
        json.dumps({"urls": urls, "size": size, "links": links, "distinct": distinct}), encoding="utf-8"
    )
    making.rename(root)


def _url(shape: Shape, number: int, path: str) -> str:
    return f"{shape.scheme}://{address(number % shape.hosts)}:{shape.port}{path}"


def _path(number: int, source: Path) -> str:
    folder = re.sub(r"[^a-z0-9/]", "-", source.parent.as_posix().lower())
    return f"/{folder}/{re.sub(r'[^a-z0-9]', '-', source.stem.lower())}-{number}.html"


class _Leads:
    """Where the links of one page lead: the same target always to the same page."""

    def __init__(self, shape: Shape, paths: list[str], number: int) -> None:
        self._shape, self._paths, self._number = shape, paths, number
        self._known: dict[bytes, bytes] = {}
        self._next = self._others(random.Random(number))
        self.links = 0

    @property
    def distinct(self) -> int:
        return len(self._known)

    def __call__(self, target: bytes) -> bytes:
        self.links += 1
        place, hash_sign, fragment = target.partition(b"#")
        if place not in self._known:
            self._known[place] = self._written(next(self._next)).encode()
        return self._known[place] + hash_sign + fragment

    def _others(self, dice: random.Random) -> Iterator[int]:
        """Yields page after page: first those that only we are sure to lead to, then half of our host, half of all."""
        pages, hosts = self._shape.pages, self._shape.hosts
        yield from range(CHILDREN * self._number + 1, min(CHILDREN * self._number + CHILDREN + 1, pages))
        ours = list(range(self._number % hosts, pages, hosts))
        dice.shuffle(ours)
        while True:
            yield ours.pop() if ours and dice.random() < 0.5 else dice.randrange(pages)

    def _written(self, number: int) -> str:
        if number % self._shape.hosts != self._number % self._shape.hosts:
            return _url(self._shape, number, self._paths[number])
        here, there = self._paths[self._number], self._paths[number]
        # Up to the root and down again, wget2 takes `..` for the name of a host and never ends.
        if here.split("/")[1] != there.split("/")[1]:
            return there
        return posixpath.relpath(there, posixpath.dirname(here))


def _linked(content: bytes, leads: Callable[[bytes], bytes]) -> bytes:
    """Returns a page with its links led elsewhere."""

    def in_href(match: re.Match[bytes]) -> bytes:
        target = match[2] if match[2] is not None else match[3]
        return match[0] if target.strip().lower().startswith(_NOT_LINKS) else match[1] + b'"' + leads(target) + b'"'

    def in_tag(match: re.Match[bytes]) -> bytes:
        if match[1].lower() != b"a":
            return match[0]
        return b"<a" + _HREF.sub(in_href, match[2], count=1) + b">"

    return _TAG.sub(in_tag, content)


# The real pages


def _sources(shape: Shape) -> list[tuple[Path, bytes]]:
    found = _tamed_pages()
    if shape.size:
        found = list(_of_size(found, shape.size))
    enough = [(path, content) for path, content in found if _places(content) >= CHILDREN]
    return _spread(enough, shape.pages)


@cache
def _tamed_pages() -> list[tuple[Path, bytes]]:
    files = real_pages(10**6)
    root = Path(posixpath.commonpath([file.as_posix() for file in files]))
    return [(file.relative_to(root), _tamed(file.read_bytes())) for file in files if file.stat().st_size <= LARGEST]


def _spread(found: list[tuple[Path, bytes]], count: int) -> list[tuple[Path, bytes]]:
    """Returns `count` of them from all over, or all if there are fewer."""
    return [found[number * len(found) // count] for number in range(count)] if count < len(found) else found


def _places(content: bytes) -> int:
    """Returns how many places a page leads to."""
    found: set[bytes] = set()

    def note(target: bytes) -> bytes:
        found.add(target.partition(b"#")[0])
        return target

    _linked(content, note)
    return len(found)


def _tamed(content: bytes) -> bytes:
    """Returns a page that leads nowhere but by its links. Comments, scripts and styles go: crawlers differ on them."""
    return _TAG.sub(_tame_tag, _ASIDE.sub(b"", content))


def _tame_tag(match: re.Match[bytes]) -> bytes:
    name, attributes = match[1], match[2]
    if name.lower() == b"a":
        return b"<a" + re.sub(rb"\srel(?=\s*=)", b" x-rel", attributes, flags=re.IGNORECASE) + b">"
    return b"<" + name + _ROBOTS.sub(b"x-name", _LEADS.sub(rb" x-\1", attributes)) + b">"


def _of_size(found: list[tuple[Path, bytes]], size: int) -> Iterator[tuple[Path, bytes]]:
    """Yields pages of about `size` bytes: pieces of the real ones, or several of them in one."""
    gathered: list[bytes] = []
    size = round(size * ROOM)
    for path, content in found:
        body = _BODY.search(content)
        gathered.append(body[1] if body else content)
        whole = b"".join(gathered)
        if len(whole) < size:
            continue
        gathered = []
        start = max(0, whole.find(b"<a "))
        piece = whole[start : start + size] if len(whole) - start >= size else whole[-size:]
        cut = piece[piece.find(b"<") : piece.rfind(b">") + 1]
        title = path.stem.encode("ascii", "replace")
        yield path, b"<!DOCTYPE html><html><head><title>" + title + b"</title></head><body>" + cut + b"</body></html>\n"
