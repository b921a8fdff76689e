"""Traps of other makes: weeks in paths, cursors, trails, forms of one URL, maps by degrees, histories of a wiki."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from hashlib import sha256
from urllib.parse import quote

from skitter.simweb.judged.babel import chained
from skitter.simweb.judged.sheet import MISSING, Sheet, moved
from skitter.simweb.judged.traps.ground import WASTE, Ground, split

WEEKS, THIS_WEEK = 52, 2026 * 52 + 46
PAGES, THINGS, NAMES, TITLES = 25, 60, 8, 20
LIMITS, ACTIONS = (20, 50, 100, 250, 500), ("history", "info", "edit", "links")
VALUES = {"c": ("red", "blue", "tan", "grey"), "s": ("s", "m", "l", "xl"), "b": ("nord", "vela", "kite"), "o": ("up",)}
_WEEK = re.compile(r"(\d{4})-W(\d\d)")


def _none() -> Sheet:
    return Sheet("Not found", "<p>Nothing.</p>", MISSING, 404)


def iso_weeks(ground: Ground, rest: str) -> Sheet:
    """Returns a week of bookings, with a page for each of its days: something is made up for all of them."""
    found = _WEEK.match(rest)
    week = int(found[1]) * WEEKS + int(found[2]) - 1 if found else THIS_WEEK
    ways = [(ground.at + _week(week + step), f"{step:+d}") for step in (-52, -1, 1, 4, 52)]
    ways += [(f"{ground.at}{_week(week)}/{day}", str(day)) for day in range(1, 8)]
    rows = "".join(f"<p>{ground.prose.text(12, 'booked', rest, row)}</p>" for row in range(5))
    return ground.page(f"Week {week % WEEKS + 1}", rows, ways)


def _week(number: int) -> str:
    return f"{number // WEEKS:04d}-W{number % WEEKS + 1:02d}"


def cursors(ground: Ground, rest: str) -> Sheet:
    """Returns ten things of sixty, and one way on: a cursor that only the server can read, without an end."""
    try:
        at = int(urlsafe_b64decode(split(rest)[1].get("cursor", "") + "==").decode().rpartition(":")[2] or 0)
    except (ValueError, Error, UnicodeDecodeError):
        return _none()
    first = at if at < THINGS else ground.dice(1, "turn", at)[0]
    rows = [ground.prose.text(9, "thing", (first + number) % THINGS) for number in range(10)]
    ahead = urlsafe_b64encode(f"{ground.mark('salt', at)}:{at + 10}".encode()).decode().rstrip("=")
    return ground.page("Feed", "".join(f"<p>{row}</p>" for row in rows), [(f"?cursor={ahead}", "More")])


def growing_redirects(ground: Ground, rest: str) -> Sheet:
    """Returns a redirect to a longer query; one in three is a page, which leads to three more of them."""
    query = rest.partition("?")[2]
    if query.count("&") % 3 == 2 or not query:
        ways = [(f"{ground.at}?{query}{'&' * bool(query)}step={number}", f"Step {number}") for number in range(3)]
        return ground.page("Checking your browser", ground.prose.paragraphs(25, "check"), ways)
    return moved(f"{ground.at}?{query}&ok={ground.mark(query)[:6]}", WASTE)


def trail(ground: Ground, rest: str) -> Sheet:
    """Returns one of a few pages; the way by which it was reached is its path."""
    names = ground.prose.distinct(NAMES, "trail")
    last = next(iter(split(rest)[0][::-1]), names[0])
    if last not in names:
        return _none()
    ways = [(f"{ground.at}{rest.strip('/')}/{name}".replace("//", "/"), name) for name in names if name != last]
    return ground.page(last, ground.prose.paragraphs(90, "trail", last), ways)


def matrix(ground: Ground, rest: str) -> Sheet:
    """Returns a list with filters that are parameters of its path: `list;c=red;s=m`."""
    chosen = dict(part.split("=", 1) for part in rest.split(";")[1:] if "=" in part)
    if any(value not in VALUES.get(name, ()) for name, value in chosen.items()):
        return _none()
    more = [{**chosen, name: value} for name, values in VALUES.items() for value in values]
    ways = [(f"{ground.at}list" + "".join(f";{n}={v}" for n, v in one.items()), str(len(one))) for one in more]
    dice = ground.dice(9, sorted(chosen.items()))
    return ground.page(
        "List", "".join(f"<p>{ground.prose.title('thing', die % 40)} {die % 90} EUR</p>" for die in dice), ways
    )


def cases(ground: Ground, rest: str) -> Sheet:
    """Returns one of a few pages, whatever letters of its name are large: each link is written in another way."""
    page = sum(map(ord, rest.lower())) % PAGES if rest else 0
    names = [ground.prose.slug("case", number) for number in range(PAGES)]
    ways = []
    for number, name in enumerate(names):
        dice = ground.dice(len(name), "case", rest, number)
        ways.append((ground.at + "".join(s.upper() if d % 2 else s for s, d in zip(name, dice, strict=True)), name))
    return ground.page(names[page], ground.prose.paragraphs(80, "case", page), ways)


def slashes(ground: Ground, rest: str) -> Sheet:
    """Returns one of a few pages; each link has a slash more somewhere."""
    page = next(iter([piece for piece in rest.split("/") if piece][::-1]), "0")[:2]
    ways = [(f"{ground.at}{rest.rpartition('/')[0]}//{number}/", f"Page {number}") for number in range(6)]
    return ground.page(ground.prose.title("leaf", page), ground.prose.paragraphs(80, "leaf", page), ways)


def degrees(ground: Ground, rest: str) -> Sheet:
    """Returns what is near a place on a map: some of sixty things, and the places around it."""
    asked = split(rest)[1]
    try:
        lat, lon = (float(asked.get(name, "50.0")) for name in ("lat", "lon"))
    except ValueError:
        return _none()
    near = [(lat + up / 100, lon + right / 100) for up in (-7, 0, 7) for right in (-7, 0, 7)]
    ways = [(f"?lat={up:.4f}&lon={right:.4f}&zoom={zoom}", "→") for up, right in near for zoom in (9, 10)]
    dice = ground.dice(5, round(lat, 2), round(lon, 2))
    things = "".join(f"<li>{ground.prose.text(8, 'thing', die % THINGS)}</li>" for die in dice)
    return ground.page("Near you", f"<ul>{things}</ul>", ways)


def sliders(ground: Ground, rest: str) -> Sheet:
    """Returns what costs between two prices: either end can be moved."""
    asked = split(rest)[1]
    least, most = (int(asked.get(name, "") or 0) if asked.get(name, "").isdecimal() else 0 for name in ("min", "max"))
    most = most or 500
    if least > most or most > 100_000:
        return _none()
    ways = [(f"?min={max(0, least + step)}&max={most}", "from") for step in (-25, 5, 10, 25)]
    ways += [(f"?min={least}&max={most + step}", "to") for step in (-5, 5, 10, 25)]
    shown = [n for n in range(THINGS) if least <= ground.dice(1, "price", n)[0] % 500 <= most][:12]
    return ground.page("Shop", "".join(f"<p>{ground.prose.text(7, 'thing', n)}</p>" for n in shown), ways)


def wiki_actions(ground: Ground, rest: str) -> Sheet:
    """Returns what a wiki shows beside its pages: who changed them, so many at a time, from any time on."""
    asked = split(rest)[1]
    titles = ground.prose.distinct(TITLES, "title")
    title, action, offset = asked.get("title", titles[0]), asked.get("action", "history"), asked.get("offset", "0")
    if title not in titles or action not in ACTIONS or not offset.isdecimal():
        return _none()
    limit, dice = asked.get("limit", "50"), ground.dice(9, "actions", rest)
    ways = [(f"?title={title}&action={action}&limit={one}&offset={offset}", str(one)) for one in LIMITS]
    ways += [(f"?title={title}&action={one}", one) for one in ACTIONS]
    ways += [
        (f"?title={title}&action={action}&limit={limit}&offset={20260000 + die % 9999}", "older") for die in dice[:3]
    ]
    ways += [(f"?title={titles[die % TITLES]}&action=history", titles[die % TITLES]) for die in dice[3:6]]
    start = int(offset) % 7
    rows = "".join(f"<li>{ground.prose.text(10, 'change', title, start + number)}</li>" for number in range(6))
    return ground.page(f"{title}: {action}", f"<ul>{rows}</ul>", ways)


def signed_maze(ground: Ground, rest: str) -> Sheet:
    """Returns what a chain says, under names that only it can make: of any other it says that there is none."""
    name = rest.strip("/")
    if name and _signed(ground, name.rpartition("-")[0]) != name:
        return _none()
    dice = ground.dice(7, "signed", name)
    ways = [(ground.at + quote(_signed(ground, ground.prose.slug("maze", die))), "on") for die in dice]
    text = "".join(f"<p>{chained(ground.prose, 60, ground.key, rest, part)}</p>" for part in range(3))
    return ground.page(ground.prose.title("maze", rest), text, ways)


def _signed(ground: Ground, name: str) -> str:
    return f"{name}-{sha256(repr((ground.key, name)).encode()).hexdigest()[:16]}"
