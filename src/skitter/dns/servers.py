"""The name servers that an operator names: an address, with a port if it is not the usual one, or an https URL."""

from __future__ import annotations

import ipaddress
from urllib.parse import SplitResult, urlsplit

from skitter.errors import OperatorError

_RIGHT = "write a name server as 192.0.2.1, 192.0.2.1:5353, [2001:db8::1]:53 or https://dns.example/dns-query"


def checked_servers(servers: tuple[str, ...]) -> tuple[str, ...]:
    """Returns `servers` if each can be asked."""
    for text in servers:
        if not (_is_https_server(text) if is_https(text) else _is_address(text)):
            raise OperatorError("dns.servers", text, _RIGHT)
    return servers


def is_https(text: str) -> bool:
    """Whether it is to be asked over HTTPS (RFC 8484)."""
    return text.lower().startswith("https:")


def _is_https_server(text: str) -> bool:
    try:
        url: SplitResult = urlsplit(text)
        port = url.port
    except ValueError:
        return False
    return bool(url.hostname) and url.username is None and not url.fragment and port != 0 and text.isascii()


def _is_address(text: str) -> bool:
    address, port = _split_port(text)
    try:
        ipaddress.ip_address(address)
        return port == "" or 0 < int(port) < 65536
    except ValueError:
        return False


def _split_port(text: str) -> tuple[str, str]:
    if text.startswith("["):
        address, _, port = text[1:].partition("]")
        return address, port.removeprefix(":")
    return (text, "") if text.count(":") > 1 else (text.partition(":")[0], text.partition(":")[2])
