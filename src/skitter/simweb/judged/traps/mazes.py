"""Traps that make a page for any name: text of a chain, signs without spaces, maps, weeks, ids."""

from __future__ import annotations

from urllib.parse import quote
from uuid import UUID

from skitter.simweb.judged.babel import chained, glyphs
from skitter.simweb.judged.sheet import Sheet
from skitter.simweb.judged.traps.ground import Ground, split

WEEKS, THIS_WEEK = 52, 2026 * 52 + 46
PAGES = 25


def markov(ground: Ground, rest: str) -> Sheet:
    """Returns what a chain says, with links to names of one, two or three pieces, and one out of the maze."""
    dice = ground.dice(30, "markov", rest)
    names = [
        "/".join(ground.prose.word("maze", die, n) for n in range(1 + die % 3)) for die in dice[: 4 + dice[28] % 6]
    ]
    text = "".join(f"<p>{chained(ground.prose, 60, ground.key, rest, n)}</p>" for n in range(2 + dice[29] % 4))
    ways = [(f"{ground.at}{name}.html", name) for name in names]
    return ground.page(ground.prose.title("maze", rest), text, [*ways, ("/", "Home")])


def sign_maze(ground: Ground, rest: str) -> Sheet:
    """Returns the same of signs, with names that are escaped in URLs."""
    dice = ground.dice(8, "signs", rest)
    ways = [(f"{ground.at}{quote(glyphs(3, die))}/", glyphs(5, die)) for die in dice]
    return ground.page(glyphs(8, "title", rest), f"<p>{glyphs(220, ground.key, rest)}</p>", ways)


def agenda(ground: Ground, rest: str) -> Sheet:
    """Returns what happens in a week, a day or a month: something is made up for all of them."""
    asked = split(rest)[1]
    number = "".join(sign for sign in asked.get("w", "") if sign.isdecimal())[:6]
    week = int(number[:4]) * WEEKS + int(number[4:] or 1) - 1 if len(number) > 4 else THIS_WEEK
    ways = [(f"?w={(week + n) // WEEKS}-W{(week + n) % WEEKS + 1:02d}&view=week", f"{n:+d}") for n in (-4, -1, 1, 4)]
    ways += [
        (f"?w={week // WEEKS}-W{week % WEEKS + 1:02d}&view={view}&day={day}", view)
        for view in ("day", "list")
        for day in range(1, 8)
    ]
    key = (week, asked.get("view"), asked.get("day"))
    rows = "".join(f"<p>{ground.prose.text(14, 'event', key, row)}</p>" for row in range(4))
    return ground.page(f"Woche {week % WEEKS + 1}", rows, ways)


def tiles(ground: Ground, rest: str) -> Sheet:
    """Returns a part of a map, with the parts around it, above it and below it."""
    numbers = [int(piece[:12]) for piece in split(rest)[0] if piece.isdecimal()][:3]
    zoom, x, y = numbers if len(numbers) == 3 else (4, 5, 6)
    near = [
        (zoom, x + 1, y),
        (zoom, x, y + 1),
        (zoom, max(0, x - 1), y),
        (zoom + 1, 2 * x, 2 * y),
        (max(0, zoom - 1), x // 2, y // 2),
    ]
    ways = [(f"{ground.at}{z}/{one}/{other}", "→") for z, one, other in near]
    return ground.page(
        f"Map {zoom}", f"<p>Zoom {zoom}, {x} east, {y} north.</p><img src='/t/{zoom}/{x}/{y}.png'>", ways
    )


def any_id(ground: Ground, rest: str) -> Sheet:
    """Returns a profile for any id that there could be."""
    ids = [UUID(int=int(ground.mark(rest, n)[:12], 16) << 64 | int(ground.mark(n, rest)[:12], 16)) for n in range(7)]
    text = f"<p>Member since {2000 + len(rest) % 20}. {ground.prose.text(8, 'bio', rest)}</p>"
    return ground.page(
        f"Profile {ground.prose.word('nick', rest)}", text, [(f"{ground.at}{one}", "friend") for one in ids]
    )


def visitor_in_path(ground: Ground, rest: str) -> Sheet:
    """Returns one of a few pages; who one is, is the first piece of its path."""
    page = next((piece[1:-5] for piece in split(rest)[0] if piece.endswith(".aspx")), "0")
    ways = [(f"{ground.at}v-{ground.mark(rest, n)}/p{n}.aspx", f"Page {n}") for n in range(PAGES)]
    return ground.page(ground.prose.title("leaf", page), ground.prose.paragraphs(80, "leaf", page[:2]), ways)


def stamped(ground: Ground, rest: str) -> Sheet:
    """Returns one of a few pages; each link to another has the time in it, so that nobody keeps it."""
    page = split(rest)[0][:1]
    dice = ground.dice(PAGES, "stamped", rest)
    ways = [(f"{ground.at}{n}.html?_={1760000000 + die % 9000000}", f"Page {n}") for n, die in enumerate(dice)]
    return ground.page(ground.prose.title("leaf", page), ground.prose.paragraphs(80, "leaf", page), ways)
