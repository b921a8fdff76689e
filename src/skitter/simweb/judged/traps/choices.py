"""Traps of choices that can be made together, on sites that know their names: what nobody offered is not there."""

from __future__ import annotations

from itertools import islice
from urllib.parse import quote

from skitter.simweb.judged.sheet import MISSING, Sheet
from skitter.simweb.judged.traps.ground import WASTE, Ground, split

GOODS = 60
TITLES, REVISIONS = 30, 5000
FILTERS = ("rot", "blau", "klein", "mittel", "lang", "kurz", "neu", "alt", "leinen", "seide", "wolle", "matt", "edel")
NODES = 24


def _none() -> Sheet:
    return Sheet("Nichts gefunden", "<p>Hier ist nichts.</p>", MISSING, 404)


def comparison(ground: Ground, rest: str) -> Sheet:
    """Returns some things side by side; each page offers to put another one beside them."""
    asked = split(rest)[1].get("ids", "1")
    if not all(one.isdecimal() and int(one) < GOODS for one in asked.split(",")):
        return _none()
    chosen = [int(one) for one in asked.split(",")]
    more = [number for number in range(GOODS) if number not in chosen][: 60 - len(chosen)]
    ways = [(f"?ids={','.join(map(str, [*chosen, one]))}", f"+ {one}") for one in islice(more, len(chosen), None, 3)]
    cells = "".join(f"<td>{ground.prose.text(25, 'thing', one)}</td>" for one in chosen)
    return ground.page("Compare", f"<table><tr>{cells}</tr></table>", ways)


def revisions(ground: Ground, rest: str) -> Sheet:
    """Returns a page of a wiki as it was once, or what changed between two times: every two of them."""
    asked = split(rest)[1]
    title, at, before = asked.get("title", "0"), asked.get("oldid", "1"), asked.get("diff", "0")
    if not all(one.isdecimal() and int(one) < REVISIONS for one in (title, at, before)):
        return _none()
    dice = ground.dice(12, "revisions", title, at, before)
    page = int(title) % TITLES
    ways = [(f"?title={page}&oldid={die % REVISIONS}", f"Version {die % REVISIONS}") for die in dice[:6]]
    ways += [(f"?title={page}&oldid={at}&diff={die % REVISIONS}", "Changes") for die in dice[6:10]]
    ways += [(f"?title={die % TITLES}", "Another page") for die in dice[10:]]
    text = ground.prose.text(90, "page", page) + ground.prose.text(12, "changed", page, dice[0] % 9)
    return ground.page(ground.prose.title("page", page), f"<p>{text}</p>", ways)


def dashes(ground: Ground, rest: str) -> Sheet:
    """Returns a list with filters that are all written into one name: `/rot-klein-neu/`."""
    chosen = [one for one in rest.strip("/").split("-") if one]
    if any(one not in FILTERS for one in chosen) or len(set(chosen)) < len(chosen):
        return _none()
    ways = [(f"{ground.at}{'-'.join([*chosen, one])}/", one) for one in FILTERS if one not in chosen]
    dice = ground.dice(10, "goods", sorted(chosen))
    rows = "".join(f"<li>{ground.prose.title('goods', die % 40)} {die % 70},90 €</li>" for die in dice)
    return ground.page(f"Angebote {' '.join(chosen)}", f"<ul>{rows}</ul>", ways)


def open_tree(ground: Ground, rest: str) -> Sheet:
    """Returns one page whose parts can be opened and closed, each state of it with a URL."""
    opened = sorted({one for one in split(rest)[1].get("open", "").split(".") if one})
    if any(not one.isdecimal() or int(one) >= NODES for one in opened):
        return _none()
    states = [sorted({*opened} ^ {str(node)}) for node in range(NODES)]
    ways = [(f"?open={'.'.join(state)}", "±") for state in states]
    parts = "".join(
        f"<h4>{ground.prose.title('node', node)}</h4>"
        + (f"<p>{ground.prose.text(20, 'node', node)}</p>" if str(node) in opened else "")
        for node in range(NODES)
    )
    return ground.page("Contents", parts, ways)


def pairs_in_path(ground: Ground, rest: str) -> Sheet:
    """Returns a table; how it is shown is written into the path in pairs: `/sort/name/page/3/`."""
    pieces = split(rest)[0]
    options = {
        "sort": ("name", "date", "size"),
        "dir": ("up", "down"),
        "show": ("10", "50"),
        "page": tuple("123456789"),
    }
    chosen = dict(zip(pieces[::2], pieces[1::2], strict=False))
    shown = [(name, value) for name, values in options.items() for value in values]
    ways = [
        (ground.at + "".join(f"{one}/{other}/" for one, other in {**chosen, name: value}.items()), f"{name} {value}")
        for name, value in shown
    ]
    turn = ground.dice(1, sorted(chosen.items()))[0] % 50
    rows = [ground.prose.title("row", (turn + number) % 50) for number in range(20)]
    return ground.page("Liste", "".join(f"<p>{row}</p>" for row in rows), ways)


def hits(ground: Ground, rest: str) -> Sheet:
    """Returns the hits for any word, which is in the path: some of forty things, or none, and words to ask for next."""
    asked = split(rest)[0][-1:]
    dice = ground.dice(20, "hits", asked)
    found = dice[: dice[19] % 9]
    rows = "".join(
        f"<h3>{ground.prose.title('hit', die % 40)}</h3><p>{ground.prose.text(18, 'hit', die % 40)}</p>"
        for die in found
    )
    words = [ground.prose.word("ask", die) for die in dice[9:19]]
    ways = [(f"{ground.at}{quote(word)}", word) for word in words]
    return ground.page(f"Treffer: {''.join(asked)}", rows or "<p>Keine Treffer. Andere suchten:</p>", ways)


def out_and_back(ground: Ground, rest: str) -> Sheet:
    """Returns a redirect that counts its visitors: to a page of a few, by way of a number that is used once."""
    asked = split(rest)[1]
    page = asked.get("to", "0")[:2]
    if "n" in asked:
        return Sheet("Moved", "", WASTE, 302, f"{ground.at}?to={page}&seen={ground.mark(rest)}")
    ways = [(f"{ground.at}?to={number}&n={ground.mark(rest, number)}", f"To {number}") for number in range(12)]
    return ground.page(ground.prose.title("leaf", page), ground.prose.paragraphs(70, "leaf", page), ways)
