"""Honest sites that look like traps: a million numbers, tables of digits, pages of three words, paths in circles."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from skitter.simweb.draw import draws
from skitter.simweb.judged.part import Listed, Maker
from skitter.simweb.judged.prose import Prose
from skitter.simweb.judged.sheet import Sheet, link, listed

TABLES = 417
_ARTICLE, _LIST = re.compile(r"/(0|[1-9]\d{0,8})"), re.compile(r"/list(?:/(\d+))?(?:/(\d+))?")


class Numbered:
    """Articles with nothing but a number in their URLs, reached over two levels of lists. Nothing is kept of them."""

    kind = "numbered"

    def __init__(self, prose: Prose, at: str = "/article", count: int = 1000) -> None:
        self._prose, self._at, self._count = prose, at, count
        self._step = max(10, round(count ** (1 / 3)) + 1)
        self.entrances = [(f"{at}/list", "All articles")]

    def look(self, target: str) -> Sheet | None:
        """See `Part`."""
        rest = target.removeprefix(self._at)
        if rest == target:
            return None
        if (found := _ARTICLE.fullmatch(rest)) is not None:
            return self._article(int(found[1])) if int(found[1]) < self._count else None
        found = _LIST.fullmatch(rest)
        return self._list(found[1], found[2]) if found is not None else None

    def good(self) -> Iterable[str]:
        """See `Part`."""
        yield f"{self._at}/list"
        step = self._step
        for first in range(-(-self._count // step**2)):
            yield f"{self._at}/list/{first}"
            for second in range(min(step, -(-(self._count - first * step**2) // step))):
                yield f"{self._at}/list/{first}/{second}"
        yield from (f"{self._at}/{number}" for number in range(self._count))

    def _article(self, number: int) -> Sheet:
        near = [die % self._count for die in draws(3, self._at, number)]
        ways = [(f"{self._at}/{other}", f"Article {other}") for other in near]
        html = self._prose.paragraphs(60 + number % 90, "article", number) + listed(ways)
        return Sheet(self._prose.title("article", number), html)

    def _list(self, first: str | None, second: str | None) -> Sheet | None:
        step, count, at = self._step, self._count, self._at
        if first is None:
            return self._links("All", [f"{at}/list/{n}" for n in range(-(-count // step**2))])
        begin = int(first) * step**2
        if second is None:
            places = [f"{at}/list/{first}/{n}" for n in range(step) if begin + n * step < count]
        else:
            begin += int(second) * step
            places = [f"{at}/{n}" for n in range(begin, min(begin + step, count))] if int(second) < step else []
        return self._links(f"From {begin}", places) if places else None

    def _links(self, title: str, places: list[str]) -> Sheet:
        return Sheet(title, listed([(place, place.rpartition("/")[2]) for place in places]))


def tables(_name: str, _prose: Prose, at: str = "/data", count: int = TABLES) -> Listed:
    """Returns tables of measurements: nothing but digits differs from one to the next."""
    pages: dict[str, Maker] = {f"{at}/{n}.html": partial(_table, at, n, count) for n in range(count)}
    for first in range(0, count, 60):
        pages[f"{at}/" + (f"from-{first}.html" if first else "")] = partial(_index, at, first, count)
    return Listed("tables", [(f"{at}/", "Measurements")], pages)


def _table(at: str, number: int, count: int) -> Sheet:
    rows = "".join(
        f"<tr><th>{hour:02d}:00</th>{''.join(f'<td>{die % 1000 / 10}</td>' for die in draws(5, at, number, hour))}</tr>"
        for hour in range(24)
    )
    head = "<tr><th>Hour</th><th>Wind</th><th>Rain</th><th>Sun</th><th>Level</th><th>Flow</th></tr>"
    ways = [(f"{at}/{n}.html", word) for n, word in ((number - 1, "Previous"), (number + 1, "Next")) if 0 <= n < count]
    ways.append((f"{at}/", "All days"))
    return Sheet(f"Measurements of day {number}", f"<table>{head}{rows}</table>{' '.join(link(*way) for way in ways)}")


def _index(at: str, first: int, count: int) -> Sheet:
    ways = [(f"{at}/{n}.html", f"Day {n}") for n in range(first, min(first + 60, count))]
    others = [(f"{at}/" + (f"from-{n}.html" if n else ""), f"From {n}") for n in range(0, count, 60)]
    return Sheet("Measurements", listed(ways) + listed(others))


def short(_name: str, prose: Prose, at: str = "/terms", count: int = 300) -> Listed:
    """Returns a glossary: pages of a few words each, with a next one."""
    names = prose.distinct(count, "term")
    pages: dict[str, Maker] = {f"{at}/{one}": partial(_term, prose, at, names, n) for n, one in enumerate(names)}
    pages[f"{at}/"] = partial(_terms, at, names)
    return Listed("short", [(f"{at}/", "Terms")], pages)


def _term(prose: Prose, at: str, names: list[str], number: int) -> Sheet:
    ways = [(f"{at}/{names[(number + 1) % len(names)]}", "next"), (f"{at}/", "all")]
    return Sheet(
        names[number], f"<p>{prose.text(2 + number % 5, 'term', number)}</p>{' '.join(link(*w) for w in ways)}"
    )


def _terms(at: str, names: list[str]) -> Sheet:
    return Sheet("Terms", listed([(f"{at}/{one}", one) for one in names]))


def gallery(_name: str, prose: Prose, at: str = "/photos", count: int = 150) -> Listed:
    """Returns pictures: a page for each, with a number, a picture and ways on, and hardly a word."""
    pages: dict[str, Maker] = {f"{at}/view.php?pic={n}": partial(_picture, at, n, count) for n in range(count)}
    pages[f"{at}/"] = partial(_album, prose, at, count)
    return Listed("gallery", [(f"{at}/", "Photos")], pages)


def _picture(at: str, number: int, count: int) -> Sheet:
    ways = [(f"{at}/view.php?pic={n}", word) for n, word in ((number - 1, "<"), (number + 1, ">")) if 0 <= n < count]
    return Sheet(f"IMG_{number:04d}", f"<img src='{at}/img_{number:04d}.jpg'>{' '.join(link(*w) for w in ways)}")


def _album(prose: Prose, at: str, count: int) -> Sheet:
    ways = [(f"{at}/view.php?pic={n}", f"IMG_{n:04d}") for n in range(count)]
    return Sheet("Photos", prose.paragraphs(30, "album") + listed(ways))


def repeats(_name: str, prose: Prose, at: str = "") -> Listed:
    """Returns paths in which pieces come again and again, all of them honest."""
    words = prose.distinct(6, "folder")
    paths = {f"{at}/{word}/" for word in words} | {f"{at}/img/img/{word}.html" for word in words}
    for deep in range(2, 8):
        paths.add(f"{at}/{'/'.join([words[0]] * deep)}/")
        paths.add(f"{at}/{'/'.join([words[0]] * deep)}/{words[1]}.html")
        paths.add(f"{at}/{'/'.join([words[2], words[3]] * deep)}/leaf.html")
        paths.add(f"{at}/{'/'.join(['img'] * deep)}/{words[4]}.html")
    order = sorted(paths)
    pages: dict[str, Maker] = {path: partial(_folder, prose, path, order) for path in order}
    return Listed("repeats", [(order[0], "Folders")], pages)


def _folder(prose: Prose, path: str, order: list[str]) -> Sheet:
    return Sheet(prose.title("folder", path), prose.paragraphs(80, "folder", path) + listed([(o, o) for o in order]))
