"""Numbers over time as pictures: drawn here, coloured by the style sheet, told in words to who can't see them. Pure.

The picture is stretched to whatever width there is; what is written stands beside it and is not. No script is needed:
one adds the values under the pointer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from math import ceil, log10
from typing import NamedTuple

import msgspec

from skitter.api.dashboard.html import Html, tag
from skitter.words.figures import span

POINTS = 160
"""That are drawn: more can't be told apart."""

ROWS = 10
"""Of the numbers in words."""

WIDTH, HEIGHT = 1000, 100
COLOURS = 8


class Line(NamedTuple):
    """A name and its values; None: not known."""

    name: str
    values: Sequence[float | None]


def chart(
    title: str,
    at: Sequence[float],
    lines: Sequence[Line],
    *,
    unit: str = "",
    shown: Callable[[float], str] = lambda value: f"{value:,.3g}",
    is_stacked: bool = False,
    note: str = "",
) -> Html:
    """Returns a picture of lines over time with its title, its legend and the numbers in words."""
    told = tag("figcaption", tag("span", title, class_="title"), tag("span", unit, class_="unit") if unit else None)
    moments, drawn = thinned(at, lines)
    if len(moments) < 2:
        empty = note or "No numbers yet: they come while the crawl runs, a point every five seconds."
        return tag("figure", told, tag("p", empty, class_="empty"), class_="chart")
    piled = _piled(drawn) if is_stacked else drawn
    most = _round(max((value for line in piled for value in line.values if value is not None), default=0.0))
    return tag(
        "figure",
        told,
        tag("ul", [_legend(number, line, shown) for number, line in enumerate(drawn)], class_="legend"),
        tag(
            "div",
            tag("div", [tag("span", shown(most * part)) for part in (1, 0.5, 0)], class_="up", aria_hidden="true"),
            tag("div", _picture(title, unit, moments, piled, most, shown, is_stacked=is_stacked), class_="plot"),
            tag(
                "div",
                [tag("span", _clock(moments[round(part * (len(moments) - 1))])) for part in (0, 0.5, 1)],
                class_="across",
                aria_hidden="true",
            ),
            class_="frame",
            data_chart=msgspec.json.encode(
                {"at": [_clock(one) for one in moments], "lines": [_told(line, shown) for line in drawn]}
            ).decode(),
        ),
        _table(title, moments, drawn, shown),
        class_="chart",
    )


def spark(title: str, values: Sequence[float | None]) -> Html | None:
    """Returns a small picture of how a number went, None if there is nothing to be seen."""
    _, (line,) = thinned(range(len(values)), [Line(title, values)])
    known = [value for value in line.values if value is not None]
    if len(known) < 2:
        return None
    picture = _picture(
        title, "", list(line.values), [line], max(*known, 0.0) or 1.0, lambda v: f"{v:,.3g}", is_stacked=True
    )
    return tag("div", picture, class_="spark")


def heat(title: str, at: Sequence[float], lines: Sequence[Line], *, columns: int = 30) -> Html:
    """Returns a table whose cells are the darker the more there was: a row for each line, a column for a time."""
    moments, drawn = thinned(at, lines, columns)
    most = max((value for line in drawn for value in line.values if value), default=0.0)
    if not most or len(moments) < 2:
        return tag("p", "No errors in this time.", class_="empty")
    rows = [
        tag(
            "tr",
            tag("th", line.name, scope="row"),
            [
                tag(
                    "td",
                    tag("span", f"{value or 0:.2g}", class_="sr"),
                    class_=f"heat h{_shade(value, most)}",
                    title=f"{line.name}, {_clock(moment)}: {value or 0:.2g} a second",
                )
                for moment, value in zip(moments, line.values, strict=True)
            ],
            tag("td", f"{max(v or 0 for v in line.values):.2g}", class_="n"),
        )
        for line in drawn
    ]
    cells = [tag("th", tag("span", _clock(moment), class_="sr"), scope="col") for moment in moments]
    header = tag("tr", tag("th", "Kind", scope="col"), cells, tag("th", "most a second", scope="col", class_="n"))
    return tag(
        "div",
        tag("table", tag("caption", title, class_="sr"), tag("thead", header), tag("tbody", rows), class_="heatmap"),
        tag("p", tag("span", _clock(moments[0])), tag("span", _clock(moments[-1])), class_="ends", aria_hidden="true"),
        class_="scroll",
        tabindex=0,
        role="region",
        aria_label=title,
    )


def bar(share: float, level: str = "") -> Html:
    """Returns a bar that is full to a share; the number stands beside it."""
    width = f"{min(1.0, max(0.0, share)):.1%}"
    return tag("svg", tag("rect", width=width, height="100%"), class_=f"bar {level}".strip(), aria_hidden="true")


