"""Traps that go on and on: calendars, pages that have a next one for ever, texts that a program makes."""

from __future__ import annotations

import re
from calendar import month_name

from skitter.simweb.judged.sheet import Sheet
from skitter.simweb.judged.traps.ground import Ground, split

TODAY = 2026 * 12 + 10
LAST = 9999 * 12
_NUMBER = re.compile(r"\d{1,15}")


def empty_calendar(ground: Ground, rest: str) -> Sheet:
    """Returns a month in which nothing happens, with its days."""
    month = _month(rest)
    style = ground.one("{:04d}/{:02d}/", "{:04d}-{:02d}", "?year={:04d}&month={:02d}")
    ways = [(ground.at + style.format(*_year(month + step)), f"{step:+d}") for step in (-12, -1, 1, 12)]
    year, number = _year(month)
    if style.startswith("?"):
        ways += [(f"{ground.at}?year={year}&month={number}&day={day}", str(day)) for day in range(1, 29)]
    else:
        ways += [(f"{ground.at}{year:04d}/{number:02d}/{day:02d}", str(day)) for day in range(1, 29)]
    return ground.page(f"{month_name[number]} {year}", "<p>No events.</p>", ways)


def event_calendar(ground: Ground, rest: str) -> Sheet:
    """Returns a month with events, which are made up for every month that there is; each has a page."""
    pieces, _ = split(rest)
    if len(pieces) == 3:
        return ground.page(
            ground.prose.title("event", rest), ground.prose.paragraphs(70, "event", rest), [("../", "Month")]
        )
    month = _month(rest)
    near = [_year(month + step) for step in (-12, -1, 1, 12, 120)]
    ways = [(f"{ground.at}{y:04d}/{m:02d}/", f"{month_name[m]} {y}") for y, m in near]
    year, number = _year(month)
    names = [ground.prose.slug("event", month, event) for event in range(6)]
    ways += [(f"{ground.at}{year:04d}/{number:02d}/{name}", name) for name in names]
    return ground.page(f"{month_name[number]} {year}", f"<p>{ground.prose.text(20, 'month', month)}</p>", ways)


def _month(rest: str) -> int:
    pieces, query = split(rest.replace("-", "/"))
    numbers = [int(piece[:4]) for piece in [*pieces, *query.values()] if piece.isdecimal()][:2]
    return numbers[0] * 12 + (numbers[1] - 1) % 12 if len(numbers) == 2 else TODAY


def _year(month: int) -> tuple[int, int]:
    month = min(max(month, 12), LAST)
    return month // 12, month % 12 + 1


def chain(ground: Ground, rest: str) -> Sheet:
    """Returns a page of a list that has a next one for ever: after the last one it comes again, or in another order."""
    found = _NUMBER.search(rest)
    number = int(found[0]) if found is not None else 1
    last = 4 + ground.dice(1, "last")[0] % 8
    rows = [ground.prose.title("row", min(number, last), row) for row in range(15)]
    if number > last and ground.one("shuffled", "repeated") == "shuffled":
        rows = sorted(rows, key=lambda row: ground.dice(1, number, row))
    style = ground.one("page/{}/", "?page={}", "?offset={}&n=15", "p{}.html")
    steps = [*range(max(1, number - 2), number + 4)]
    return ground.page(
        f"List, page {number}",
        "".join(f"<p>{row}</p>" for row in rows),
        [(ground.at + style.format(step), f"Page {step}") for step in steps],
    )


def tarpit(ground: Ground, rest: str) -> Sheet:
    """Returns text that nobody wrote, and links deeper to names that nobody chose."""
    dice = ground.dice(22, "tarpit", rest)
    names = [ground.prose.word("tarpit", die) for die in dice[: 5 + dice[20] % 16]]
    base = ground.at + rest.strip("/")
    ways = [(f"{base.rstrip('/')}/{name}/", ground.prose.title("way", rest, name)) for name in names]
    return ground.page(
        ground.prose.title("tarpit", rest), ground.prose.paragraphs(120 + dice[21] % 200, "pit", rest), ways
    )


def babble(ground: Ground, rest: str) -> Sheet:
    """Returns text that nobody wrote, with links among its pages as well as to new ones: it looks like a wiki."""
    dice = ground.dice(16, "babble", rest)
    known = [ground.prose.slug("babble", die % 300) for die in dice[:6]]
    fresh = [ground.prose.slug("babble", rest, die) for die in dice[6:14]]
    ways = [(f"{ground.at}{name}", name.replace("-", " ")) for name in [*known, *fresh]]
    return ground.page(
        rest.replace("-", " ").capitalize() or "Topics", ground.prose.paragraphs(260, "babble", rest), ways
    )
