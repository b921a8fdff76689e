"""A crawl as a folder: what is in it, who may work on it, and how it is begun or taken up again.

DIR/crawl.json      the seeds and when it began
DIR/skitter.toml    its settings
DIR/lock            held by the supervisor while it runs
DIR/inbox/          the operator's wishes, not yet granted
DIR/frontier/       every URL and host, one store per shard
DIR/warc/           the archive
DIR/run/            sockets and logs of the nodes
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from skitter.config.show import to_toml
from skitter.dns.hosts import read_hosts
from skitter.errors import MachineError, OperatorError
from skitter.messages import Reason, Url
from skitter.node import inbox
from skitter.node.reading import seed
from skitter.settings import Settings
from skitter.url.canon import Canon
from skitter.url.keys import name_of, shard_of

VERSION = 1


class CrawlFile(Struct, frozen=True):
    """What DIR/crawl.json holds."""

    version: int
    created: float
    seeds: Sequence[str]


def settings_file(directory: Path) -> Path | None:
    """Returns the file with the settings of an earlier run, if there was one."""
    file = directory / "skitter.toml"
    return file if file.exists() else None


def read_crawl(directory: Path) -> CrawlFile:
    """Returns what is known of the crawl in `directory`."""
    file = directory / "crawl.json"
    try:
        crawl = msgspec.json.decode(file.read_bytes(), type=CrawlFile)
    except FileNotFoundError:
        raise OperatorError("DIR", str(directory), "is not the folder of a crawl: it has no crawl.json") from None
    except (OSError, ValueError) as error:
        raise MachineError("crawl.json can't be read", f"{file} ({error})", "Restore it from a copy.") from None
    if crawl.version != VERSION:
        raise OperatorError("DIR", str(directory), f"was written by another version of Skitter ({crawl.version})")
    return crawl


@contextlib.contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Holds the folder for one supervisor."""
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / "lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            right = f"is in use by process {file.read().strip() or '?'}: stop that crawl first"
            raise OperatorError("--out", str(directory), right) from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def begin(directory: Path, texts: Sequence[str], settings: Settings, now: float) -> CrawlFile:
    """Makes the folder ready for a run, with `texts` as further seeds, and returns what it is to crawl."""
    seeds = canonical_seeds(texts, settings)
    before = read_crawl(directory) if (directory / "crawl.json").exists() else CrawlFile(VERSION, now, ())
    crawl = structs.replace(before, seeds=list(dict.fromkeys([*before.seeds, *(url.href for url in seeds)])))
    if not crawl.seeds:
        raise OperatorError("URL", "", "at least one URL to start from is needed")
    require_contact(crawl.seeds, settings)
    _write(directory / "skitter.toml", to_toml(settings).encode())
    _write(directory / "crawl.json", msgspec.json.encode(crawl))
    post_seeds(directory, seeds, settings)
    return crawl


def post_seeds(directory: Path, seeds: Sequence[Url], settings: Settings) -> None:
    """Puts seeds into the inbox of their shards."""
    by_shard: dict[int, list[Url]] = {}
    for url in seeds:
        by_shard.setdefault(shard_of(url.host, settings.frontier.shards), []).append(url)
    for number, urls in by_shard.items():
        inbox.post(directory, number, inbox.Seeds([seed(url) for url in urls]))


def canonical_seeds(texts: Sequence[str], settings: Settings) -> list[Url]:
    """Returns the seeds as URLs; a bare `example.org` is taken as https."""
    canon = Canon(settings.url)
    seeds = []
    for text in texts:
        url = canon(text if "://" in text else f"https://{text}")
        if isinstance(url, Reason):
            raise OperatorError("URL", text, f"can't be crawled ({url}); right would be https://example.org/page")
        seeds.append(url)
    return seeds


def require_contact(seeds: Sequence[str], settings: Settings) -> None:
    """Raises if anything beyond this machine would be crawled by somebody nobody can reach."""
    if settings.identity.contact:
        return
    known = read_hosts(settings.dns.hosts_file) if settings.dns.hosts_file else {}
    for href in seeds:
        name = name_of(href)
        addresses = known.get(name, (name,))
        if not all(address.startswith("127.") or address in ("::1", "localhost") for address in addresses):
            right = (
                "say who you are with --contact URL or --contact E-MAIL (or SKITTER_CONTACT): it is sent with every "
                f"request, so that the owner of {name} can ask about you or turn you away instead of blocking you"
            )
            raise OperatorError("--contact", "", right)


def _write(file: Path, content: bytes) -> None:
    """Writes a small file whole or not at all."""
    hidden = file.with_name(f".{file.name}")
    with hidden.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    hidden.rename(file)
