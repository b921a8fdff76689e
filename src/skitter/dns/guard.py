"""Which addresses may be connected to: no address that is private or otherwise reserved, whatever its spelling.

The tables are IANA's special-purpose address registries (IPv4, IPv6), their multicast space and what RFC 4291
deprecated. Of IPv6 only 2000::/3 has ever been given out, so everything else is refused without being listed.
Some IPv6 addresses are a way to reach an IPv4 address: they are judged by the address that is reached.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from skitter.errors import OperatorError

_REMEMBERED = 16_384
_GARBAGE = "not an address"
_BEYOND = "beyond this machine, for which a contact is needed"

# The narrower of two ranges comes first: it names the reason better.
_IPV4 = {
    "0.0.0.0/8": "this network",
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "shared by a carrier",
    "127.0.0.0/8": "loopback",
    "169.254.0.0/16": "link-local",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "protocol assignments",
    "192.0.2.0/24": "documentation",
    "192.31.196.0/24": "AS112",
    "192.52.193.0/24": "multicast tunnels",
    "192.88.99.0/24": "6to4 relays",
    "192.168.0.0/16": "private",
    "192.175.48.0/24": "AS112",
    "198.18.0.0/15": "benchmarks",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "255.255.255.255/32": "broadcast",
    "240.0.0.0/4": "reserved",
}
_IPV6 = {
    "::/128": "unspecified",
    "::1/128": "loopback",
    "::/96": "IPv4-compatible",
    "64:ff9b:1::/48": "local NAT64",
    "100::/64": "discarded",
    "100:0:0:1::/64": "dummy prefix",
    "2001::/32": "Teredo",
    "2001:2::/48": "benchmarks",
    "2001:3::/32": "multicast tunnels",
    "2001:4:112::/48": "AS112",
    "2001:10::/28": "ORCHID",
    "2001:20::/28": "ORCHID",
    "2001:30::/28": "drone identities",
    "2001::/23": "protocol assignments",
    "2001:db8::/32": "documentation",
    "2620:4f:8000::/48": "AS112",
    "3fff::/20": "documentation",
    "5f00::/16": "segment routing",
    "fc00::/7": "private",
    "fe80::/10": "link-local",
    "fec0::/10": "site-local",
    "ff00::/8": "multicast",
    "::/3": "reserved",
    "4000::/2": "reserved",
    "8000::/1": "reserved",
}
# The IPv4 address that is reached, by how far its bits stand from the right.
_REACHES_IPV4 = {
    "::ffff:0:0/96": 0,  # v4-mapped, RFC 4291
    "64:ff9b::/96": 0,  # NAT64, RFC 6052
    "2002::/16": 80,  # 6to4, RFC 3056
}


class _Range(NamedTuple):
    first: int
    mask: int
    name: str


def _ranges(table: dict[str, str]) -> tuple[_Range, ...]:
    nets = ((ipaddress.ip_network(net), name) for net, name in table.items())
    return tuple(_Range(int(net.network_address), int(net.netmask), name) for net, name in nets)


_RANGES = {4: _ranges(_IPV4), 6: _ranges(_IPV6)}
_WAYS = tuple((ipaddress.IPv6Network(net), shift) for net, shift in _REACHES_IPV4.items())

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Guard:
    """Says of an address whether it may be connected to. The operator may open single networks, or all of them.

    `only_loopback` refuses everything beyond this machine, whatever else is allowed.
    """

    def __init__(self, allow_private: bool, allow_nets: Iterable[str], *, only_loopback: bool = False) -> None:
        self._allow_private = allow_private
        self._only_loopback = only_loopback
        self._nets = tuple(_network(text) for text in allow_nets)
        # A crawl asks about the same few addresses again and again; parsing one is what costs.
        self.refusal = lru_cache(maxsize=_REMEMBERED)(self._refusal)

    def _refusal(self, address: str) -> str | None:
        """Returns None if `address` may be connected to, else the name of the reserved range that it is in."""
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return _GARBAGE
        if "%" in address and not (parsed.is_link_local or parsed.is_multicast):  # a zone, where there can be none
            return _GARBAGE
        if self._only_loopback and not _reached(parsed).is_loopback:
            return _BEYOND
        if self._allow_private or any(form in net for form in _forms(parsed) for net in self._nets):
            return None
        return _reserved(_reached(parsed))

    def __repr__(self) -> str:
        opened = "all" if self._allow_private else ", ".join(map(str, self._nets)) or "none"
        return f"<Guard: reserved networks opened: {opened}>"


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        return ipaddress.ip_network(text)
    except ValueError as error:
        raise OperatorError("dns.allow_nets", text, f"write a network as 127.2.0.0/16 ({error})") from None


def _reached(address: _Address) -> _Address:
    """Returns the IPv4 address that a connection to `address` ends at, if it is a way to one; else `address`."""
    if isinstance(address, ipaddress.IPv6Address):
        for net, shift in _WAYS:
            if address in net:
                return ipaddress.IPv4Address(int(address) >> shift & 0xFFFFFFFF)
    return address


def _forms(address: _Address) -> Iterator[_Address]:
    yield address
    yield _reached(address)


def _reserved(address: _Address) -> str | None:
    number = int(address)
    return next((name for first, mask, name in _RANGES[address.version] if number & mask == first), None)
