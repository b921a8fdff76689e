"""What a crawl costs a month, by how many pages it fetches a day. Pure."""

from __future__ import annotations

from msgspec import structs

from skitter.capacity.file import PlanFile
from skitter.capacity.lines import Line, drawn
from skitter.capacity.reckon import reckon

STEPS = 40
PARTS = ("nodes, $", "storage, $", "in all, $")


def picture(plan: PlanFile) -> str:
    """Returns an SVG picture, from nothing to twice the pages that are wanted."""
    most, points = plan.need.pages * 2, dict[str, list[tuple[float, float]]]((name, []) for name in PARTS)
    for step in range(1, STEPS + 1):
        need = structs.replace(plan.need, pages=most * step / STEPS)
        found = reckon(need, plan.costs, plan.prices, plan.machine)
        for name in PARTS:
            points[name].append((need.pages, found.value(name)))
    lines = [Line(name.removesuffix(", $"), points[name]) for name in PARTS]
    return drawn("What it costs a month", "pages a day", "$", lines)
