"""How a crawl is begun or taken up again: its seeds and settings are checked, then written."""

from __future__ import annotations

import ipaddress
import re
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import structs

from skitter.config.buckets import parse_address
from skitter.config.show import to_toml
from skitter.config.suffixes import newest_list
from skitter.dns.guard import Guard
from skitter.dns.hosts import read_hosts
from skitter.dns.servers import checked_servers
from skitter.errors import OperatorError
from skitter.fetch.identity import user_agent
from skitter.fetch.request import checked_user_agent
from skitter.fetch.signing import signs_by
from skitter.folder import inbox
from skitter.folder.atomic import keep_whole
from skitter.folder.crawlfile import CRAWL_FILE, VERSION, CrawlFile, read_crawl
from skitter.folder.locks import editing
from skitter.folder.moved import require_here
from skitter.folder.routesfile import read_routes, write_routes
from skitter.messages import Discovered, Reason, Url
from skitter.ports import Seeds
from skitter.schedule.priority import SEED_PRIORITY
from skitter.settings import Settings
from skitter.sinks.address import parse_sink
from skitter.sinks.opening import require_sink
from skitter.url.canon import Canon
from skitter.url.domains import Domains
from skitter.url.keys import fingerprint, name_of
from skitter.url.routes import Routes

_SCHEME = re.compile(r"https?:|[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def begin(directory: Path, texts: Sequence[str], settings: Settings, now: float) -> CrawlFile:
    """Makes the folder ready for a run, with `texts` as further seeds, and returns what it is to crawl."""
    seeds = canonical_seeds(texts, settings)
    require_usable(settings)
    require_here(directory)
    with editing(directory):
        before = read_crawl(directory) if (directory / CRAWL_FILE).exists() else CrawlFile(VERSION, now, ())
        crawl = _with_seeds(before, seeds)
        if not crawl.seeds:
            raise OperatorError("URL", "", "at least one URL to start from is needed")
        require_contact(crawl.seeds, settings)
        require_allowed(crawl.seeds, settings)
        routes = _routes(directory, settings)
        keep_whole(directory / "skitter.toml", to_toml(settings).encode())
        keep_whole(directory / CRAWL_FILE, msgspec.json.encode(crawl))
    post_seeds(directory, seeds, routes)
    return crawl


def keep_settings(directory: Path, settings: Settings) -> None:
    """Writes the settings that a crawl goes on with: its next start has them too."""
    with editing(directory):
        keep_whole(directory / "skitter.toml", to_toml(settings).encode())


def add_seeds(directory: Path, texts: Sequence[str], settings: Settings, priority: float = SEED_PRIORITY) -> list[Url]:
    """Adds seeds to a crawl, be it running or not: they widen its scope, then they are queued."""
    require_here(directory)
    seeds = canonical_seeds(texts, settings)
    require_contact([url.href for url in seeds], settings)
    with editing(directory):
        # The scope first: a node reads it again before it takes the seeds, and so follows their links.
        keep_whole(directory / CRAWL_FILE, msgspec.json.encode(_with_seeds(read_crawl(directory), seeds)))
    post_seeds(directory, seeds, read_routes(directory), priority)
    return seeds


def require_usable(settings: Settings) -> None:
    """Raises for settings that a node could not start with."""
    Guard(settings.dns.allow_private, settings.dns.allow_nets)
    checked_servers(settings.dns.servers)
    read_hosts(settings.dns.hosts_file)
    if settings.content.types:
        from skitter.reading.keeping import table_of  # here: few crawls have any

        table_of(settings.content.types)
    if settings.bucket.address:
        parse_address(settings.bucket.address, "bucket.address")
    for text in settings.sinks.urls:
        require_sink(parse_sink(text, "sinks.urls"), settings)
    require_name(settings)
    signs_by(settings, time.time)  # an error now, not in each node
    if settings.plugins.use or settings.plugins.options:
        from skitter.plugins.chain import require_loadable  # here: few crawls have any

        require_loadable(settings.plugins)


def _routes(directory: Path, settings: Settings) -> Routes:
    """Returns the routes of a crawl: those it was created with, or new ones by the list of today."""
    # crawl.json may be lost and written again: what is in the shards was put there by the routes of then.
    if (directory / CRAWL_FILE).exists() or any(directory.glob("frontier/[0-9]*")):
        routes = read_routes(directory)
        _require_unchanged(routes, settings)
        return routes
    routes = Routes(Domains.from_list(newest_list(), settings.scope.suffixes), settings.frontier.shards)
    write_routes(directory, routes)
    return routes


def _require_unchanged(routes: Routes, settings: Settings) -> None:
    """Raises for settings that would give a host another shard."""
    if settings.frontier.shards != routes.shards:
        right = f"this crawl was created with {routes.shards}, which can't be changed"
        raise OperatorError("frontier.shards", settings.frontier.shards, right)
    fixed = list(routes.domains.suffixes)
    if sorted(set(settings.scope.suffixes)) != fixed:
        right = f"this crawl was created with {fixed}, which can't be changed"
        raise OperatorError("scope.suffixes", list(settings.scope.suffixes), right)


def require_name(settings: Settings) -> None:
    """Raises if what we call ourselves can't be sent."""
    if settings.identity.user_agent:
        checked_user_agent(settings.identity.user_agent)
    try:
        checked_user_agent(user_agent(settings))
    except OperatorError as error:  # all else in it is ours
        raise OperatorError("identity.contact", settings.identity.contact, error.right) from None


def post_seeds(directory: Path, seeds: Sequence[Url], routes: Routes, priority: float = SEED_PRIORITY) -> None:
    """Puts seeds into the inbox of their shards."""
    by_shard: dict[int, list[Url]] = {}
    for url in seeds:
        by_shard.setdefault(routes.shard_of(url.host), []).append(url)
    for number, urls in by_shard.items():
        inbox.post(directory, number, Seeds([_seed(url, priority) for url in urls]))


def _seed(url: Url, priority: float) -> Discovered:
    return Discovered(url.href, url.host, fingerprint(url.key), 0, priority)


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
    refused = []
    for href in seeds:
        name = name_of(href)
        refusals = [guard.refusal(address) for address in known.get(name, (name,)) if _is_address(address)]
        if None in refusals or not refusals:
            return
        refused.append((href, refusals[0]))
    if refused:
        href, why = refused[-1]
        right = f"its address is refused ({why}); --allow-net NETWORK or --allow-private allows it"
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
