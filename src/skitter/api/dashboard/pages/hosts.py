"""Hosts: a table of all of them, paged by the server, and when what failed. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from skitter.api.dashboard.chart import Line, heat
from skitter.api.dashboard.frame import Frame, live, page, section
from skitter.api.dashboard.html import Child, Html, tag
from skitter.api.dashboard.parts import Column, badge, host_link, table, time, way
from skitter.api.looking import HostsQuery
from skitter.console.views import HostRow, HostsPage, Series
from skitter.words.figures import number, span
from skitter.words.kinds import kind_in_words

COLUMNS = (
    Column("Host", key="host"),
    Column("Waits for", key="standing"),
    Column("Next", key="next_at", is_number=True, hint="when it may be visited next"),
    Column("Queued", key="queued", is_number=True),
    Column("Done", key="done", is_number=True, hint="fetched, with those that are to be seen again"),
    Column("Failed", key="failed", is_number=True, hint="to be tried again"),
    Column("Dead", key="dead", is_number=True, hint="given up"),
    Column("Delay", key="delay", is_number=True),
    Column("Health", key="health", is_number=True, hint="1: every answer was good"),
    Column("Requests", key="requests", is_number=True),
    Column("Last", key="last_request", is_number=True, hint="when it was last asked"),
)
BAD = ("asleep", "no_robots", "blocked", "paused")
STANDINGS = {
    "no_robots": "robots.txt",
    "off_hours": "its hours",
}


def hosts_page(frame: Frame, found: HostsPage | None, asked: HostsQuery, series: Series) -> str:
    """Returns the page; `found` is None while the first table is being made."""
    return page(
        frame,
        "Hosts",
        _search(asked),
        live("hosts", _table(frame, found, asked)),
        live(
            "heat",
            section(
                "What failed when",
                heat("Failures a second, by kind and time", series.at, _kinds(series)),
                note="all hosts, the last hour",
            ),
        ),
    )


def _search(asked: HostsQuery) -> Html:
    return tag(
        "form",
        tag("label", "Search hosts", for_="search", class_="sr"),
        tag("input", id="search", name="search", type="search", value=asked.search, placeholder="part of a name"),
        tag("input", type="hidden", name="sort", value=asked.sort),
        tag("input", type="hidden", name="order", value=asked.order),
        tag("button", "Search"),
        method="get",
        action="/hosts",
        class_="search",
        role="search",
    )


def _table(frame: Frame, found: HostsPage | None, asked: HostsQuery) -> Html:
    if found is None:
        return tag(
            "p", "The hosts are being counted for the first time. They will be here in a moment.", class_="empty"
        )
    rows = [_row(row, frame.now) for row in found.hosts]
    if asked.search:
        empty = "No host has that in its name."
    else:
        empty = "The crawl knows no host yet: seeds come first."
    caption = f"{number(found.matching)} of {number(found.known)} hosts"
    made = table("Hosts", COLUMNS, rows, empty=empty, headers=[_header(column, asked) for column in COLUMNS])
    return tag(
        "div",
        tag("p", caption, ", as of ", time(found.as_of, frame.now), class_="muted"),
        made,
        _more(found, asked),
    )


def _header(column: Column, asked: HostsQuery) -> Child:
    is_sorted = column.key == asked.sort
    is_down = asked.order == "desc"
    order = "asc" if is_sorted and is_down else "desc"
    mark = (" ↓" if is_down else " ↑") if is_sorted else ""
    told = f", sorted {'down' if is_down else 'up'}" if is_sorted else ""
    href = way("/hosts", search=asked.search, sort=column.key, order=order)
    return tag("a", column.name, tag("span", mark, aria_hidden="true"), tag("span", told, class_="sr"), href=href)


def _row(row: HostRow, now: float) -> Sequence[Child]:
    return (
        host_link(row.host),
        standing(row.standing),
        "now" if row.next_at is not None and row.next_at <= now else time(row.next_at, now),
        number(row.queued),
        number(row.done),
        number(row.failed),
        number(row.dead),
        tag("span", span(row.delay), title=row.delay_because),
        f"{row.health:.2f}",
        number(row.requests),
        time(row.last_request, now),
    )


def standing(name: str) -> Html:
    """Returns what a host waits for, in a word."""
    return badge(STANDINGS.get(name, name.replace("_", " ")), "watch" if name in BAD else "")


def _more(found: HostsPage, asked: HostsQuery) -> Html:
    same = {"search": asked.search, "sort": asked.sort, "order": asked.order}
    first = tag("a", "First page", href=way("/hosts", **same)) if asked.cursor else None
    following = None
    if found.cursor:
        following = tag("a", "Next page", href=way("/hosts", **same, cursor=found.cursor), rel="next", class_="button")
    return tag("nav", first, " ", following, aria_label="Pages of the table", class_="pages")


def _kinds(series: Series) -> list[Line]:
    found = [
        Line(kind_in_words(name.removeprefix("failed_")), values)
        for name, values in series.columns.items()
        if name.startswith("failed_")
    ]
    return sorted(found, key=lambda line: -sum(value or 0.0 for value in line.values))[:12]
