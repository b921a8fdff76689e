"""Plan: what a crawl would take, before the bill. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from skitter.api.dashboard.frame import Frame, page, section
from skitter.api.dashboard.html import Child, Html, tag
from skitter.api.dashboard.parts import Column, field, table
from skitter.capacity.need import Need
from skitter.capacity.reckon import Capacity
from skitter.words.capacity import figure_in_words

FIELDS = (
    ("pages", "Pages a day"),
    ("page_bytes", "Bytes a page"),
    ("hosts", "Hosts with pages for us"),
    ("urls", "URLs known"),
    ("delay", "Seconds between requests to a host"),
    ("keep_days", "Days that are kept"),
    ("rendered", "Share that needs a browser"),
)


def plan_page(frame: Frame, need: Need, found: Capacity | None, given: Mapping[str, str], wrong: str = "") -> str:
    """Returns the page. `wrong` says what can't be."""
    inputs = [
        field(name, label, given.get(name) or f"{getattr(need, name):.12g}", inputmode="decimal")
        for name, label in FIELDS
    ]
    form = tag(
        "form", inputs, tag("p", tag("button", "Reckon"), class_="field"), method="get", action="/plan", class_="form"
    )
    return page(
        frame,
        "Plan",
        section(
            "What is wanted",
            form,
            tag("p", wrong, role="alert", class_="wrong") if wrong else None,
            note="costs as measured, prices as assumed: skitter plan --print shows all",
        ),
        None if found is None else [tag("p", problem, class_="wrong", role="alert") for problem in found.problems],
        None if found is None else tag("div", _parts(found), class_="columns"),
    )


def _parts(found: Capacity) -> Sequence[Html]:
    columns = [Column("What"), Column("How much", is_number=True), Column("How it came about")]
    made: list[Html] = []
    for part in dict.fromkeys(figure.part for figure in found.figures):
        rows: list[Sequence[Child]] = [
            (one.name.removesuffix(", $"), figure_in_words(one), tag("span", one.how, class_="muted"))
            for one in found.figures
            if one.part == part
        ]
        made.append(section(part.capitalize(), table(part.capitalize(), columns, rows)))
    return made
