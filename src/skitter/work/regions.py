"""Where hosts are, by the operator's table, and who is nearest. Pure.

    eu 193.0.0.0/8        hosts at these addresses
    eu .de                hosts whose name ends so

A row by address counts before one by name; of two addresses the narrower, of two names the longer. The next nearest
are the other regions in the order of the table.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from typing import TypeAlias

from skitter.errors import OperatorError

_RIGHT = "must be REGION CIDR or REGION .SUFFIX, as `eu 193.0.0.0/8` or `eu .de`"
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_SUFFIX = re.compile(r"\.[a-z0-9.-]+")
_Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


class Regions:
    """The table, read. OperatorError for a row that means nothing."""

    def __init__(self, rows: Sequence[str] = ()) -> None:
        self._networks: list[tuple[_Network, str]] = []
        self._suffixes: list[tuple[str, str]] = []
        for place, row in enumerate(rows):
            self._take(f"work.regions[{place}]", row)
        self._networks.sort(key=lambda one: -one[0].prefixlen)
        self._suffixes.sort(key=lambda one: -len(one[0]))
        self.names = tuple(dict.fromkeys(row.split()[0] for row in rows))

    def _take(self, key: str, row: str) -> None:
        words = row.split()
        if len(words) != 2 or _NAME.fullmatch(words[0]) is None:
            raise OperatorError(key, row, _RIGHT)
        region, where = words
        if _SUFFIX.fullmatch(where.lower()) is not None:
            self._suffixes.append((where.lower(), region))
            return
        try:
            self._networks.append((ipaddress.ip_network(where), region))
        except ValueError:
            raise OperatorError(key, row, _RIGHT) from None

    def region_of(self, name: str, address: str) -> str:
        """Returns the region of a host by its address, else by its name; nothing if no row is for it."""
        at = ipaddress.ip_address(address)
        for network, region in self._networks:
            if network.version == at.version and at in network:
                return region
        return next((region for suffix, region in self._suffixes if f".{name}".endswith(suffix)), "")

    def nearest(self, region: str) -> tuple[str, ...]:
        """Returns the regions in the order in which they are asked for work on a host of `region`."""
        return tuple(dict.fromkeys([region, *self.names, ""]))
