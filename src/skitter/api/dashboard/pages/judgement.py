"""Judgement: why pages are left out, over time, and the domains that wait for a decision. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from skitter.api.dashboard.chart import Line, bar, chart
from skitter.api.dashboard.frame import Frame, live, page, section
from skitter.api.dashboard.html import Child, Html, tag
from skitter.api.dashboard.parts import Column, asking, host_link, table
from skitter.console.views import Series
from skitter.inspection.domains import DomainLook
from skitter.messages import Reason
from skitter.words.figures import number, rate
from skitter.words.kinds import REASONS, kind_in_words

MOST = 8


def judgement_page(frame: Frame, review: Sequence[DomainLook] | None, series: Series) -> str:
    """Returns the page; `review` is None while the first table is being made."""
    run = frame.overview.live
    prefix = "skipped_"
    lines = [
        Line(kind_in_words(name.removeprefix(prefix)), values)
        for name, values in series.columns.items()
        if name.startswith(prefix)
    ]
    lines = sorted(lines, key=lambda line: -sum(value or 0 for value in line.values))[:MOST]
    empty = "Nothing was left out in this time."
    return page(
        frame,
        "Judgement",
        live(
            "reasons",
            section(
                "Left out, by reason",
                chart(
                    "URLs skipped",
                    series.at if lines else [],
                    lines,
                    unit="a second",
                    shown=rate,
                    is_stacked=True,
                    note=empty,
                ),
                note="the last hour",
            ),
        ),
        live(
            "counts",
            section("URLs skipped in this run", _ranked({} if run is None else run.skipped)),
            section("Links not followed in this run", _ranked({} if run is None else run.refused)),
            class_="grid two",
        ),
        live("review", section("Domains to decide on", _review(frame, review))),
    )


def _ranked(counts: Mapping[str, int]) -> Html:
    if not counts:
        return tag("p", "None.", class_="empty")
    whole = sum(counts.values())
    known = set(Reason)
    rows = [
        tag(
            "li",
            bar(many / whole),
            tag("span", tag("b", number(many)), f" {kind_in_words(name)}"),
            tag("small", REASONS[Reason(name)]) if name in known else None,
        )
        for name, many in sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:10]
    ]
    return tag("ul", rows, class_="bars")


def _review(frame: Frame, review: Sequence[DomainLook] | None) -> Html:
    if review is None:
        return tag(
            "p", "The domains are being counted for the first time. They will be here in a moment.", class_="empty"
        )
    columns = [
        Column("Domain"),
        Column("Against it"),
        Column("Pages", is_number=True),
        Column("Good", is_number=True),
        Column("Worth", is_number=True),
        Column("What to do"),
    ]
    rows: list[Sequence[Child]] = [
        (
            host_link(one.domain),
            ", ".join(one.against),
            number(one.pages),
            number(one.good),
            f"{one.worth:.2f}",
            _decide(one.domain) if frame.may_act else "–",
        )
        for one in review
    ]
    empty = "No domain waits for a decision. One is put here when too much speaks against it."
    return table("Domains to decide on", columns, rows, empty=empty)


def _decide(domain: str) -> Html:
    return tag(
        "div",
        asking("allow", "Allow", f"Crawl {domain} as if it were a seed?", {"domain": domain}, back="/judgement"),
        asking(
            "block",
            "Leave blocked",
            f"Leave {domain} blocked for good?",
            {"domain": domain},
            level="danger",
            back="/judgement",
        ),
        class_="acts",
    )
