"""The name servers that an operator names: an address, with a port if it is not the usual one."""

from __future__ import annotations

import ipaddress

from skitter.errors import OperatorError


def checked_servers(servers: tuple[str, ...]) -> tuple[str, ...]:
    """Returns `servers` if each can be asked."""
    for text in servers:
        _check(text)
    return servers


def _check(text: str) -> None:
    address, port = _split_port(text)
    try:
        ipaddress.ip_address(address)
        valid = port == "" or 0 < int(port) < 65536
    except ValueError:
        valid = False
    if not valid:
        raise OperatorError("dns.servers", text, "write a name server as 192.0.2.1, 192.0.2.1:5353 or [2001:db8::1]:53")


def _split_port(text: str) -> tuple[str, str]:
    if text.startswith("["):
        address, _, port = text[1:].partition("]")
        return address, port.removeprefix(":")
    return (text, "") if text.count(":") > 1 else (text.partition(":")[0], text.partition(":")[2])