def thinned(at: Sequence[float], lines: Sequence[Line], points: int = POINTS) -> tuple[list[float], list[Line]]:
    """Returns no more points than can be told apart: the mean of those that fall together."""
    step = max(1, ceil(len(at) / points))
    places = range(0, len(at), step)
    return [at[min(len(at) - 1, place + step - 1)] for place in places], [
        Line(line.name, [_mean(line.values[place : place + step]) for place in places]) for line in lines
    ]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _piled(lines: Sequence[Line]) -> list[Line]:
    """Returns lines that stand on one another, the last on the ground."""
    found: list[Line] = []
    below: list[float] = [0.0] * max((len(line.values) for line in lines), default=0)
    for line in reversed(lines):
        below = [low + (value or 0.0) for low, value in zip(below, line.values, strict=True)]
        told = zip(below, line.values, strict=True)
        found.append(Line(line.name, [top if value is not None else None for top, value in told]))
    return found[::-1]


def _round(most: float) -> float:
    """Returns the next number that is easy to halve."""
    if most <= 0:
        return 1.0
    ten = 10.0 ** (ceil(log10(most)) - 1)
    return next(step * ten for step in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if step * ten >= most * 0.999)


def _picture(
    title: str,
    unit: str,
    moments: Sequence[float | None],
    lines: Sequence[Line],
    most: float,
    shown: Callable[[float], str],
    *,
    is_stacked: bool,
) -> Html:
    def y(value: float) -> float:
        return HEIGHT - HEIGHT * value / most

    across = WIDTH / max(1, len(moments) - 1)
    drawn = []
    for number, line in enumerate(lines):
        for begin, run in _runs(line.values):
            points = " ".join(f"{(begin + place) * across:.0f},{y(value):.1f}" for place, value in enumerate(run))
            if is_stacked:
                end = (begin + len(run) - 1) * across
                area = f"M{begin * across:.0f},{HEIGHT} L{points} L{end:.0f},{HEIGHT}Z"
                drawn.append(tag("path", d=area, class_=f"area c{number % COLOURS}"))
            drawn.append(tag("polyline", points=points, class_=f"line c{number % COLOURS}"))
    grid = [tag("line", x1=0, x2=WIDTH, y1=height, y2=height, class_="grid") for height in (0, 50, 100)]
    return tag(
        "svg",
        grid,
        drawn,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        preserveAspectRatio="none",
        role="img",
        aria_label=_in_words(title, unit, lines, shown),
    )


def _runs(values: Sequence[float | None]) -> list[tuple[int, list[float]]]:
    """Returns stretches of values that are known, with where they begin."""
    found: list[tuple[int, list[float]]] = []
    is_open = False
    for place, value in enumerate(values):
        if value is None:
            is_open = False
        elif is_open:
            found[-1][1].append(value)
        else:
            found.append((place, [value]))
            is_open = True
    return [(place, run * 2 if len(run) == 1 else run) for place, run in found]


def _in_words(title: str, unit: str, lines: Sequence[Line], shown: Callable[[float], str]) -> str:
    told = [
        f"{line.name}: last {shown(known[-1])}, from {shown(min(known))} to {shown(max(known))}"
        for line in lines
        if (known := [value for value in line.values if value is not None])
    ]
    return f"{title}{f', {unit}' if unit else ''}. {'; '.join(told)}."


def _legend(number: int, line: Line, shown: Callable[[float], str]) -> Html:
    last = next((value for value in reversed(line.values) if value is not None), None)
    return tag(
        "li",
        tag("i", class_=f"key c{number % COLOURS}", aria_hidden="true"),
        line.name,
        tag("b", "–" if last is None else shown(last)),
    )


def _told(line: Line, shown: Callable[[float], str]) -> list[str]:
    return ["–" if value is None else shown(value) for value in line.values]


def _table(title: str, moments: Sequence[float], lines: Sequence[Line], shown: Callable[[float], str]) -> Html:
    step = max(1, ceil(len(moments) / ROWS))
    rows = [
        tag(
            "tr",
            tag("th", _clock(moments[place]), scope="row"),
            [tag("td", "–" if (v := line.values[place]) is None else shown(v), class_="n") for line in lines],
        )
        for place in range(len(moments) - 1, -1, -step)
    ]
    header = tag("tr", tag("th", "Time", scope="col"), [tag("th", one.name, scope="col", class_="n") for one in lines])
    length = span(round(moments[-1] - moments[0]))
    return tag(
        "details",
        tag("summary", "In numbers", tag("span", f" of {title}", class_="sr")),
        tag(
            "div",
            tag("table", tag("caption", f"{title}, {length}"), tag("thead", header), tag("tbody", rows)),
            class_="scroll",
            tabindex=0,
            role="region",
            aria_label=f"{title} in numbers",
        ),
    )


def _shade(value: float | None, most: float) -> int:
    return 0 if not value else max(1, ceil(5 * value / most))


def _clock(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).astimezone().strftime("%H:%M:%S")
