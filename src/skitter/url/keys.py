"""What a URL belongs to: its host, its origin, its registrable domain, its shard.

All of these take an `href` as `url.parse` returns it, for an http or https URL.
"""

from __future__ import annotations

from functools import cache, lru_cache

from publicsuffixlist import PublicSuffixList
from xxhash import xxh3_64_intdigest, xxh3_128_digest


def authority_of(href: str) -> str:
    """Returns name and port as written in `href`, without user and password."""
    authority = href.partition("://")[2].partition("/")[0]
    return authority.rpartition("@")[2] if "@" in authority else authority


def origin_of(href: str) -> str:
    """Returns scheme, full name and port: what one robots.txt is valid for."""
    return f"{href.partition('://')[0]}://{authority_of(href)}"


@lru_cache(maxsize=65536)
def host_of_authority(authority: str) -> str:
    """Returns the unit of politeness: the name without a leading `www.`, with the port if it is not the default."""
    name, colon, port = _split_port(authority)
    # `example.org.` is served by the same machine as `example.org`: a dot must not buy a second delay.
    name = without_www(name.rstrip(".") or name)
    return f"{name}{colon}{port}"


def name_of(href: str) -> str:
    """Returns the name or address to connect to, without port and brackets."""
    return _split_port(authority_of(href))[0].strip("[]")


def host_of(href: str) -> str:
    """Returns the host of `href`."""
    return host_of_authority(authority_of(href))


def without_www(name: str) -> str:
    """Returns `name` without a leading `www.`, unless too little would be left to be a name (`www.com`)."""
    bare = name.removeprefix("www.")
    return bare if "." in bare else name


@lru_cache(maxsize=65536)
def registrable_domain(host: str) -> str:
    """Returns what one would register to own `host` (`a.b.co.uk` → `b.co.uk`), or the address or bare name itself."""
    name = _split_port(host)[0]
    if name.startswith("[") or name.rpartition(".")[2].isdigit():
        return name
    domain: str | None = _public_suffixes().privatesuffix(name)
    return domain or name


@lru_cache(maxsize=65536)
def shard_of(host: str, shards: int = 64) -> int:
    """Returns which of `shards` slices owns `host`: the same on every machine and in every run."""
    return xxh3_64_intdigest(host.encode()) % shards


def fingerprint(key: str) -> bytes:
    """Returns 16 bytes that stand for a dedup key. Two keys in 10^12 URLs collide with odds of about 10^-15."""
    return xxh3_128_digest(key.encode())


@cache
def _public_suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def _split_port(authority: str) -> tuple[str, str, str]:
    name, colon, port = authority.rpartition(":")
    if not colon or port.endswith("]"):
        return authority, "", ""
    return name, colon, port
