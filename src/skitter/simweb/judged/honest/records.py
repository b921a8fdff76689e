"""Honest sites of records: much alike, with few words of their own, and with ids that look made up."""

from __future__ import annotations

from functools import partial
from hashlib import sha1
from uuid import UUID

from skitter.simweb.draw import draws
from skitter.simweb.judged.babel import glyphs
from skitter.simweb.judged.part import Listed, Maker
from skitter.simweb.judged.prose import Prose
from skitter.simweb.judged.sheet import Sheet, listed

SEASONS, ROUNDS, TEAMS = range(2012, 2022), 34, 18
LINES, STOPS = 30, 14
KIN, ACTS, COMMITS, ITEMS, STORIES = 420, 480, 400, 300, 250
DISHES, KINDS = 260, 9


def standings(_name: str, prose: Prose, at: str = "/liga") -> Listed:
    """Returns the tables of ten seasons: the same names on each page, in another order and with other numbers."""
    teams = prose.distinct(TEAMS, "team")
    pages: dict[str, Maker] = {
        f"{at}/{year}/{number}": partial(_standing, at, teams, year, number)
        for year in SEASONS
        for number in range(1, ROUNDS + 1)
    }
    return Listed("standings", [(f"{at}/{SEASONS[-1]}/{ROUNDS}", "Tabelle")], pages)


def _standing(at: str, teams: list[str], year: int, number: int) -> Sheet:
    dice = draws(2 * TEAMS, at, year, number)
    order = sorted(range(TEAMS), key=lambda one: dice[one])
    rows = "".join(
        f"<tr><td>{place}</td><td>{teams[one]}</td><td>{dice[TEAMS + one] % 90}</td></tr>"
        for place, one in enumerate(order, 1)
    )
    ways = [(f"{at}/{year}/{n}", f"{n}. Spieltag") for n in (number - 1, number + 1) if 0 < n <= ROUNDS]
    ways += [(f"{at}/{n}/{number}", f"Saison {n}") for n in (year - 1, year + 1) if n in SEASONS]
    return Sheet(f"{number}. Spieltag {year}", f"<table>{rows}</table>{listed(ways)}")


def timetable(_name: str, prose: Prose, at: str = "/fahrplan") -> Listed:
    """Returns when buses leave: each stop of each line has a page of times."""
    names = prose.distinct(80, "stop")
    pages: dict[str, Maker] = {
        f"{at}/linie-{line}/{stop}": partial(_departures, at, names, line, stop)
        for line in range(1, LINES + 1)
        for stop in range(STOPS)
    }
    return Listed("timetable", [(f"{at}/linie-{line}/0", f"Linie {line}") for line in range(1, LINES + 1)], pages)


def _departures(at: str, names: list[str], line: int, stop: int) -> Sheet:
    dice = draws(40, at, line, stop)
    times = " ".join(f"{5 + n // 3}:{die % 60:02d}" for n, die in enumerate(dice))
    ways = [(f"{at}/linie-{line}/{n}", names[(line * 11 + n) % 80]) for n in (stop - 1, stop + 1) if 0 <= n < STOPS]
    return Sheet(f"{names[(line * 11 + stop) % 80]}, Linie {line}", f"<p>{times}</p>{listed(ways)}")


def kin(_name: str, prose: Prose, at: str = "/tree") -> Listed:
    """Returns a family: a page of a line or two for each person, with links to the next of kin."""
    pages: dict[str, Maker] = {f"{at}/person.php?id=I{n:04d}": partial(_person, prose, at, n) for n in range(KIN)}
    return Listed("kin", [(f"{at}/person.php?id=I0000", "Family")], pages)


