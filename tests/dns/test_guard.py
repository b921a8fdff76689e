"""Which addresses are refused, in every spelling, and what the operator can open."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.dns.guard import Guard
from skitter.errors import OperatorError

STRICT = Guard(False, ())

REFUSED = {
    "0.0.0.0": "this network",  # noqa: S104 (an address that is asked about, not bound to)
    "0.255.255.255": "this network",
    "10.0.0.0": "private",
    "10.255.255.255": "private",
    "100.64.0.0": "shared by a carrier",
    "100.127.255.255": "shared by a carrier",
    "127.0.0.1": "loopback",
    "127.255.255.255": "loopback",
    "169.254.169.254": "link-local",
    "172.16.0.0": "private",
    "172.31.255.255": "private",
    "192.0.0.1": "protocol assignments",
    "192.0.0.170": "protocol assignments",
    "192.0.2.5": "documentation",
    "192.31.196.1": "AS112",
    "192.52.193.1": "multicast tunnels",
    "192.88.99.1": "6to4 relays",
    "192.168.0.1": "private",
    "192.175.48.1": "AS112",
    "198.18.0.0": "benchmarks",
    "198.19.255.255": "benchmarks",
    "198.51.100.7": "documentation",
    "203.0.113.7": "documentation",
    "224.0.0.1": "multicast",
    "239.255.255.255": "multicast",
    "240.0.0.0": "reserved",
    "255.255.255.254": "reserved",
    "255.255.255.255": "broadcast",
    "::": "unspecified",
    "::1": "loopback",
    "0:0:0:0:0:0:0:1": "loopback",
    "::127.0.0.1": "IPv4-compatible",
    "::8.8.8.8": "IPv4-compatible",
    "::ffff:127.0.0.1": "loopback",
    "::ffff:7f00:1": "loopback",
    "::ffff:10.1.2.3": "private",
    "::ffff:169.254.169.254": "link-local",
    "::ffff:0:8.8.8.8": "reserved",
    "64:ff9b::127.0.0.1": "loopback",
    "64:ff9b::a00:1": "private",
    "64:ff9b:1::1": "local NAT64",
    "64:ff9b:1:ffff:ffff::1": "local NAT64",
    "64:ff9b:2::1": "reserved",
    "100::1": "discarded",
    "100:0:0:1::1": "dummy prefix",
    "2001::1": "Teredo",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2": "Teredo",
    "2001:1::1": "protocol assignments",
    "2001:2::1": "benchmarks",
    "2001:3::1": "multicast tunnels",
    "2001:4:112::1": "AS112",
    "2001:10::1": "ORCHID",
    "2001:2f::1": "ORCHID",
    "2001:30::1": "drone identities",
    "2001:1ff:ffff::1": "protocol assignments",
    "2001:db8::1": "documentation",
    "2002:7f00:1::": "loopback",
    "2002:a00:1::1": "private",
    "2002:c0a8:101::1": "private",
    "2620:4f:8000::1": "AS112",
    "3fff::1": "documentation",
    "3fff:fff::1": "documentation",
    "5f00::1": "segment routing",
    "4000::1": "reserved",
    "8000::1": "reserved",
    "fbff::1": "reserved",
    "fc00::1": "private",
    "fd12:3456::1": "private",
    "fe80::1": "link-local",
    "fe80::1%eth0": "link-local",
    "fe80::1%1": "link-local",
    "febf::1": "link-local",
    "fec0::1": "site-local",
    "ff02::1": "multicast",
    "ff0e::1%lo": "multicast",
}


@pytest.mark.parametrize(("address", "name"), REFUSED.items(), ids=REFUSED)
def test_reserved_addresses_are_refused_by_name(address: str, name: str) -> None:
    assert STRICT.refusal(address) == name


ALLOWED = [
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.0.3.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2000::1",
    "2001:200::1",
    "2001:db7:ffff::1",
    "2001:db9::1",
    "2001:4860:4860::8888",
    "2002:808:808::1",
    "2606:4700::1111",
    "2a00:1450:4001::64",
    "3ffe::1",
    "3fff:1000::1",
]


@pytest.mark.parametrize("address", ALLOWED)
def test_public_addresses_are_not_refused(address: str) -> None:
    assert STRICT.refusal(address) is None


GARBAGE = [
    "",
    "localhost",
    "127.1",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "2130706433",
    "127.0.0.1 ",
    "127.0.0.1\n",
    "8.8.8.8%eth0",
    "2600::1%eth0",
    "::1%lo",
    "8.8.8.8/32",
    "8.8.8.8:80",
    "[::1]",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "2606::1%",
    "::ffff:1.2.3",
    "١.١.١.١",
    "\x00",
]


@pytest.mark.parametrize("address", GARBAGE, ids=repr)
@pytest.mark.parametrize("guard", [STRICT, Guard(True, ()), Guard(False, ("0.0.0.0/0", "::/0"))], ids=repr)
def test_garbage_is_refused_whatever_is_opened(guard: Guard, address: str) -> None:
    assert guard.refusal(address) == "not an address"


OPENED = [
    ("127.2.0.0/16", "127.2.3.4", None),
    ("127.2.0.0/16", "127.3.0.1", "loopback"),
    ("127.2.0.0/16", "127.0.0.1", "loopback"),
    ("127.2.0.0/16", "::1", "loopback"),
    ("127.2.0.0/16", "::ffff:127.2.3.4", None),
    ("127.2.0.0/16", "::ffff:127.3.3.4", "loopback"),
    ("::1/128", "::1", None),
    ("::1/128", "127.0.0.1", "loopback"),
    ("fd00::/8", "fd12::1", None),
    ("fd00::/8", "fc12::1", "private"),
    ("10.1.2.3", "10.1.2.3", None),
    ("10.1.2.3", "10.1.2.4", "private"),
]


@pytest.mark.parametrize(("net", "address", "refusal"), OPENED, ids=str)
def test_the_operator_opens_single_networks(net: str, address: str, refusal: str | None) -> None:
    assert Guard(False, ["192.0.2.0/24", net]).refusal(address) == refusal


@pytest.mark.parametrize("address", REFUSED)
def test_the_operator_opens_everything(address: str) -> None:
    assert Guard(True, ()).refusal(address) is None


@pytest.mark.parametrize("net", ["", "127.0.0.1/33", "127.2.0.1/16", "home", "fe80::/129", "10.0.0.0/8/8"])
def test_a_network_that_is_none_is_named(net: str) -> None:
    with pytest.raises(OperatorError) as caught:
        Guard(False, ["10.0.0.0/8", net])
    assert caught.value.key == "dns.allow_nets"
    assert caught.value.value == net


NAMELESS = [
    ("127.0.0.1", None),
    ("::1", None),
    ("::ffff:127.0.0.1", None),
    ("10.0.0.1", "beyond this machine, for which a contact is needed"),
    ("8.8.8.8", "beyond this machine, for which a contact is needed"),
    ("2606:4700::1", "beyond this machine, for which a contact is needed"),
    ("64:ff9b::8.8.8.8", "beyond this machine, for which a contact is needed"),
]


@pytest.mark.parametrize(("address", "refusal"), NAMELESS)
def test_whoever_is_nameless_stays_on_this_machine(address: str, refusal: str | None) -> None:
    assert Guard(True, (), only_loopback=True).refusal(address) == refusal


@given(st.ip_addresses())
@settings(max_examples=100)
def test_nothing_gets_through_that_python_knows_as_local(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    if not address.is_global or address.is_multicast:
        assert STRICT.refusal(str(address)) is not None


@given(st.ip_addresses(v=4))
@settings(max_examples=100)
def test_the_ways_to_an_ipv4_address_are_judged_as_it_is(address: ipaddress.IPv4Address) -> None:
    expected = STRICT.refusal(str(address))
    number = int(address)
    for way in (0xFFFF << 32 | number, 0x64FF9B << 96 | number, 0x2002 << 112 | number << 80 | 5):
        assert STRICT.refusal(str(ipaddress.IPv6Address(way))) == expected


@given(st.text(max_size=30))
@settings(max_examples=100)
def test_no_text_raises(text: str) -> None:
    STRICT.refusal(text)


def test_the_repr_says_what_is_open() -> None:
    assert repr(Guard(False, ["127.2.0.0/16"])) == "<Guard: reserved networks opened: 127.2.0.0/16>"
    assert "all" in repr(Guard(True, ()))
    assert "none" in repr(STRICT)
