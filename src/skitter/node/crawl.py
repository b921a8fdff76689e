"""A crawl as a folder: what is in it, who may work on it, and how it is begun or taken up again.

DIR/crawl.json      the seeds and when it began
DIR/skitter.toml    its settings
DIR/lock            held by the supervisor while it runs
DIR/inbox/          the operator's wishes, not yet granted
DIR/frontier/       every URL and host, one store per shard
DIR/warc/           the archive
DIR/run/            sockets and logs of the nodes, and how the last run went
DIR/read.json       how far a library user has read its pages, see `face.bookmark`
"""

from __future__ import annotations

import contextlib
import fcntl
import ipaddress
import os
import re
import stat
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import msgspec
from msgspec import structs

from skitter.config.load import load
from skitter.config.show import to_toml
from skitter.dns.guard import Guard
from skitter.dns.hosts import read_hosts
from skitter.dns.servers import checked_servers
from skitter.errors import OperatorError
from skitter.fetch.request import checked_user_agent
from skitter.messages import Discovered, Reason, Url
from skitter.node import inbox
from skitter.node.crawlfile import CRAWL_FILE, VERSION, CrawlFile, read_crawl
from skitter.node.identity import user_agent
from skitter.schedule.priority import SEED_PRIORITY
from skitter.settings import Settings
from skitter.url.canon import Canon
from skitter.url.keys import fingerprint, name_of, shard_of

OURS_ALONE = 0o700

LOCK_PATIENCE = 0.5
"""Who looks whether a crawl runs holds the lock for a moment; whoever starts one waits that long for it."""


