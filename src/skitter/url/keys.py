"""What a URL belongs to: its host and its origin. Its domain is in `url.domains`, its shard in `url.routes`.

All of these take an `href` as `url.parse` returns it, for an http or https URL.
"""

from __future__ import annotations

from functools import lru_cache

from xxhash import xxh3_128_digest


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
    name, colon, port = split_port(authority)
    # `example.org.` is served by the same machine as `example.org`: a dot must not buy a second delay.
    name = without_www(name.rstrip(".") or name)
    return f"{name}{colon}{port}"


def name_of(href: str) -> str:
    """Returns the name or address to connect to, without port and brackets."""
    return split_port(authority_of(href))[0].strip("[]")


def host_of(href: str) -> str:
    """Returns the host of `href`."""
    return host_of_authority(authority_of(href))


def origins_of(host: str) -> list[str]:
    """Returns the origins that a host may have: both schemes, with and without `www.`."""
    return [f"{scheme}://{www}{host}" for scheme in ("http", "https") for www in ("", "www.")]


def without_www(name: str) -> str:
    """Returns `name` without a leading `www.`, unless too little would be left to be a name (`www.com`)."""
    bare = name.removeprefix("www.")
    return bare if "." in bare else name


def fingerprint(key: str) -> bytes:
    """Returns 16 bytes that stand for a dedup key. Two keys in 10^12 URLs collide with odds of about 10^-15."""
    return xxh3_128_digest(key.encode())


def split_port(authority: str) -> tuple[str, str, str]:
    """Returns the name, the colon if there is a port, and the port."""
    name, colon, port = authority.rpartition(":")
    if not colon or port.endswith("]"):
        return authority, "", ""
    return name, colon, port
