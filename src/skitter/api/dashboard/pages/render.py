"""Render: pages that wait for a browser, and for how long. Pure."""

from __future__ import annotations

from skitter.api.dashboard.chart import Line, chart
from skitter.api.dashboard.frame import Frame, live, page, section
from skitter.api.dashboard.html import Html, tag
from skitter.api.dashboard.parts import tile, tiles, time
from skitter.console.views import Series
from skitter.messages import Kind
from skitter.words.figures import number


def render_page(frame: Frame, series: Series) -> str:
    """Returns the page."""
    waits = Line("wait for a browser", series.columns.get("to_render", []))
    return page(
        frame,
        "Render",
        live("render", _tiles(frame)),
        live(
            "queue",
            section(
                "Pages that wait for a browser",
                chart("Pages", series.at, [waits], unit="pages", shown=lambda v: number(round(v)), is_stacked=True),
            ),
        ),
    )


def _tiles(frame: Frame) -> Html:
    run, standing = frame.overview.live, frame.overview.standing
    if run is None:
        return tag("p", "It has not run here yet.", class_="empty")
    since = None if standing is None else standing.renders_since
    return tiles(
        tile("Waiting", number(run.to_render), "pages"),
        tile("The next one waits since", time(since, frame.now, "none waits")),
        tile("Browser failures", number(run.failures.get(Kind.BROWSER_FAILED.value, 0)), "in this run"),
    )
