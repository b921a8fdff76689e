"""Targets for what an operator writes, and for addresses: whatever it is, it is used or refused with a reason."""

from __future__ import annotations

import ipaddress
import json
import os
import socket
from pathlib import Path

from msgspec import structs

from skitter.config.load import load
from skitter.config.show import to_toml
from skitter.dns.guard import Guard
from skitter.dns.hosts import parse_hosts
from skitter.errors import OperatorError, harmless
from skitter.fetch.identity import user_agent
from skitter.fetch.request import checked_user_agent
from skitter.settings import Settings
from skitter.supervisor.begin import canonical_seeds, require_usable

CLOSED, OPENED = Guard(False, ()), Guard(False, ("127.2.0.0/16", "fc00::/7"))
LOCAL = Guard(True, (), only_loopback=True)


def fuzz_config(data: bytes) -> None:
    """A file of any bytes is the settings of a crawl that can begin, written as they were read, or a clear error."""
    held = os.memfd_create("settings")
    try:
        os.write(held, data)
        settings = load(Path(f"/proc/self/fd/{held}")).settings
        _check(settings)
        os.ftruncate(held, 0)
        os.pwrite(held, to_toml(settings).encode(), 0)
        assert load(Path(f"/proc/self/fd/{held}")).settings == settings
    except OperatorError as error:
        assert_clear(error)
    finally:
        os.close(held)


def fuzz_flags(data: bytes) -> None:
    """So is a flag or a variable of any text."""
    key, _, value = data.decode("latin-1").partition("=")
    for given in ({"flags": {key: value}}, {"environ": {f"SKITTER_{key}": value}}):
        try:
            _check(load(**given).settings)  # type: ignore[arg-type]
        except OperatorError as error:
            assert_clear(error)


def _check(settings: Settings) -> None:
    require_usable(structs.replace(settings, dns=structs.replace(settings.dns, hosts_file="")))
    assert checked_user_agent(user_agent(settings)).splitlines() == [user_agent(settings)]


def fuzz_seeds(data: bytes) -> None:
    """A seed of any text is a URL without a user or password, or a clear error that does not repeat the password."""
    text = data.decode("utf-8", "replace")
    try:
        (url,) = canonical_seeds([text], Settings())
        assert "@" not in url.href.split("/", 3)[2]
    except OperatorError as error:
        assert_clear(error)


def fuzz_hosts_file(data: bytes) -> None:
    """A hosts file of any text is names with addresses, or a clear error that names the line."""
    try:
        hosts = parse_hosts(data.decode("utf-8", "replace"), "hosts")
    except OperatorError as error:
        assert_clear(error)
        assert "line" in error.right
        return
    for name, addresses in hosts.items():
        assert name == name.lower()
        assert addresses
        for address in addresses:
            ipaddress.ip_address(address)


def assert_clear(error: OperatorError) -> None:
    """An error says what would be right, and can be shown."""
    assert error.right
    assert str(error) == harmless(str(error))
    json.dumps(str(error))


def fuzz_guard(data: bytes) -> None:
    """No guard lets an address through that the standard library does not call global, save where it was opened.

    What is let through is, to the system, the address that was judged: no other spelling of another one.
    """
    for text in (data.decode("latin-1"), _as_address(data)):
        if CLOSED.refusal(text) is None:
            address = _connected_to(text)
            assert address.is_global
            assert not address.is_multicast
            assert OPENED.refusal(text) is None
        elif OPENED.refusal(text) is None:
            address = _connected_to(text)
            opened = ("127.2.0.0/16", "fc00::/7", "::ffff:127.2.0.0/112", "64:ff9b::127.2.0.0/112", "2002:7f02::/32")
            assert any(address in ipaddress.ip_network(net) for net in opened)
        if LOCAL.refusal(text) is None:
            assert _ipv4_within(_connected_to(text)).is_loopback


def _as_address(data: bytes) -> str:
    """Returns the address whose bits `data` is."""
    return str(ipaddress.IPv4Address(data) if len(data) == 4 else ipaddress.IPv6Address(data[:16].ljust(16, b"\0")))


def _connected_to(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    found = socket.getaddrinfo(text, 80, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    addresses = {str(where[0]) for *_, where in found}
    assert {ipaddress.ip_address(address) for address in addresses} == {ipaddress.ip_address(text)}
    return ipaddress.ip_address(addresses.pop())


def _ipv4_within(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    if isinstance(address, ipaddress.IPv4Address) or address.is_loopback:
        return address
    if address.sixtofour is not None:
        return address.sixtofour
    return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)


TARGETS = {
    "config": fuzz_config,
    "flags": fuzz_flags,
    "seeds": fuzz_seeds,
    "hosts_file": fuzz_hosts_file,
    "guard": fuzz_guard,
}

SEEDS = {
    "config": [
        b'[politeness]\ndelay = 2.5\n[scope]\ndeny = ["/a/", "b$"]\nreach = "host"\n',
        b'[identity]\ncontact = "me@a.org"\nuser_agent = "a\\u00e9"\n[dns]\nallow_nets = ["127.2.0.0/16"]\n',
        b"[fetch]\nmax_body = 0xffff\nmin_speed = 1_000\n[url]\ndrop_www = false\n",
    ],
    "flags": [b"politeness.delay=2", b'scope.deny=["a","b"]', b"POLITENESS_DELAY=x", b"dns.allow_nets=::1/128"],
    "seeds": [b"http://user:password@www.example.org/a", b"example.org:8080/x", b"ftp://u:p@a.org/"],
    "hosts_file": [b"127.0.0.1 localhost a.org # home\n::1\tlocalhost\n"],
    "guard": [
        b"8.8.8.8",
        b"127.2.0.1",
        b"::ffff:10.0.0.1",
        b"2002:7f02:1::1",
        b"64:ff9b::7f00:1",
        b"\x7f\x02\0\1",
        b"fe80::1%1",
    ],
}
