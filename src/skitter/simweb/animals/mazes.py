"""Animals that are a maze: every page leads on, and none says anything new."""

from __future__ import annotations

from calendar import month_name
from hashlib import sha256

from skitter.simweb.animals.acts import Animal, made, page

LAST_YEAR = 9999
SHOP_PAGES = 10


def _linked(title: str, links: list[str]) -> bytes:
    anchors = "".join(f'<a href="{link}">on</a>' for link in links)
    return page(f"<title>{title}</title><h1>{title}</h1>{anchors}".encode())


def _echo(path: str) -> bytes:
    return _linked("Echo", [f"{path.rstrip('/')}/again/x{len(path)}", f"{path}?q={path}"])


def _relative(_path: str) -> bytes:
    return _linked("A link that forgot its slash", ["more/", "and/more/"])


def _month(path: str) -> bytes:
    """Returns a month: with its days, and the months and years around it."""
    year, month = _year_and_month(path)
    near = [(year, month - 1), (year, month + 1), (year - 1, month), (year + 1, month)]
    turned = [(y + (m - 1) // 12, (m - 1) % 12 + 1) for y, m in near]
    links = [f"/calendar/{y:04d}/{m:02d}" for y, m in turned if 0 < y <= LAST_YEAR]
    days = [f"/calendar/{year:04d}/{month:02d}/{day:02d}" for day in range(1, 29)]
    return _linked(f"{month_name[month]} {year}", links + days)


def _year_and_month(path: str) -> tuple[int, int]:
    parts = [int(part) for part in path.split("/") if part.isdecimal()]
    return (parts[0], parts[1]) if len(parts) > 1 else (2026, 11)


def _dates(path: str) -> bytes:
    """Returns a day of a calendar that is asked by its query."""
    number = path.partition("?day=")[2]
    day = int(number) if number.isdecimal() else 1
    return _linked("Nothing on this day", [f"/events?day={day + step}" for step in range(1, 8)])


def _shop(path: str) -> bytes:
    """Returns one of ten pages, under a new session id with every link."""
    return _linked("A shop", [f"/s/{_mark(f'{path} {n}')}/page/{n}" for n in range(SHOP_PAGES)])


def _known_session(path: str) -> bytes:
    """Returns a page whose links carry a session id that everybody knows as one."""
    return _linked("A shop", [f"/item/{n};jsessionid={_mark(f'{path} {n}')}" for n in range(SHOP_PAGES)])


def _same(path: str) -> bytes:
    return _linked("Always the same page", [f"/any/{int(_mark(f'{path} {n}'), 16) % 10**9}" for n in range(10)])


def _frozen(_path: str) -> bytes:
    """Returns the same bytes for every URL; its links are relative, so that they are new ones all the same."""
    return _linked("The same bytes", [f"{number}/" for number in range(10)])


def _mark(text: str) -> str:
    """Returns a session id, the same one for the same text."""
    return sha256(text.encode()).hexdigest()[:32]


MAZES: dict[str, Animal] = {
    "echo": made(_echo),
    "relative": made(_relative),
    "calendar": made(_month),
    "dates": made(_dates),
    "sessions": made(_shop),
    "known-sessions": made(_known_session),
    "always-same": made(_same),
    "same-bytes": made(_frozen),
}
