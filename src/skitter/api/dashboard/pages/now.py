"""Now: is it healthy, how fast, what is slow and why. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skitter.api.dashboard.chart import Line, bar, chart, spark
from skitter.api.dashboard.frame import Frame, live, page, section
from skitter.api.dashboard.html import Child, Html, tag
from skitter.api.dashboard.parts import Column, host_link, table, tile, tiles, time, way
from skitter.console.views import Health, Live, Series
from skitter.inspection.standing import WAITS
from skitter.inspection.status import Status
from skitter.messages import Kind
from skitter.words.figures import counted, number, rate, size, span
from skitter.words.kinds import KINDS, kind_in_words

STATES = ("queued", "failed", "leased", "scheduled", "done", "skipped", "dead")
STAGES = {
    "new": "wait for their first visit",
    "resolving": "have their name looked up",
    "robots": "have their robots.txt fetched",
    "rest": "rest: their delay is not over",
    "ready": "are ready, and wait for one of our slots",
    "leased": "are being visited",
    "asleep": "are asleep after failures",
    "paused": "were paused by the operator",
    "idle": "have nothing left to fetch",
}
FEW = 5


def now_page(frame: Frame, series: Series, spans: Sequence[tuple[str, float]], chosen: float) -> str:
    """Returns the page."""
    run = frame.overview.live
    return page(
        frame,
        "Now",
        live("alerts", _alerts(frame.overview.health)),
        live("tiles", _tiles(frame, series) if run is not None else _never(frame)),
        live("charts", _charts(series, spans, chosen), class_="grid two"),
        live(
            "slow",
            tag("div", _slow(run, frame.overview.standing), _busiest(run), class_="stack"),
            tag("div", _failures(run), _notes(run, frame.now), class_="stack"),
            class_="grid two",
        ),
    )


def _never(frame: Frame) -> Html:
    told = "It has not run here yet. Start it: "
    return tag(
        "p", told, tag("code", f"skitter crawl --out {frame.overview.directory} --api-port 8800"), class_="empty"
    )


def _alerts(health: Health) -> Html | None:
    if not health.reasons:
        return None
    items = [
        tag("li", reason, *([" ", tag("code", f"docs/runbooks/{runbook}.md")] if runbook else []))
        for reason, runbook in zip(health.reasons, health.runbooks, strict=True)
    ]
    return section("Needs a look", tag("ul", items, class_="alerts"), class_=f"alert {health.level}")


def _tiles(frame: Frame, series: Series) -> Html:
    run, standing = frame.overview.live, frame.overview.standing
    assert run is not None
    columns = series.columns
    failed = sum(run.failures.values())
    share = failed / run.requests if run.requests else 0.0
    gap = _margin(run)
    queued = run.urls.get("queued", 0)
    return tiles(
        tile(
            "Pages a second",
            rate(run.page_rate),
            f"{number(run.pages)} in this run",
            spark("Pages a second", columns.get("pages", ())),
        ),
        tile(
            "Errors",
            f"{share:.1%}",
            f"{number(failed)} of {number(run.requests)} requests",
            spark("Errors a second", columns.get("errors", ())),
            level="watch" if share > 0.2 and run.requests > 20 else "",
        ),
        tile("Queue", number(queued), _queue_note(run), spark("URLs queued", columns.get("urls_queued", ()))),
        tile("Fresh copies", *_fresh(run, standing), spark("Fresh copies", columns.get("fresh", ()))),
        tile(
            "Politeness margin",
            *gap,
            spark("Politeness margin", columns.get("margin", ())),
            level="ill" if run.margin is not None and run.margin < -0.001 else "",
        ),
        tile(
            "Received",
            f"{size(run.byte_rate)}/s",
            f"{size(run.received)} in this run",
            spark("Bytes a second", columns.get("received", ())),
        ),
    )


def _queue_note(run: Live) -> str:
    if not run.page_rate:
        return f"{number(run.in_flight)} under way"
    return f"{number(run.in_flight)} under way, {span(round(run.urls.get('queued', 0) / run.page_rate))} at this rate"


def _fresh(run: Live, standing: Status | None) -> tuple[str, str]:
    if run.fresh is None:
        return "–", "pages are not seen again"
    late = f"late by {span(round(run.late))} at most" if run.late >= 1 else "none is late"
    timely = (
        "" if standing is None or not standing.slos else f", {min(s.timely for s in standing.slos.values()):.0%} timely"
    )
    return f"{run.fresh:.0%}", f"{late}{timely}"


def _margin(run: Live) -> tuple[str, str]:
    if run.margin is None:
        return "–", "not measured yet"
    told = "closest gap over its delay" if run.margin >= -0.001 else "closer than a delay: see the audit"
    return f"{run.margin:+.3f} s", told


def _charts(series: Series, spans: Sequence[tuple[str, float]], chosen: float) -> Iterator[Html]:
    columns, at = series.columns, series.at
    names = [name for name in STATES if any(columns.get(f"urls_{name}", ()))]
    queue = [Line(_state(name), columns[f"urls_{name}"]) for name in names]
    speed = [Line(name, columns.get(name, [])) for name in ("pages", "requests", "errors")]
    yield tag(
        "p",
        "Over the last ",
        [
            tag("a", name, href=way("/", span=f"{seconds:.0f}"), aria_current="true" if seconds == chosen else None)
            for name, seconds in spans
        ],
        class_="spans",
    )
    yield section(
        "Throughput", chart("Throughput", at, speed, unit="a second", shown=lambda value: rate(value) if value else "0")
    )
    yield section(
        "Queue by state", chart("URLs", at, queue, unit="URLs", shown=lambda v: number(round(v)), is_stacked=True)
    )


def _state(name: str) -> str:
    return "under way" if name == "leased" else name


def _slow(run: Live | None, standing: Status | None) -> Html:
    """What most of the hosts and URLs wait for."""
    rows: list[Child] = []
    if run is not None:
        rows += [tag("li", f"Stands still: {trouble}", class_="ill") for trouble in run.troubles]
        known = sum(run.stages.values()) or 1
        ranked = sorted(((many, stage) for stage, many in run.stages.items() if many), reverse=True)
        rows += [
            tag("li", bar(many / known), tag("span", tag("b", counted(many, "host")), f" {STAGES.get(stage, stage)}"))
            for many, stage in ranked
        ]
    if standing is not None:
        for held in standing.held:
            most = "at least " if held.at_least else ""
            told = f"{most}{counted(held.urls, 'URL')} of {counted(held.hosts, 'host')}"
            names: list[Child] = [tag("a", name, href=way("/hosts", search=name)) for name in held.domains]
            spaced = [part for name in names for part in (name, " ")]
            rows.append(tag("li", tag("span", tag("b", told), f" wait {WAITS[held.standing]}: ", spaced)))
    nothing = tag("p", "Nothing is waiting.", class_="empty")
    return section("What is slow, and why", tag("ul", rows, class_="bars") if rows else nothing, note="hosts in memory")


def _failures(run: Live | None) -> Html:
    if run is None or not run.failures:
        return section("What failed", tag("p", "Nothing failed in this run.", class_="empty"))
    whole = sum(run.failures.values())
    ranked = sorted(run.failures.items(), key=lambda one: (-one[1], one[0]))
    kinds = set(Kind)
    rows = [
        tag(
            "li",
            bar(many / whole, "watch"),
            tag("span", tag("b", number(many)), f" {kind_in_words(kind)}"),
            tag("small", KINDS[Kind(kind)]) if kind in kinds else None,
        )
        for kind, many in ranked[:8]
    ]
    return section("What failed", tag("ul", rows, class_="bars"), note=f"{number(whole)} in this run")


def _busiest(run: Live | None) -> Html:
    rows = [
        (host_link(one.host), rate(one.rate), span(one.delay), one.stage)
        for one in (() if run is None else run.busiest)
    ]
    columns = [Column("Host"), Column("requests/s", is_number=True), Column("delay", is_number=True), Column("stage")]
    return section("Busiest hosts", table("Busiest hosts", columns, rows, empty="No host is being visited."))


def _notes(run: Live | None, now: float) -> Html:
    notes = [] if run is None else list(run.notes)[::-1][:FEW]
    items = [tag("li", time(note.at, now), " ", note.text) for note in notes]
    empty = tag("p", "Nothing happened that is worth a sentence.", class_="empty")
    more = tag("p", tag("a", "All that happened", href="/log"))
    return section("Lately", tag("ul", items, class_="notes") if items else empty, more)
