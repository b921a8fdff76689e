"""Numbers, sizes, spans and times as people read them."""

from __future__ import annotations

from datetime import UTC, datetime

from skitter.settings import DAY, HOUR, MINUTE

_SIZES = ("bytes", "kB", "MB", "GB", "TB", "PB")
_SPANS = ((DAY, "d"), (HOUR, "h"), (MINUTE, "min"))


def number(value: int) -> str:
    """Returns `12,345`."""
    return f"{value:,}"


def counted(value: int, one: str, many: str | None = None) -> str:
    """Returns `1 page`, `12,345 pages`."""
    return f"{number(value)} {one if value == 1 else many or one + 's'}"


def size(value: float) -> str:
    """Returns `512 bytes`, `1.2 MB`."""
    for unit in _SIZES:
        if value < 1000 or unit == _SIZES[-1]:
            break
        value /= 1000
    return f"{value:.0f} {unit}" if unit == "bytes" or value >= 100 else f"{value:.1f} {unit}"


def rate(value: float) -> str:
    """Returns `0.3`, `12.5`, `1,204`: three figures at the most."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def span(seconds: float) -> str:
    """Returns `0.2 s`, `45 s`, `3 min 20 s`, `2 h 5 min`, `4 d`: the two largest units."""
    if seconds < MINUTE:
        return f"{seconds:.0f} s" if seconds >= 10 or seconds == int(seconds) else f"{seconds:.1f} s"
    for length, unit in _SPANS:
        if seconds >= length:
            whole, rest = divmod(seconds, length)
            return f"{whole:.0f} {unit}{_rest(rest, length)}"
    raise AssertionError("a minute or more has a unit")


def clock(seconds: float) -> str:
    """Returns `1:02:03`: how long something has been running."""
    minutes, second = divmod(int(seconds), 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour}:{minute:02}:{second:02}"


def moment(at: float) -> str:
    """Returns a time as the clock on the wall shows it."""
    return datetime.fromtimestamp(at, UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def when(at: float, now: float) -> str:
    """Returns a time with how far off it is: `2026-03-01 12:00:00 (in 5 min)`."""
    return f"{moment(at)} ({distance(at, now)})"


def distance(at: float, now: float) -> str:
    """Returns `in 5 min`, `5 min ago` or `now`."""
    away = round(abs(at - now))
    if not away:
        return "now"
    return f"in {span(away)}" if at > now else f"{span(away)} ago"


def _rest(rest: float, length: float) -> str:
    smaller = {DAY: (HOUR, "h"), HOUR: (MINUTE, "min"), MINUTE: (1.0, "s")}[length]
    whole = int(rest // smaller[0])
    return f" {whole} {smaller[1]}" if whole else ""
