"""More honest sites that look odd: letters that quote one another, places by degrees, words of a language, verses."""

from __future__ import annotations

from functools import partial

from skitter.simweb.draw import draws
from skitter.simweb.judged.part import Listed, Maker
from skitter.simweb.judged.prose import Prose
from skitter.simweb.judged.sheet import Sheet, listed

MONTHS, LETTERS = ("2024-January", "2024-February", "2024-March", "2024-April"), 60
VIEWS = ("thread", "date", "author", "subject")
SIDE = 20
WORDS = 320
BOOKS, CHAPTERS, VERSES = 3, 8, 15
STATIONS, DAYS = 12, 35


def letters(_name: str, prose: Prose, at: str = "/pipermail/dev") -> Listed:
    """Returns the archive of a mailing list: each letter quotes the one before it; a month has four lists."""
    pages: dict[str, Maker] = {}
    for month, name in enumerate(MONTHS):
        for view in VIEWS:
            pages[f"{at}/{name}/{view}.html"] = partial(_month, prose, month, view)
        for number in range(LETTERS):
            pages[f"{at}/{name}/{_letter_name(month, number)}"] = partial(_letter, prose, month, number)
    pages[f"{at}/"] = partial(_months, at)
    return Listed("letters", [(f"{at}/", "Archive")], pages)


def _letter_name(month: int, number: int) -> str:
    return f"{month * LETTERS + number + 12000:06d}.html"


def _months(at: str) -> Sheet:
    ways = [(f"{at}/{name}/{view}.html", f"{name} {view}") for name in MONTHS for view in VIEWS]
    return Sheet("Archive", listed(ways))


def _month(prose: Prose, month: int, view: str) -> Sheet:
    order = sorted(range(LETTERS), key=lambda one: draws(1, view, month, one) if view != "thread" else (one,))
    ways = [(_letter_name(month, number), prose.title("thread", month, number // 6)) for number in order]
    return Sheet(f"{MONTHS[month]} by {view}", listed([*ways, *((f"{one}.html", one) for one in VIEWS)]))


def _letter(prose: Prose, month: int, number: int) -> Sheet:
    quoted = "".join(f"<p>&gt; {prose.text(50, 'letter', month, n)}</p>" for n in range(number - number % 6, number))
    ways = [(_letter_name(month, n), "next") for n in (number - 1, number + 1) if 0 <= n < LETTERS]
    ways += [(f"{view}.html#{number}", view) for view in VIEWS]
    html = f"<p>{prose.text(20 + number % 30, 'letter', month, number)}</p>{quoted}"
    return Sheet(prose.title("thread", month, number // 6), html + listed(ways))


def gazetteer(_name: str, prose: Prose, at: str = "/place") -> Listed:
    """Returns places by their degrees: hardly a word, numbers, and the four places around."""
    spots = [(up, right) for up in range(SIDE) for right in range(SIDE)]
    pages: dict[str, Maker] = {_spot(at, *spot): partial(_place, prose, at, *spot) for spot in spots}
    return Listed("gazetteer", [(_spot(at, 0, 0), "Places")], pages)


def _spot(at: str, up: int, right: int) -> str:
    return f"{at}?lat={47 + up / 4:.2f}&lon={6 + right / 4:.2f}"


def _place(prose: Prose, at: str, up: int, right: int) -> Sheet:
    near = [(up + 1, right), (up - 1, right), (up, right + 1), (up, right - 1)]
    ways = [_spot(at, *one) for one in near if 0 <= one[0] < SIDE and 0 <= one[1] < SIDE]
    high, july, january = draws(3, at, up, right)
    html = (
        f"<p>{prose.word('place', up, right).title()}, {high % 2000} m above the sea. Latitude {47 + up / 4:.2f},"
        f" longitude {6 + right / 4:.2f}. Mean of July {july % 300 / 10} degrees, of January {january % 100 / 10}"
        " degrees.</p>"
    )
    return Sheet(f"{47 + up / 4:.2f}, {6 + right / 4:.2f}", html + listed([(way, way[-20:]) for way in ways]))


def dictionary(_name: str, prose: Prose, at: str = "/wort") -> Listed:
    """Returns a dictionary: of each word the same table of forms, and the words before and after it."""
    names = prose.distinct(WORDS, "entry")
    pages: dict[str, Maker] = {f"{at}/{one}": partial(_entry, at, names, n) for n, one in enumerate(names)}
    return Listed("dictionary", [(f"{at}/{names[0]}", "A bis Z")], pages)


def _entry(at: str, names: list[str], number: int) -> Sheet:
    word = names[number]
    forms = "".join(
        f"<tr><th>{case}</th><td>der {word}{end}</td><td>die {word}en</td></tr>"
        for case, end in (("Nominativ", ""), ("Genitiv", "s"), ("Dativ", ""), ("Akkusativ", ""))
    )
    near = [names[(number + step) % len(names)] for step in (-2, -1, 1, 2, 7)]
    html = f"<p>Das Wort {word} ist ein Substantiv. Alle Formen in der Ein- und der Mehrzahl:</p><table>{forms}</table>"
    return Sheet(word.title(), html + listed([(f"{at}/{one}", one) for one in near]), lang="de")


def verses(_name: str, prose: Prose, at: str = "/book") -> Listed:
    """Returns verses, each on a page of its own, by the numbers of book, chapter and verse."""
    numbers = [(b, c, v) for b in range(BOOKS) for c in range(CHAPTERS) for v in range(VERSES)]
    pages: dict[str, Maker] = {
        f"{at}/{b + 1}/{c + 1}/{v + 1}": partial(_verse, prose, at, numbers, place)
        for place, (b, c, v) in enumerate(numbers)
    }
    return Listed("verses", [(f"{at}/1/1/1", "Read")], pages)


def _verse(prose: Prose, at: str, numbers: list[tuple[int, int, int]], place: int) -> Sheet:
    near = [numbers[n] for n in (place - 1, place + 1, place + VERSES) if 0 <= n < len(numbers)]
    b, c, v = numbers[place]
    ways = [(f"{at}/{one + 1}/{two + 1}/{three + 1}", "→") for one, two, three in near]
    return Sheet(f"{b + 1}, {c + 1}:{v + 1}", f"<p>{prose.text(7 + v % 9, 'verse', b, c, v)}</p>{listed(ways)}")


def readings(_name: str, _prose: Prose, at: str = "/pegel") -> Listed:
    """Returns what was measured at a station on a day, both of them numbers in the query: digits and the same words."""
    pages: dict[str, Maker] = {
        f"{at}?station={station}&day={day}": partial(_reading, at, station, day)
        for station in range(1, STATIONS + 1)
        for day in range(1, DAYS + 1)
    }
    return Listed("readings", [(f"{at}?station=1&day=1", "Levels")], pages)


def _reading(at: str, station: int, day: int) -> Sheet:
    levels = enumerate(draws(24, at, station, day))
    rows = "".join(f"<tr><td>{hour} o'clock</td><td>{die % 900} cm</td></tr>" for hour, die in levels)
    near = [(station, day - 1), (station, day + 1), (station - 1, day), (station + 1, day), (station + 3, day)]
    ways = [(f"{at}?station={s}&day={d}", "→") for s, d in near if 0 < s <= STATIONS and 0 < d <= DAYS]
    return Sheet("Level of the river", f"<p>Levels of the river at the station.</p><table>{rows}</table>{listed(ways)}")
