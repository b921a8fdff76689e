"""Fleet: the nodes of the crawl, and the shards that they own. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from skitter.api.dashboard.frame import Frame, live, page, section
from skitter.api.dashboard.html import Child, Html, tag
from skitter.api.dashboard.parts import Column, badge, facts, table, tile, tiles, time
from skitter.console.views import Live
from skitter.inspection.status import Status
from skitter.supervisor.nodelines import NodeLine
from skitter.words.figures import number, size, span


def fleet_page(frame: Frame) -> str:
    """Returns the page."""
    run = frame.overview.live
    return page(
        frame,
        "Fleet",
        live("nodes", _tiles(frame, run), section("Nodes", _nodes(run))),
        live(
            "shards",
            section("Shards", _shards(run), note="URLs queued"),
            section("Archive", _archive(frame.overview.standing, frame.now)),
            class_="grid two",
        ),
    )


def _tiles(frame: Frame, run: Live | None) -> Html | None:
    if run is None:
        return None
    shards = sum(len(line.queued) for line in run.lines)
    return tiles(
        tile("Nodes up", f"{run.ready} of {run.nodes}", level="" if run.ready == run.nodes else "watch"),
        tile("Shards owned", number(shards)),
        tile("Restarts", number(sum(line.restarts for line in run.lines)), "in this run"),
        tile("Last word", time(run.at, frame.now), "of the supervisor"),
    )


def _nodes(run: Live | None) -> Html:
    columns = [
        Column("Node"),
        Column("State"),
        Column("Pages", is_number=True),
        Column("Requests", is_number=True),
        Column("Failures", is_number=True),
        Column("Under way", is_number=True),
        Column("Hosts in memory", is_number=True),
        Column("Queued", is_number=True),
        Column("Shards", is_number=True),
        Column("Restarts", is_number=True),
        Column("Trouble"),
    ]
    lines: Sequence[NodeLine] = () if run is None else run.lines
    rows: list[Sequence[Child]] = [
        (
            f"node {line.number}",
            badge("up", "well") if line.is_up else badge("down, being started", "ill"),
            number(line.pages),
            number(line.requests),
            number(line.failures),
            number(line.in_flight),
            number(line.hosts),
            number(sum(line.queued.values())),
            number(len(line.queued)),
            number(line.restarts),
            line.trouble or "none",
        )
        for line in lines
    ]
    return table("Nodes", columns, rows, empty="No node has reported yet.")


def _shards(run: Live | None) -> Html:
    owned = sorted(
        (shard, line.number, many) for line in (() if run is None else run.lines) for shard, many in line.queued.items()
    )
    columns = [Column("Shard"), Column("Owner"), Column("Queued", is_number=True)]
    rows: list[Sequence[Child]] = [(f"shard {shard}", f"node {node}", number(many)) for shard, node, many in owned]
    return tag("div", table("Shards", columns, rows, empty="No shard is open."), class_="tall")


def _archive(standing: Status | None, now: float) -> Html:
    if standing is None:
        return tag("p", "Being counted for the first time.", class_="empty")
    rows: list[tuple[str, Child]] = [
        ("WARC files", f"{number(standing.archive.files)}, {size(standing.archive.bytes)}"),
        ("Instructions that wait", number(standing.instructions)),
        ("Last request", time(standing.last_request, now, "none")),
    ]
    if standing.bucket is not None:
        waiting = standing.bucket.waiting
        rows += [
            ("Bucket", standing.bucket.address),
            ("Waits for the bucket", f"{number(waiting.files)} files, {size(waiting.bytes)}"),
        ]
    rows += [(f"Sink {sink.sink}", sink.trouble or f"{span(sink.lag_seconds)} behind") for sink in standing.sinks]
    return facts(rows)