_SCHEME = re.compile(r"https?:|[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def settings_file(directory: Path) -> Path | None:
    """Returns the file with the settings of an earlier run, if there was one."""
    file = directory / "skitter.toml"
    return file if file.exists() else None


@contextlib.contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Holds the folder for one supervisor."""
    _make(directory)
    with (directory / "lock").open("a+") as file:
        until = time.monotonic() + LOCK_PATIENCE
        while not _lock(file):
            if time.monotonic() > until:
                right = f"is in use by process {_holder(file) or '?'}: stop that crawl first"
                raise OperatorError("--out", str(directory), right)
            time.sleep(0.02)
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def running(directory: Path) -> int | None:
    """Returns the process that crawls in `directory` (0: it has not said yet), or None if none does."""
    try:
        file = (directory / "lock").open()
    except OSError:
        return None
    with file:
        return None if _lock(file) else _holder(file) or 0


@contextlib.contextmanager
def nodes_lock(directory: Path) -> Iterator[int]:
    """Yields a descriptor that every node is born with: the last of them to die lets go of it, however they die.

    Born with, for a supervisor can be killed between the start of a node and the node's first line.
    """
    with (directory / "run" / "nodes.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        yield file.fileno()


def nodes_at_work(directory: Path) -> bool:
    """Whether nodes are at work. After their supervisor was killed they finish what they have under way."""
    with (_private(directory / "run") / "nodes.lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _private(folder: Path) -> Path:
    """Returns `folder`, made for its owner alone: whoever can write to a socket in it can speak as a node."""
    folder.mkdir(mode=OURS_ALONE, parents=True, exist_ok=True)
    if stat.S_IMODE(folder.stat().st_mode) != OURS_ALONE:  # made by an earlier version, or by someone else
        try:
            folder.chmod(OURS_ALONE)
        except PermissionError:
            raise OperatorError("--out", str(folder), "belongs to another user: remove it, it is made anew") from None
    return folder


def begin(directory: Path, texts: Sequence[str], settings: Settings, now: float) -> CrawlFile:
    """Makes the folder ready for a run, with `texts` as further seeds, and returns what it is to crawl."""
    seeds = canonical_seeds(texts, settings)
    require_usable(directory, settings)
    with _editing(directory):
        before = read_crawl(directory) if (directory / CRAWL_FILE).exists() else CrawlFile(VERSION, now, ())
        crawl = _with_seeds(before, seeds)
        if not crawl.seeds:
            raise OperatorError("URL", "", "at least one URL to start from is needed")
        require_contact(crawl.seeds, settings)
        require_allowed(crawl.seeds, settings)
        _write(directory / "skitter.toml", to_toml(settings).encode())
        _write(directory / CRAWL_FILE, msgspec.json.encode(crawl))
    post_seeds(directory, seeds, settings)
    return crawl


def add_seeds(directory: Path, texts: Sequence[str], settings: Settings) -> list[Url]:
    """Adds seeds to a crawl, be it running or not: they widen its scope, then they are queued."""
    seeds = canonical_seeds(texts, settings)
    require_contact([url.href for url in seeds], settings)
    with _editing(directory):
        # The scope first: a node reads it again before it takes the seeds, and so follows their links.
        _write(directory / CRAWL_FILE, msgspec.json.encode(_with_seeds(read_crawl(directory), seeds)))
    post_seeds(directory, seeds, settings)
    return seeds


def require_usable(directory: Path, settings: Settings) -> None:
    """Raises for settings that a node could not start with."""
    Guard(settings.dns.allow_private, settings.dns.allow_nets)
    checked_servers(settings.dns.servers)
    read_hosts(settings.dns.hosts_file)
    require_name(settings)
    if (file := settings_file(directory)) is not None:
        fixed = load(file).settings.frontier.shards
        if settings.frontier.shards != fixed:
            right = f"this crawl was created with {fixed}, which can't be changed"
            raise OperatorError("frontier.shards", settings.frontier.shards, right)


def require_name(settings: Settings) -> None:
    """Raises if what we call ourselves can't be sent."""
    try:
        checked_user_agent(user_agent(settings))
    except OperatorError as error:
        if settings.identity.user_agent:
            raise
        raise OperatorError("identity.contact", settings.identity.contact, error.right) from None


def post_seeds(directory: Path, seeds: Sequence[Url], settings: Settings) -> None:
    """Puts seeds into the inbox of their shards."""
    by_shard: dict[int, list[Url]] = {}
    for url in seeds:
        by_shard.setdefault(shard_of(url.host, settings.frontier.shards), []).append(url)
    for number, urls in by_shard.items():
        inbox.post(directory, number, inbox.Seeds([_seed(url) for url in urls]))


def _seed(url: Url) -> Discovered:
    return Discovered(url.href, url.host, fingerprint(url.key), 0, SEED_PRIORITY)


def canonical_seeds(texts: Sequence[str], settings: Settings) -> list[Url]:
    """Returns the seeds as URLs; a bare `example.org` is taken as https."""
    canon = Canon(settings.url)
    seeds = []
    for text in texts:
        whole = text if _SCHEME.match(text) else f"https://{text}"
        url = canon(whole)
        if isinstance(url, Reason):
            raise OperatorError("URL", whole, f"can't be crawled ({url}); right would be https://example.org/page")
        seeds.append(url)
    return seeds


def require_contact(seeds: Sequence[str], settings: Settings) -> None:
    """Raises if anything beyond this machine would be crawled by somebody nobody can reach."""
    if settings.identity.contact:
        return
    known = read_hosts(settings.dns.hosts_file)
    for href in seeds:
        name = name_of(href)
        if not all(map(_is_loopback, known.get(name, (name,)))):
            right = (
                "say who you are with --contact URL or --contact E-MAIL (or SKITTER_CONTACT): it is sent with every "
                f"request, so that the owner of {name} can ask about you or turn you away instead of blocking you"
            )
            raise OperatorError("--contact", "", right)


def require_allowed(seeds: Sequence[str], settings: Settings) -> None:
    """Raises if it is known beforehand that every seed is at an address that we would refuse to connect to."""
    guard = Guard(settings.dns.allow_private, settings.dns.allow_nets)
    known = {"localhost": ("127.0.0.1",)} | read_hosts(settings.dns.hosts_file)
    for href in seeds:
        name = name_of(href)
        refusals = [guard.refusal(address) for address in known.get(name, (name,)) if _is_address(address)]
        if None in refusals or not refusals:
            return
    right = f"its address is refused ({refusals[0]}); --allow-net NETWORK or --allow-private allows it"
    raise OperatorError("URL", href, right)


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost" or address.endswith(".localhost")  # RFC 6761 6.3


def _with_seeds(crawl: CrawlFile, seeds: Sequence[Url]) -> CrawlFile:
    return structs.replace(crawl, seeds=list(dict.fromkeys([*crawl.seeds, *(url.href for url in seeds)])))


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise OperatorError("--out", str(directory), "is a file, not a folder") from None
    except OSError as error:
        raise OperatorError("--out", str(directory), f"can't be made ({error.strerror})") from None


@contextlib.contextmanager
def _editing(directory: Path) -> Iterator[None]:
    """Holds the folder's small files, so that of two who change them neither undoes the other's change."""
    held = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _lock(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(file: IO[str]) -> int | None:
    file.seek(0)
    text = file.read().strip()
    return int(text) if text.isdecimal() else None


def _write(file: Path, content: bytes) -> None:
    """Writes a small file whole or not at all."""
    hidden = file.with_name(f".{file.name}")
    with hidden.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    hidden.rename(file)
