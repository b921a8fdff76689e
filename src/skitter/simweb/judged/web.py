"""A judged web: hosts by name, domains of which every name answers, and the truth about every URL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias
from urllib.parse import urlsplit

from skitter.simweb.answer import Answer, Ask
from skitter.simweb.judged.sheet import MISSING, Fact, What
from skitter.simweb.judged.site import Site
from skitter.simweb.judged.wild import Wild
from skitter.simweb.play import Play

Host: TypeAlias = Site | Wild


class JudgedWeb:
    """Hosts, and where a crawl of them begins: the home pages of `seeds`, or of all sites."""

    def __init__(self, sites: Iterable[Site], wild: Iterable[Wild] = (), seeds: Sequence[str] = ()) -> None:
        self.sites = {site.name: site for site in sites}
        self.wild = {one.domain: one for one in wild}
        self._seeds = seeds or tuple(self.sites)

    def __repr__(self) -> str:
        return f"<JudgedWeb of {len(self.sites)} sites and {len(self.wild)} domains of any name>"

    def seeds(self, port: int = 80) -> list[str]:
        """Returns where a crawl begins."""
        return [f"http://{name}{_shown(port)}/" for name in self._seeds]

    def find(self, name: str) -> Host | None:
        """Returns who answers to a name."""
        site = self.sites.get(name) or self.sites.get(name.removeprefix("www."))
        return site or self.wild.get(".".join(name.split(".")[-2:]))

    def play(self, name: str) -> Play | None:
        """Returns the same as a play."""
        host = self.find(name)
        return host.answer if host is not None else None

    def site_of(self, url: str) -> str:
        """Returns whose a URL is: the site, or the domain if any name of it answers."""
        name = urlsplit(url).hostname or ""
        return name if name in self.sites else ".".join(name.split(".")[-2:])

    def answer(self, ask: Ask) -> Answer:
        """Returns what is answered."""
        host = self.find(ask.host)
        return host.answer(ask) if host is not None else Answer(421)

    def fact(self, url: str) -> Fact:
        """Returns the truth about a URL, whatever its port."""
        parts = urlsplit(url)
        host = self.find(parts.hostname or "")
        target = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
        if host is None:
            return MISSING
        return host.fact(target) if isinstance(host, Site) else host.fact(host.domain)

    def location(self, url: str) -> str:
        """Returns where a URL redirects to; nothing if it does not."""
        parts = urlsplit(url)
        host = self.find(parts.hostname or "")
        return host.found(Ask(host.name, parts.path)).location if isinstance(host, Site) else ""

    def good(self) -> Iterator[tuple[str, str]]:
        """Gives every URL that must be fetched, with the name of its host."""
        for name, site in self.sites.items():
            yield from ((f"http://{name}{target}", name) for target in site.good())

    def plays(self) -> Mapping[str, Play]:
        """Returns all hosts as a `World` takes them, those of any name too."""
        return _Plays(self)


class _Plays(Mapping[str, Play]):
    """The hosts as plays. Those that are told one by one are the sites; of the others any name is there."""

    def __init__(self, web: JudgedWeb) -> None:
        self._web = web

    def __getitem__(self, name: str) -> Play:
        play = self._web.play(name)
        if play is None:
            raise KeyError(name)
        return play

    def __iter__(self) -> Iterator[str]:
        return iter(self._web.sites)

    def __len__(self) -> int:
        return len(self._web.sites)


def page_of(url: str, fact: Fact) -> str:
    """Returns the page that a URL is a form of: itself, if it is no alias."""
    return fact.of if fact.what is What.ALIAS else url


def _shown(port: int) -> str:
    return f":{port}" if port != 80 else ""
