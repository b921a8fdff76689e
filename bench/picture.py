"""Bars as SVG, written by hand: what a page costs each contender."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

WIDTH, NAMES, FIGURES = 760, 190, 110
ROW, BAR, HEAD, FOOT, NOTE = 30, 18, 52, 14, 16
OURS, THEIRS, INK, PALE = "#0f766e", "#9ca3af", "#1f2937", "#6b7280"


class Bar(NamedTuple):
    """One contender."""

    name: str
    cost: float  # CPU seconds for a thousand pages
    is_ours: bool = False


def drawn(bars: Sequence[Bar], notes: Sequence[str]) -> str:
    """Returns the picture, the cheapest first. `notes` say what was measured, where and when, a line each."""
    ordered = sorted(bars, key=lambda bar: bar.cost)
    height = HEAD + ROW * len(ordered) + FOOT + NOTE * len(notes)
    most = max((bar.cost for bar in ordered), default=1.0)
    rows = [_row(bar, HEAD + ROW * place, most) for place, bar in enumerate(ordered)]
    told = ", ".join(f"{bar.name} {bar.cost:.2f}" for bar in ordered)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
            ' font-family="system-ui, sans-serif" font-size="14" role="img" aria-labelledby="title">',
            f'<title id="title">CPU seconds for 1000 pages, less is better: {escape(told)}</title>',
            f'<rect width="{WIDTH}" height="{height}" rx="6" fill="#ffffff"/>',
            f'<text x="16" y="30" font-size="16" font-weight="600" fill="{INK}">'
            "CPU seconds for 1000 pages (less is better)</text>",
            *rows,
            *(_note(note, height - FOOT - NOTE * place) for place, note in enumerate(reversed(notes))),
            "</svg>",
            "",
        ]
    )


def _row(bar: Bar, top: int, most: float) -> str:
    width = max(1.0, (WIDTH - NAMES - FIGURES) * bar.cost / most)
    middle = top + BAR - 4
    colour = OURS if bar.is_ours else THEIRS
    weight = ' font-weight="600"' if bar.is_ours else ""
    return (
        f'<text x="{NAMES - 10}" y="{middle}" text-anchor="end"{weight} fill="{INK}">{escape(bar.name)}</text>'
        f'<rect x="{NAMES}" y="{top}" width="{width:.1f}" height="{BAR}" rx="2" fill="{colour}"/>'
        f'<text x="{NAMES + width + 8:.1f}" y="{middle}"{weight} fill="{INK}">{bar.cost:.2f}</text>'
    )


def _note(text: str, bottom: int) -> str:
    return f'<text x="16" y="{bottom}" font-size="11" fill="{PALE}">{escape(text)}</text>'
