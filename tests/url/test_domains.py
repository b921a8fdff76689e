"""Which domain a host belongs to: as the library says it, whose list we only read once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import publicsuffixlist
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.errors import OperatorError
from skitter.url.domains import KNOWN_HOSTS, Domains, checked_suffixes

LIST = Path(publicsuffixlist.PSLFILE).read_text(encoding="utf-8")
VECTORS = Path(publicsuffixlist.__file__).with_name("test_psl.txt").read_text(encoding="utf-8")
LIBRARY = publicsuffixlist.PublicSuffixList()
DOMAINS = Domains.from_list(LIST)

CASES = [
    ("example.org", "example.org"),
    ("a.b.example.org", "example.org"),
    ("a.b.example.co.uk", "example.co.uk"),
    ("co.uk", "co.uk"),
    ("com", "com"),
    ("alice.github.io", "alice.github.io"),
    ("x.alice.github.io", "alice.github.io"),
    ("github.io", "github.io"),
    ("example.org:8080", "example.org"),
    ("example.org.", "example.org"),
    ("co.uk.", "co.uk"),
    ("127.0.0.1", "127.0.0.1"),
    ("127.0.0.1:8080", "127.0.0.1"),
    ("[2001:db8::1]", "[2001:db8::1]"),
    ("[2001:db8::1]:80", "[2001:db8::1]"),
    ("localhost", "localhost"),
    ("localhost:8080", "localhost"),
    ("a.b.madeup", "b.madeup"),
    ("x.xn--e1afmkfd.xn--p1ai", "xn--e1afmkfd.xn--p1ai"),
    ("shop.www.ck", "www.ck"),  # an exception
    ("shop.any.ck", "shop.any.ck"),  # a wildcard
    ("a.shop.any.ck", "shop.any.ck"),
    ("any.ck", "any.ck"),
    ("a..b.org", "a..b.org"),
    (".", "."),
    ("", ""),
]


@pytest.mark.parametrize(("host", "domain"), CASES, ids=[host for host, _ in CASES])
def test_domain(host: str, domain: str) -> None:
    assert DOMAINS.domain_of(host) == domain


def by_library(name: str) -> str:
    found: str | None = LIBRARY.privatesuffix(name)
    return found or name


def names_by_every_rule() -> Iterator[str]:
    for line in LIST.splitlines():
        rule = line.strip()
        if rule and not rule.startswith("//"):
            bare = rule.removeprefix("!").removeprefix("*.").encode("idna").decode()
            yield from (bare, f"one.{bare}", f"two.one.{bare}", f"three.two.one.{bare}", bare.partition(".")[2] or "x")


@pytest.mark.slow
def test_every_rule_of_the_list_says_what_the_library_says() -> None:
    names = list(names_by_every_rule())
    assert len(names) > 40_000
    assert [name for name in names if DOMAINS.domain_of(name) != by_library(name)] == []


def test_the_lists_own_cases() -> None:
    # A name for which the list expects nothing, since nobody can register it, is its own domain.
    asked = re.findall(r"^checkPublicSuffix\('([^']+)', (?:'([^']+)'|null)\);", VECTORS, re.MULTILINE)
    assert len(asked) > 60
    wrong = [(name, want) for name, want in asked if DOMAINS.domain_of(name) != (want or name.lower())]
    assert wrong == []


labels = st.sampled_from(["a", "b", "www", "city", "kobe", "jp", "ck", "co", "uk", "com", "github", "io", "test"])


@given(st.lists(labels, min_size=1, max_size=8).map(".".join))
def test_any_name_is_as_the_library_says(name: str) -> None:
    assert DOMAINS.domain_of(name) == by_library(name)


@given(st.text(max_size=50))
def test_any_text_has_a_domain_that_is_in_it(host: str) -> None:
    assert DOMAINS.domain_of(host) in host.lower()


def test_the_operators_own_suffixes() -> None:
    ours = Domains.from_list(LIST, ["sim.test", "deep.in.shop.example"])
    hosts = ["h1.sim.test:80", "x.h1.sim.test", "sim.test", "h1.other.test", "a.b.deep.in.shop.example"]
    domains = ["h1.sim.test", "h1.sim.test", "sim.test", "other.test", "b.deep.in.shop.example"]
    assert list(map(ours.domain_of, hosts)) == domains
    assert DOMAINS.domain_of("h1.sim.test") == "sim.test"


def test_frozen_and_read_again_they_are_the_same() -> None:
    ours = Domains.from_list(LIST, ["sim.test", "a.example"])
    frozen = ours.frozen()
    read = Domains.from_frozen(frozen)
    assert (read.frozen(), read.version, read.suffixes) == (frozen, ours.version, ("a.example", "sim.test"))
    assert re.fullmatch(r"20\d\d-\d\d-\d\d_.*_UTC", read.version)
    names = list(names_by_every_rule())[::10]
    assert list(map(read.domain_of, names)) == list(map(ours.domain_of, names))


def test_of_a_list_only_its_rules_are_kept() -> None:
    text = "// VERSION: 7\n// ===BEGIN ICANN DOMAINS===\n\nCOM  // and words\r\n*.ck\n!www.ck\n москва \nрф\n"
    assert Domains.from_list(text, ["own.example"]).frozen().decode().splitlines() == [
        "skitter domains 1, list 7",
        "own suffixes: own.example",
        "!www.ck",
        "*.ck",
        "com",
        "own.example",
        "xn--p1ai",
        "рф",
    ]


@pytest.mark.parametrize("content", [b"", b"com\norg\n", b"skitter domains 2, list x\nown suffixes:\ncom\n", b"\xff\n"])
def test_what_was_never_frozen_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"does not begin as|can't decode"):
        Domains.from_frozen(content)


def test_no_rules_at_all_can_be_frozen_too() -> None:
    assert Domains.from_frozen(Domains().frozen()).domain_of("a.b.c") == "b.c"


def test_what_is_cut_short_is_refused() -> None:
    with pytest.raises(ValueError, match="has no end"):
        Domains.from_frozen(DOMAINS.frozen()[:-1])


def test_the_hosts_remembered_are_bounded() -> None:
    few = Domains(["com"])
    for number in range(KNOWN_HOSTS + 1000):
        few.domain_of(f"h{number}.com")
    assert few.domain_of.cache_info().currsize == KNOWN_HOSTS  # type: ignore[attr-defined]


RIGHT = ["sim.test", "test", "xn--bcher-kva.example", "_x.a-b.example"]
WRONG = [
    ("", "must be the end of names"),
    ("a.org/x", "write it as URLs do: a.org"),
    ("A.org", "write it as URLs do: a.org"),
    ("bücher.example", "write it as URLs do: xn--bcher-kva.example"),
    ("a.org.", "must be the end of names"),
    (".a.org", "must be the end of names"),
    ("*.a.org", "must be the end of names"),
    ("!a.org", "must be the end of names"),
    ("a.org:81", "must be the end of names"),
    ("127.0.0.1", "must be the end of names"),
    ("[::1]", "must be the end of names"),
    ("a b", "must be the end of names"),
]


def test_suffixes_that_are_right() -> None:
    checked_suffixes(RIGHT)


@pytest.mark.parametrize(("suffix", "right"), WRONG, ids=[suffix for suffix, _ in WRONG])
def test_suffixes_that_are_wrong(suffix: str, right: str) -> None:
    with pytest.raises(OperatorError, match=r"scope\.suffixes\[1\] = .*" + re.escape(right)):
        checked_suffixes(["fine.example", suffix])
