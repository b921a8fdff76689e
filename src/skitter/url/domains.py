"""Which domain a host belongs to: what one would register to own it, by the list of public suffixes.

    a.b.co.uk → b.co.uk      alice.github.io → alice.github.io      127.0.0.1:8080 → 127.0.0.1

The list changes every week, and a domain decides which shard a host is in: with the library's own list, an update would
move hosts away from what is known of them. So a crawl keeps the rules it was created with, and `frozen()` is their form
on disk: two lines of head, then one rule to a line, as the list writes them but in order and without comments.

The rules (https://publicsuffix.org/list/): the longest one that matches says what is public; `*.ck` stands for any
label; `!www.ck` is an exception to it; a name that no rule knows ends in a public suffix of one label. As the list's
own tests have it, `*.kobe.jp` makes `kobe.jp` public too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from typing import Self

from ada_url import idna

from skitter.errors import OperatorError
from skitter.url.keys import authority_of, split_port
from skitter.url.parse import parse

FORMAT = "skitter domains 1"
KNOWN_HOSTS = 16_384
"""Hosts whose domain is remembered: a page's links lead to few hosts, many times."""

_HEAD = f"{FORMAT}, list "
_OWN = "own suffixes:"
_VERSION = "// VERSION: "
_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")


class Domains:
    """The rules of one list of public suffixes, with the operator's own."""

    def __init__(self, rules: Iterable[str] = (), *, suffixes: Iterable[str] = (), version: str = "") -> None:
        self.suffixes = tuple(sorted(set(suffixes)))
        self.version = version
        self._rules = frozenset(rules).union(self.suffixes)
        self._most_labels = max((rule.count(".") + 1 for rule in self._rules), default=1)
        # A cache in C and no method of our own: this is called for every new link.
        self.domain_of: Callable[[str], str] = lru_cache(maxsize=KNOWN_HOSTS)(self._domain_of)
        """Returns the domain of a host: of its name without the port, or the address or bare name itself."""

    def __repr__(self) -> str:
        return f"<Domains by {len(self._rules)} rules of {self.version or 'no list'}>"

    @classmethod
    def from_list(cls, text: str, suffixes: Iterable[str] = ()) -> Self:
        """Returns the domains by a list as it is published, its private part included."""
        version = next((line for line in text.splitlines() if line.startswith(_VERSION)), "").removeprefix(_VERSION)
        return cls(_rules_of(text), suffixes=suffixes, version=version.strip())

    @classmethod
    def from_frozen(cls, content: bytes) -> Self:
        """Returns what `frozen` was called on; ValueError if that can't be."""
        lines = content.decode().split("\n")
        if len(lines) < 3 or not lines[0].startswith(_HEAD) or not lines[1].startswith(_OWN) or lines[-1]:
            raise ValueError(f"it does not begin as `{FORMAT}` does, or has no end")
        suffixes = lines[1].removeprefix(_OWN).split()
        return cls(lines[2:-1], suffixes=suffixes, version=lines[0].removeprefix(_HEAD))

    def frozen(self) -> bytes:
        """Returns the form on disk: the same bytes for the same rules."""
        own = " ".join([_OWN, *self.suffixes])
        return "\n".join([_HEAD + self.version, own, *sorted(self._rules), ""]).encode()

    def _domain_of(self, host: str) -> str:
        name = split_port(host)[0].lower()
        name = name.rstrip(".") or name
        labels = name.split(".")
        if name.startswith("[") or labels[-1].isdigit() or "" in labels:
            return name
        return ".".join(labels[-1 - self._public_labels(labels) :])

    def _public_labels(self, labels: list[str]) -> int:
        """Returns how many labels at the end of a name are a public suffix: all of them, if it is one itself."""
        rules = self._rules
        for count in range(min(len(labels), self._most_labels), 0, -1):
            name = ".".join(labels[-count:])
            if f"!{name}" in rules:
                return count - 1
            if f"*.{name}" in rules:
                return count + 1
            if name in rules:
                return count
        return 1


def checked_suffixes(suffixes: Collection[str]) -> None:
    """Raises for what can't be the end of a host's name."""
    for index, suffix in enumerate(suffixes):
        written = authority_of(parse(f"http://{suffix}/") or "")
        is_name = _NAME.fullmatch(written) is not None and not written.rpartition(".")[2].isdigit()
        if not is_name or written != suffix:
            right = f"write it as URLs do: {written}" if is_name else "must be the end of names, as shops.example"
            raise OperatorError(f"scope.suffixes[{index}]", suffix, right)


def _rules_of(text: str) -> Iterator[str]:
    for line in text.splitlines():
        rule = line.partition(" ")[0].rstrip().lower()
        if not rule or rule.startswith("//"):
            continue
        yield rule
        if not rule.isascii():
            mark, bare = ("!", rule[1:]) if rule.startswith("!") else ("", rule)
            yield mark + idna.encode(bare).decode()
