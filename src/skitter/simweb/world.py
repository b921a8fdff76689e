"""A web from a seed: thousands of hosts, of which every page, link and trouble is known beforehand.

Nothing is stored: what a URL is (`Spec`) is found from its path and the seed when it is asked for, so a world of a
million pages costs no more than one of ten. The answer and the truth are made from the same `Spec`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from msgspec import structs

from skitter.simweb.answer import Answer, Ask, answer_of
from skitter.simweb.draw import Shares
from skitter.simweb.links import NamedPage, animal_name, list_pages, undressed
from skitter.simweb.listings import ROBOTS_PATH, listing
from skitter.simweb.pages import describe, hop, month, plain_page
from skitter.simweb.play import Play
from skitter.simweb.render import TextWriter, Writer
from skitter.simweb.roles import FOLDERS, HOPS, ROLES, Role
from skitter.simweb.settings import WorldSettings
from skitter.simweb.site import Site, address_of, origin
from skitter.simweb.spec import Spec, What

SITES_IN_MEMORY = 65536
MISSING = Spec(what=What.ERROR, status=404)
NO_HOST = Spec(what=What.ERROR, status=421)
NO_PLAYS: Mapping[str, Play] = MappingProxyType({})
_PATH = re.compile(r"/([a-z]+)(?:/|\?q=)([0-9]{1,9})(?:\.html|\.pdf)?(?:/([0-9]{1,2}|))?")
_MONTH = re.compile(r"/calendar/([0-9]{4})-([0-9]{2})")


class Named(NamedTuple):
    """A name of the world and the address at which it is found."""

    name: str
    address: str


class World:
    """The web that `settings` describe. `writer` makes the pages; any will do that writes all links and no other.

    `plays` are hosts by name that are no part of the settings: no link leads there, and the truth knows none of them.
    """

    def __init__(
        self, settings: WorldSettings, writer: Writer | None = None, plays: Mapping[str, Play] = NO_PLAYS
    ) -> None:
        self.settings = settings
        self.plays = plays
        self._writer = writer or TextWriter(settings.seed)
        self._roles = Shares(settings.roles)
        self._robots = Shares(settings.robots)
        self._sites = lru_cache(maxsize=SITES_IN_MEMORY)(self._build)
        self._animals = {animal_name(settings, animal): animal for animal in settings.animals}

    def __repr__(self) -> str:
        return f"<World {self.settings.seed}: {self.settings.hosts} hosts × {self.settings.pages_per_host} pages>"

    def on_port(self, port: int) -> World:
        """Returns the same world at another port."""
        return World(structs.replace(self.settings, port=port), self._writer, self.plays)

    def site(self, index: int) -> Site:
        """Returns the host of that number."""
        return self._sites(index)

    def find(self, name: str) -> Site | None:
        """Returns the host that goes by `name`, with `www.` or without."""
        label, _, domain = name.removeprefix("www.").partition(".")
        if domain != self.settings.domain or not label.startswith("h") or not label[1:].isdecimal():
            return None
        index = int(label[1:])
        return self._sites(index) if index < self.settings.hosts and f"h{index:04d}" == label else None

    def sites(self) -> Iterator[Site]:
        """Gives every host but those of the zoo."""
        return map(self.site, range(self.settings.hosts))

    def names(self) -> Iterator[Named]:
        """Gives every name with its address, for a hosts file."""
        for site in self.sites():
            yield Named(site.name, site.address)
            yield Named(f"www.{site.name}", site.address)
        for number, name in enumerate(chain(self._animals, self.plays)):
            yield Named(name, address_of(self.settings, self._first_cage() + number * self.settings.hosts_per_address))

    def seeds(self) -> list[str]:
        """Returns the one URL from which all hosts can be reached."""
        return [self.home(self.site(0))]

    def homes(self) -> list[str]:
        """Returns the home page of every host."""
        return [self.home(site) for site in self.sites()]

    def home(self, site: Site) -> str:
        """Returns the URL of a host's home page."""
        return f"{origin(self.settings, site.name)}/"

    def answer(self, ask: Ask) -> Answer:
        """Returns what the world answers."""
        play = self.plays.get(ask.host)
        return play(ask) if play is not None else self.answer_at(self.spec(ask.host, ask.path), ask)

    def answer_at(self, spec: Spec, ask: Ask) -> Answer:
        """Returns the same for a `spec` that is known already."""
        return answer_of(spec, ask, self._writer, self.settings.change)

    def spec(self, name: str, target: str) -> Spec:
        """Returns what is found at `target` (path and query) of the host called `name`."""
        site = self.find(name)
        if site is None:
            return self._in_zoo(name, target)
        if target.startswith(("/robots", "/sitemap")):
            return listing(self, site, name, target) or MISSING
        path = undressed(target)
        if path == "/":
            return plain_page(self, NamedPage(site, name, 0))
        if (found := _PATH.fullmatch(path)) is not None:
            return self._page(site, name, path, found)
        if self.settings.calendar and (found := _MONTH.fullmatch(path)) is not None:
            return month(self, name, int(found[1]) * 12 + int(found[2]) - 1)
        return MISSING

    def _page(self, site: Site, name: str, path: str, found: re.Match[str]) -> Spec:
        role, place, tail = FOLDERS.get(found[1]), NamedPage(site, name, int(found[2])), found[3]
        if role is Role.HOSTS and site.index == 0 and place.number < list_pages(self.settings):
            return describe(self, place, role) if tail is None else MISSING
        if role is None or place.number >= len(site.roles) or site.roles[place.number] is not role:
            return MISSING
        bare = path if tail is None else path[: -len(tail) - 1]
        if bare != ROLES[role].path.format(place.number):
            return MISSING
        if tail is None:
            return describe(self, place, role)
        if tail == "":
            return plain_page(self, place) if role in (Role.PAGE, Role.SLASH) else MISSING
        return hop(self, place, role, int(tail)) if 0 < int(tail) <= HOPS.get(role, 0) else MISSING

    def _in_zoo(self, name: str, target: str) -> Spec:
        animal = self._animals.get(name)
        if animal is None:
            return NO_HOST
        return MISSING if target == ROBOTS_PATH else Spec(what=What.ANIMAL, animal=animal)

    def _first_cage(self) -> int:
        """Returns the number of a host that would have the first free address."""
        return self.settings.hosts + self.settings.hosts_per_address

    def _build(self, index: int) -> Site:
        return Site(self.settings, index, self._roles, self._robots)
