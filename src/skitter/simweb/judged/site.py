"""One host of a judged web: its home page, its parts, its template, and what it says where there is nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import islice
from typing import TypeAlias

from skitter.simweb.answer import Answer, Ask
from skitter.simweb.draw import draws
from skitter.simweb.judged.dress import DRESSES, Frame
from skitter.simweb.judged.part import Part
from skitter.simweb.judged.prose import Prose
from skitter.simweb.judged.sheet import GOOD, MISSING, PORT, Fact, Sheet, What, link, listed

HTML = (("Content-Type", "text/html; charset=utf-8"),)
MACHINES = ("/robots.txt", "/sitemap.xml")
"""Asked for by every crawler, of every host."""
AROUND = 50
"""Pages of a site that are shown where it wants to keep a visitor."""

Missing: TypeAlias = Callable[["Site", Ask], Sheet]
"""What a site says where there is nothing."""


def honest_404(_site: Site, _ask: Ask) -> Sheet:
    """Says that there is nothing, as the standard has it."""
    return Sheet("404 Not Found", "<p>The page was not found on this server.</p>", MISSING, 404)


def honest_410(_site: Site, _ask: Ask) -> Sheet:
    """Says that there is nothing any more."""
    return Sheet("Gone", "<p>This page was removed.</p>", MISSING, 410)


class Site:
    """A host. `friends` are hrefs on its home page, to other hosts; `everywhere` are on every page.

    Of its good pages some have links to pages that are not there, `dead` in all. If it `mirrors` another host, its
    template and home page are that one's.
    """

    def __init__(
        self,
        name: str,
        parts: Sequence[Part],
        *key: object,
        missing: Missing = honest_404,
        friends: Sequence[tuple[str, str]] = (),
        everywhere: Sequence[tuple[str, str]] = (),
        dead: int = 0,
        mirrors: str = "",
    ) -> None:
        self.name = name
        self.parts = parts
        self._mirrors = mirrors
        self.key = (*key, mirrors or name)
        self.prose = Prose(*self.key)
        self._missing = missing
        self._friends = friends
        self._everywhere = everywhere
        self._dead = dead
        die = draws(1, *self.key, "dress")[0]
        self._dress = DRESSES[list(DRESSES)[die % len(DRESSES)]]

    def __repr__(self) -> str:
        return f"<Site {self.name}: {', '.join(part.kind for part in self.parts)}>"

    @cached_property
    def frame(self) -> Frame:
        """What all of its pages have in common."""
        shown = [entrance for part in self.parts for entrance in part.entrances]
        prose = self.prose
        return Frame(
            self._mirrors or self.name,
            prose.title("slogan"),
            [("/", "Home"), *shown, *self._everywhere],
            prose.text(40, "notice"),
            prose.text(25, "aside"),
        )

    @cached_property
    def dead_links(self) -> dict[str, list[str]]:
        """Links to pages that are not there, by the page that has them."""
        pages = [target for part in self.parts for target in part.good()]
        found: dict[str, list[str]] = {}
        for number, (at, like) in enumerate(_pairs(draws(2 * self._dead, *self.key, "dead"))):
            dead = self._unlike(pages[like % len(pages)], number)
            found.setdefault(pages[at % len(pages)], []).append(dead)
        return found

    def _unlike(self, target: str, number: int) -> str:
        """Returns a target of the same make at which there is nothing."""
        folder, _, last = target.rstrip("/").rpartition("/")
        slash = "/" if target.endswith("/") else ""
        stem, dot, end = last.partition(".")
        if "?" in last:
            return f"{target}{number + 90000}"
        changed = f"{stem}{number + 90000}" if stem[-1:].isdigit() else self.prose.slug("dead", number)
        return f"{folder}/{changed}{dot}{end}{slash}"

    def good(self) -> Iterable[str]:
        """Gives the targets that must be fetched."""
        if not self._mirrors:
            yield "/"
        for part in self.parts:
            yield from part.good()

    def some(self, count: int) -> list[str]:
        """Returns the first good targets."""
        return list(islice(self.good(), count))

    def look(self, target: str) -> Sheet | None:
        """Returns what is at a target, None if there is nothing."""
        if target == "/":
            return self.home()
        return next((sheet for part in self.parts if (sheet := part.look(target)) is not None), None)

    def home(self) -> Sheet:
        """Returns the home page."""
        shown = [entrance for part in self.parts for entrance in part.entrances]
        html = self.prose.paragraphs(150, "home") + listed([*shown, *self._friends])
        fact = Fact(What.ALIAS, "mirror", f"http://{self._mirrors}/") if self._mirrors else GOOD
        return Sheet(self.prose.title("home"), html, fact)

    def found(self, ask: Ask) -> Sheet:
        """Returns what is there, or what the site says if there is nothing."""
        return self.look(ask.path) or self._missing(self, ask)

    def fact(self, target: str) -> Fact:
        """Returns the truth about a target."""
        return self.found(Ask(self.name, target)).fact

    def answer(self, ask: Ask) -> Answer:
        """Returns what the site answers: the play of this host."""
        if ask.path == MACHINES[0] or (ask.path == MACHINES[1] and self._missing is honest_404):
            return Answer(404, HTML, b"<title>404</title>Not Found\n")
        sheet = self.found(ask)
        port = ask.origin.rpartition("://")[2].partition(":")[2]
        shown = f":{port}" if port else ""
        if sheet.location:
            return Answer(sheet.status, (*HTML, ("Location", sheet.location.replace(PORT, shown))), b"Moved\n")
        return Answer(sheet.status, HTML, self.write(sheet, ask.path).replace(PORT, shown).encode())

    def write(self, sheet: Sheet, target: str) -> str:
        """Returns the page as HTML."""
        if sheet.is_bare:
            return sheet.html
        if sheet.fact.what is What.GOOD and self._dead and (dead := self.dead_links.get(target)):
            sheet = sheet._replace(html=f"{sheet.html}<p>See also {', '.join(map(link, dead))}.</p>")
        return self._dress(self.frame, sheet)


def _pairs(dice: Sequence[int]) -> Iterable[tuple[int, int]]:
    return zip(dice[::2], dice[1::2], strict=True)
