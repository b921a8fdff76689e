"""Domains of which every name answers: the trap of wildcard names, and farms."""

from __future__ import annotations

from collections.abc import Sequence

from skitter.simweb.answer import Answer, Ask
from skitter.simweb.draw import draws
from skitter.simweb.judged.prose import Prose
from skitter.simweb.judged.sheet import PORT, Fact, Sheet, What, away, listed
from skitter.simweb.judged.site import HTML, MACHINES

LINKS = 10


class Wild:
    """Every name below `domain`, which is not a site itself. Each page leads to ten new names."""

    def __init__(self, domain: str, *key: object) -> None:
        self.domain = domain
        self.key = (*key, domain)
        self._prose = Prose(*self.key)

    def __repr__(self) -> str:
        return f"<Wild *.{self.domain}>"

    def links(self, name: str, target: str) -> Sequence[tuple[str, str]]:
        """Returns where a page leads."""
        dice = draws(LINKS, *self.key, name, target)
        names = [f"{self._prose.word(die)}{die % 1000}.{self.domain}" for die in dice]
        return [*((away(one), one) for one in names), (f"/{self._prose.slug(name, target)}", "More")]

    def found(self, ask: Ask) -> Sheet:
        """Returns what is there."""
        html = self._prose.paragraphs(90, ask.host, ask.path) + listed(self.links(ask.host, ask.path))
        return Sheet(self._prose.title(ask.host, ask.path), html, self.fact(ask.host))

    def fact(self, _name: str) -> Fact:
        """Returns the truth about any page of a name."""
        return Fact(What.WASTE, "wildcard")

    def answer(self, ask: Ask) -> Answer:
        """Returns what any name answers."""
        if ask.path in MACHINES:
            return Answer(404, HTML, b"<title>404</title>Not Found\n")
        sheet = self.found(ask)
        port = ask.origin.rpartition("://")[2].partition(":")[2]
        page = f"<!DOCTYPE html><title>{sheet.title}</title><h1>{sheet.title}</h1>{sheet.html}"
        return Answer(200, HTML, page.replace(PORT, f":{port}" if port else "").encode())


class Farm(Wild):
    """One domain of a farm: its pages lead to ten hosts on any of the farm's domains, and to a good one as decoy."""

    def __init__(self, domain: str, domains: Sequence[str], hosts: int, decoys: Sequence[str], *key: object) -> None:
        super().__init__(domain, *key)
        self._domains = domains
        self._hosts = hosts
        self._decoys = decoys

    def links(self, name: str, target: str) -> Sequence[tuple[str, str]]:
        """Returns where a page leads: to other hosts of the farm, and to another page of this one."""
        dice = draws(LINKS + 1, *self.key, name, target)
        names = [farm_host(self._domains, die % self._hosts) for die in dice[:LINKS]]
        names.append(self._decoys[dice[LINKS] % len(self._decoys)])
        return [*((away(one), one) for one in names), (f"/{dice[LINKS] % 50}.html", "More offers")]

    def fact(self, _name: str) -> Fact:
        """Returns the truth about any page of a name."""
        return Fact(What.FARM, "farm")


def farm_host(domains: Sequence[str], number: int) -> str:
    """Returns the name of a host of a farm."""
    return f"w{number // len(domains)}.{domains[number % len(domains)]}"
