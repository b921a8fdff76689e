"""Freshness: how far copies say what their pages say now, by class against what is promised. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from skitter.api.dashboard.chart import Line, bar, chart
from skitter.api.dashboard.frame import Frame, live, page, section
from skitter.api.dashboard.html import Child, Html, tag
from skitter.api.dashboard.parts import Column, badge, table, tile, tiles
from skitter.console.views import Series
from skitter.inspection.status import Status
from skitter.words.figures import number, span


def freshness_page(frame: Frame, series: Series) -> str:
    """Returns the page."""
    standing = frame.overview.standing
    return page(
        frame,
        "Freshness",
        live("fresh", _tiles(frame), section("By class of host", _classes(standing))),
        live(
            "over-time",
            section(
                "Fresh copies",
                chart(
                    "Fresh copies",
                    series.at,
                    [Line("fresh", series.columns.get("fresh", []))],
                    unit="share of copies",
                    shown=lambda value: f"{value:.0%}",
                ),
            ),
            section(
                "Lateness",
                chart(
                    "Lateness",
                    series.at,
                    [Line("late", series.columns.get("late", []))],
                    unit="of the re-crawl that has waited longest",
                    shown=span,
                ),
            ),
            class_="grid two",
        ),
    )


def _tiles(frame: Frame) -> Html | None:
    run, standing = frame.overview.live, frame.overview.standing
    if run is None:
        return None
    measured = None if standing is None else standing.measured
    return tiles(
        tile("Fresh, as expected", "–" if run.fresh is None else f"{run.fresh:.1%}", "by the changes seen so far"),
        tile(
            "Fresh, as measured",
            "–" if measured is None else f"{measured.ratio:.1%}",
            "no visits by lot yet" if measured is None else f"± {measured.error:.1%}, {number(measured.visits)} visits",
        ),
        tile("Late", span(round(run.late)), "the re-crawl that has waited longest"),
        tile("To be seen again", number(run.urls.get("scheduled", 0)), "pages"),
    )


def _classes(standing: Status | None) -> Html:
    columns = [
        Column("Class"),
        Column("Fresh", is_number=True),
        Column("May lack a change for", is_number=True),
        Column("Timely", is_number=True),
        Column("Wanted", is_number=True),
        Column("Budget left", is_number=True),
    ]
    rows: list[Sequence[Child]] = []
    for name, slo in ({} if standing is None else standing.slos).items():
        level = "ill" if slo.budget_left < 0 else "watch" if slo.budget_left < 0.25 else "well"
        budget = tag("span", bar(slo.budget_left, level), badge(f"{slo.budget_left:.0%}", level), class_="budget")
        rows.append((name, f"{slo.fresh:.1%}", span(slo.allowed), f"{slo.timely:.1%}", f"{slo.wanted:.0%}", budget))
    empty = "No page is to be seen again: a crawl that runs on (--forever) keeps its copies fresh."
    return table("Freshness by class", columns, rows, empty=empty)
