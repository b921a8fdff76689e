"""Small pieces that pages are made of. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import quote, urlencode

from skitter.api.dashboard.html import Child, Html, tag
from skitter.words.figures import distance, moment

LONGEST = 120


class Column(NamedTuple):
    """A column of a table."""

    name: str
    is_number: bool = False
    key: str = ""  # that the table can be sorted by
    hint: str = ""


def table(
    caption: str,
    columns: Sequence[Column],
    rows: Iterable[Sequence[Child]],
    *,
    empty: Child = "Nothing.",
    headers: Sequence[Child] = (),
    is_shown: bool = False,
) -> Html:
    """Returns a table; its first column names its rows. `empty` is said if there are none."""
    made = [_row(columns, row) for row in rows]
    if not made:
        return tag("p", empty, class_="empty")
    told = headers or [column.name for column in columns]
    cells = [
        tag("th", text, scope="col", class_="n" if column.is_number else None, title=column.hint or None)
        for column, text in zip(columns, told, strict=True)
    ]
    return tag(
        "div",
        tag(
            "table",
            tag("caption", caption, class_=None if is_shown else "sr"),
            tag("thead", tag("tr", cells)),
            tag("tbody", made),
        ),
        class_="scroll",
        tabindex=0,
        role="region",
        aria_label=caption,
    )


def _row(columns: Sequence[Column], row: Sequence[Child]) -> Html:
    first, *others = row
    cells = [
        tag("td", cell, class_="n" if column.is_number else None)
        for column, cell in zip(columns[1:], others, strict=True)
    ]
    return tag("tr", tag("th", first, scope="row"), cells)


def tile(name: str, value: Child, note: Child = None, picture: Child = None, level: str = "") -> Html:
    """Returns a number that matters, with what it is and how it went."""
    return tag(
        "div",
        tag("dt", name),
        tag("dd", tag("b", value, class_="value"), tag("span", note, class_="note") if note else None, picture),
        class_=f"tile {level}".strip(),
    )


def tiles(*made: Html) -> Html:
    """Returns tiles in a row."""
    return tag("dl", *made, class_="tiles")


def facts(rows: Iterable[tuple[str, Child]]) -> Html:
    """Returns names with what is known of them."""
    return tag("dl", [tag("div", tag("dt", name), tag("dd", value)) for name, value in rows], class_="facts")


def time(at: float | None, now: float, none: str = "–") -> Child:
    """Returns how far off a time is; the time itself shows under the pointer."""
    if at is None:
        return none
    iso = datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
    return tag("time", distance(at, now), datetime=iso, title=moment(at))


def badge(text: str, level: str = "") -> Html:
    """Returns a word with a colour."""
    return tag("span", text, class_=f"badge {level}".strip())


def host_link(host: str) -> Html:
    """Returns the way to a host."""
    return tag("a", host, href=f"/hosts/{quote(host, safe='')}", class_="name")


def url_link(url: str, longest: int = LONGEST) -> Html:
    """Returns the way to what is known of a URL, not to the URL itself."""
    short = url if len(url) <= longest else f"{url[: longest - 1]}…"
    return tag("a", short, href=way("/url", url=url), class_="url", title=url if short != url else None)


def way(path: str, **query: str) -> str:
    """Returns an address of ours."""
    given = {name: text for name, text in query.items() if text}
    return f"{path}?{urlencode(given)}" if given else path


def field(
    name: str, label: str, value: str = "", *, hint: str = "", kind: str = "text", placeholder: str = "", **more: str
) -> Html:
    """Returns an input with its label."""
    return tag(
        "p",
        tag("label", label, tag("small", hint) if hint else None, for_=f"f-{name}"),
        tag("input", id=f"f-{name}", name=name, type=kind, value=value, placeholder=placeholder or None, **more),
        class_="field",
    )


def asking(
    act: str, label: str, question: str, hidden: Mapping[str, str], *inputs: Child, level: str = "", back: str = "/"
) -> Html:
    """Returns a button that asks before it acts: by a script in place, without one by a page of its own."""
    return tag(
        "form",
        [tag("input", type="hidden", name=name, value=value) for name, value in hidden.items()],
        tag("input", type="hidden", name="back", value=back),
        *inputs,
        tag("button", label, class_=level or None),
        method="post",
        action=f"/do/{act}",
        class_="act",
        data_ask=question,
    )
