"""Traps that shops and catalogues make without meaning to: every view of the same things has a URL."""

from __future__ import annotations

from urllib.parse import quote_plus, urlencode

from skitter.simweb.judged.sheet import Sheet
from skitter.simweb.judged.traps.ground import Ground, split

VALUES = {
    "colour": ("red", "blue", "green", "black", "white", "grey", "pink", "brown"),
    "size": ("xs", "s", "m", "l", "xl", "xxl"),
    "price": ("cheap", "fair", "dear", "0-50", "50-100", "100-200"),
    "make": ("acme", "apex", "nord", "vela", "orbit", "lumen", "kite", "fable", "ember", "quill"),
    "stuff": ("cotton", "wool", "linen", "silk", "steel", "oak"),
    "rating": ("1", "2", "3", "4", "5"),
}
FACETS = {value: name for name, values in VALUES.items() for value in values}


def facets_by_query(ground: Ground, rest: str) -> Sheet:
    """Returns a shop's list with filters: each adds its parameter to those that are there."""
    _, chosen = split(rest)
    chosen = {name: value for name, value in chosen.items() if name in VALUES or name == "page"}
    ways = [
        (f"?{urlencode({**{n: v for n, v in chosen.items() if n != 'page'}, name: value})}", value)
        for name, values in VALUES.items()
        for value in values
    ]
    if (page := int(chosen.get("page", "1") or 1)) < 4:
        ways.append((f"?{urlencode({**chosen, 'page': page + 1})}", "Next"))
    return ground.page("Our range", _goods(ground, sorted(chosen.items())), ways)


def facets_by_path(ground: Ground, rest: str) -> Sheet:
    """Returns the same with filters in the path, in any order: shallow, and very wide."""
    chosen = [piece for piece in split(rest)[0] if piece in FACETS]
    free = [value for value in FACETS if FACETS[value] not in {FACETS[one] for one in chosen}]
    ways = [(f"{ground.at}{'/'.join([*chosen, value])}/", value) for value in free]
    return ground.page(f"Our range: {' '.join(chosen)}", _goods(ground, sorted(chosen)), ways)


def _goods(ground: Ground, chosen: object, count: int = 12) -> str:
    """Returns some of forty things: all that there is, however one asks."""
    dice = ground.dice(count, "goods", chosen)
    return "".join(f"<div class='item'>{ground.prose.title('goods', die % 40)} {die % 90}.50</div>" for die in dice)


def sort_orders(ground: Ground, rest: str) -> Sheet:
    """Returns a table that can be sorted, turned, cut and shown in many ways, with the same rows in it."""
    names = ground.one("sort", "order", "orderby"), ground.one("dir", "o", "asc"), ground.one("limit", "n", "show")
    options = {
        names[0]: ("name", "date", "price", "size", "votes", "id", "author", "views"),
        names[1]: ("asc", "desc"),
        names[2]: ("10", "20", "50", "100", "all"),
        "view": ("list", "grid", "table", "compact"),
        "page": tuple(map(str, range(1, 21))),
    }
    chosen = {name: value for name, value in split(rest)[1].items() if name in options}
    ways = [
        (f"?{urlencode({**chosen, n: value})}", f"{n} {value}") for n, values in options.items() for value in values
    ]
    rows = [ground.prose.title("row", number) for number in range(60)]
    turn = ground.dice(1, sorted(chosen.items()))[0] % 60
    table = "".join(f"<tr><td>{row}</td><td>{len(row)}</td></tr>" for row in rows[turn:] + rows[:turn])
    return ground.page("All entries", f"<table>{table}</table>", ways)


def search(ground: Ground, rest: str) -> Sheet:
    """Returns the hits of a search, in which every rare word is a link to the search for it."""
    name = ground.one("q", "s", "query", "search")
    asked = split(rest)[1].get(name, "")
    words = ground.prose.words(160, "hits", asked.lower())
    rare = sorted({word for word in words if len(word) > 5})[:30]
    ways = [(f"?{name}={quote_plus(word)}", word) for word in rare]
    ways += [(f"?{name}={quote_plus(f'{asked} {word}'.strip())}", "both") for word in rare[:4]]
    return ground.page(f"Search: {asked}", f"<p>{' '.join(words)}</p>", ways)


def tags(ground: Ground, rest: str) -> Sheet:
    """Returns what has all of some tags; each further tag can be added."""
    sign = ground.one("+", ",", "/")
    chosen = sorted({tag for tag in rest.strip("/").split(sign) if tag})
    known = [ground.prose.word("tag", number) for number in range(25)]
    ways = [(f"{ground.at}{sign.join([*chosen, tag])}", tag) for tag in known if tag not in chosen]
    teasers = ground.prose.paragraphs(40, "tagged", ground.dice(1, chosen)[0] % 30)
    return ground.page(f"Tagged {', '.join(chosen) or 'anything'}", teasers, ways)


def ranges(ground: Ground, rest: str) -> Sheet:
    """Returns an archive that can be asked for any range of days."""
    asked = split(rest)[1]
    first, last = (
        int(asked.get(name, "20250101")[:8]) if asked.get(name, "").isdecimal() else 20250101 for name in ("from", "to")
    )
    near = [(first - step, last + more) for step in (0, 1, 7) for more in (1, 7, 100)]
    ways = [(f"?from={begin}&to={end}", f"{begin} to {end}") for begin, end in near]
    return ground.page("Archive", ground.prose.paragraphs(50, "range", first % 3, last % 5), ways)


def related(ground: Ground, rest: str) -> Sheet:
    """Returns a thing and those that go with it, for any number."""
    name = ground.one("id", "item", "pid")
    asked = split(rest)[1].get(name, "1")
    dice = ground.dice(9, "related", asked)
    ways = [(f"?{name}={die}", ground.prose.title("goods", die % 200)) for die in dice[:8]]
    text = ground.prose.text(30, "goods", dice[8] % 200)
    return ground.page(ground.prose.title("goods", dice[8] % 200), f"<p>{text}</p><h3>Others liked</h3>", ways)