def _person(prose: Prose, at: str, number: int) -> Sheet:
    near = {(number - 1) // 2, 2 * number + 1, 2 * number + 2} & {*range(KIN)} - {number}
    name = f"{prose.word('given', number % 40)} {prose.word('family', number % 23)}".title()
    born = 1600 + number * 7 % 380
    html = f"<p>Born {born} in {prose.word('place', number % 30)}, died {born + 20 + number % 60}.</p>"
    return Sheet(name, html + listed([(f"{at}/person.php?id=I{one:04d}", f"I{one:04d}") for one in sorted(near)]))


def acts(_name: str, prose: Prose, at: str = "/gesetz") -> Listed:
    """Returns an act: a page for each of its sections, with the one before and the one after."""
    pages: dict[str, Maker] = {f"{at}/__{n}.html": partial(_section, prose, at, n) for n in range(1, ACTS + 1)}
    return Listed("acts", [(f"{at}/__1.html", "Gesetz")], pages)


def _section(prose: Prose, at: str, number: int) -> Sheet:
    ways = [(f"{at}/__{n}.html", f"§ {n}") for n in (number - 1, number + 1) if 0 < n <= ACTS]
    return Sheet(f"§ {number}", f"<p>(1) {prose.text(15 + number % 40, 'section', number)}</p>{listed(ways)}")


def commits(_name: str, prose: Prose, at: str = "/repo") -> Listed:
    """Returns what was changed in a program, each change with a hash for a name, and a list of them all."""
    marks = [sha1(f"{at} {n}".encode(), usedforsecurity=False).hexdigest() for n in range(COMMITS)]
    pages: dict[str, Maker] = {
        f"{at}/commit/{mark}": partial(_commit, prose, at, marks, n) for n, mark in enumerate(marks)
    }
    for first in range(0, COMMITS, 50):
        pages[f"{at}/log" + (f"?after={first}" if first else "")] = partial(_log, prose, at, marks, first)
    return Listed("commits", [(f"{at}/log", "History")], pages)


def _commit(prose: Prose, at: str, marks: list[str], number: int) -> Sheet:
    ways = [
        (f"{at}/commit/{marks[n]}", "parent" if n > number else "child")
        for n in (number - 1, number + 1)
        if 0 <= n < COMMITS
    ]
    changed = "".join(
        f"<pre>{'+-'[line % 2]} {prose.text(6, 'line', number, line)}</pre>" for line in range(number % 9 + 1)
    )
    return Sheet(prose.title("commit", number), f"{changed}{listed(ways)}")


def _log(prose: Prose, at: str, marks: list[str], first: int) -> Sheet:
    ways = [(f"{at}/commit/{marks[n]}", prose.title("commit", n)) for n in range(first, min(first + 50, COMMITS))]
    ways += [(f"{at}/log?after={first + 50}", "Older")] if first + 50 < COMMITS else []
    return Sheet("History", listed(ways))


def items(_name: str, prose: Prose, at: str = "/item") -> Listed:
    """Returns things with an id for a name: each leads to four others, and there is no list of them."""
    ids = [str(UUID(int=draws(1, at, n)[0] << 90 | draws(1, n, at)[0] << 20 | n)) for n in range(ITEMS)]
    pages: dict[str, Maker] = {f"{at}/{one}": partial(_item, prose, at, ids, n) for n, one in enumerate(ids)}
    return Listed("items", [(f"{at}/{ids[0]}", "Items")], pages)


def _item(prose: Prose, at: str, ids: list[str], number: int) -> Sheet:
    near = [(number + 1) % ITEMS, *(die % ITEMS for die in draws(3, at, "near", number))]
    html = prose.paragraphs(50 + number % 60, "item", number)
    return Sheet(
        prose.title("item", number), html + listed([(f"{at}/{ids[one]}", prose.title("item", one)) for one in near])
    )


def stories(name: str, _prose: Prose, at: str = "/article") -> Listed:
    """Returns articles without a space in them, ten on a page of a list."""
    pages: dict[str, Maker] = {f"{at}/{n}.htm": partial(_story, name, at, n) for n in range(STORIES)}
    for first in range(0, STORIES, 10):
        pages[f"{at}/list_{first // 10}.htm"] = partial(_stories, name, at, first)
    return Listed("stories", [(f"{at}/list_0.htm", glyphs(2, name))], pages)


def _story(name: str, at: str, number: int) -> Sheet:
    ways = [(f"{at}/{n}.htm", glyphs(9, name, n)) for n in (number - 1, number + 1) if 0 <= n < STORIES]
    return Sheet(glyphs(9, name, number), f"<p>{glyphs(150, name, 'text', number)}</p>{listed(ways)}", lang="zh")


def _stories(name: str, at: str, first: int) -> Sheet:
    ways = [(f"{at}/{n}.htm", glyphs(9, name, n)) for n in range(first, min(first + 10, STORIES))]
    ways += [(f"{at}/list_{first // 10 + 1}.htm", glyphs(3, "next"))] if first + 10 < STORIES else []
    return Sheet(glyphs(4, name, "list"), listed(ways), lang="zh")


def recipes(_name: str, prose: Prose, at: str = "/rezepte") -> Listed:
    """Returns recipes by two choices together: a list for each pair of them, and a page for each dish."""
    kinds = prose.distinct(KINDS, "kind")
    dishes = [f"{at}/gericht/{prose.slug('dish', n)}" for n in range(DISHES)]
    pages: dict[str, Maker] = {path: partial(_dish, prose, at, kinds, n) for n, path in enumerate(dishes)}
    for one in range(KINDS):
        pages[f"{at}/{kinds[one]}/"] = partial(_kind, prose, at, kinds, dishes, one, None)
        for other in range(one):
            pages[f"{at}/{kinds[one]}/{kinds[other]}/"] = partial(_kind, prose, at, kinds, dishes, one, other)
    return Listed("recipes", [(f"{at}/{kind}/", kind.capitalize()) for kind in kinds], pages)


def _has(number: int, kind: int) -> bool:
    return (number * 7 + kind * kind) % KINDS < 3


def _dish(prose: Prose, at: str, kinds: list[str], number: int) -> Sheet:
    ways = [(f"{at}/{kinds[kind]}/", kinds[kind]) for kind in range(KINDS) if _has(number, kind)]
    return Sheet(prose.title("dish", number), prose.paragraphs(70, "dish", number) + listed(ways))


def _kind(prose: Prose, at: str, kinds: list[str], dishes: list[str], one: int, other: int | None) -> Sheet:
    mine = [n for n in range(DISHES) if _has(n, one) and (other is None or _has(n, other))]
    ways = [(dishes[n], prose.title("dish", n)) for n in mine]
    ways += [(f"{at}/{kinds[one]}/{kinds[n]}/", kinds[n]) for n in range(one)] if other is None else []
    return Sheet(" ".join([kinds[one], kinds[other] if other is not None else ""]), listed(ways))
