"""How worth is spread over domains and hosts, as SVG written by hand. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

WIDTH, PANEL, HEAD, FOOT, EDGE = 760, 180, 56, 30, 40
COLOURS = {"domain": "#0f766e", "host": "#6b7280"}
INK, PALE = "#1f2937", "#6b7280"


def drawn(spread: Mapping[str, Sequence[int]], note: str) -> str:
    """Returns the picture: a panel for each kind, with how many are in each part of worth."""
    height = HEAD + (PANEL + FOOT) * len(spread) + FOOT
    panels = [_panel(kind, bins, HEAD + place * (PANEL + FOOT)) for place, (kind, bins) in enumerate(spread.items())]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
            ' font-family="system-ui, sans-serif" font-size="12" role="img" aria-labelledby="title">',
            '<title id="title">How many domains and hosts are worth how much</title>',
            f'<rect width="{WIDTH}" height="{height}" rx="6" fill="#ffffff"/>',
            f'<text x="16" y="30" font-size="16" font-weight="600" fill="{INK}">Worth of domains and hosts</text>',
            *panels,
            f'<text x="16" y="{height - 12}" font-size="11" fill="{PALE}">{escape(note)}</text>',
            "</svg>",
            "",
        ]
    )


def _panel(kind: str, bins: Sequence[int], top: int) -> str:
    width, most = (WIDTH - 2 * EDGE) / len(bins), max(*bins, 1)
    bottom = top + PANEL
    bars = []
    for place, many in enumerate(bins):
        tall = (PANEL - 30) * many / most
        left = EDGE + place * width
        bars.append(
            f'<rect x="{left + 1:.1f}" y="{bottom - tall:.1f}" width="{width - 2:.1f}" height="{tall:.1f}" '
            f'fill="{COLOURS[kind]}"/>'
        )
        if many:
            bars.append(_text(left + width / 2, bottom - tall - 4, f"{many:,}", PALE, 9))
    marks = [_text(EDGE + (WIDTH - 2 * EDGE) * tenth / 10, bottom + 14, f"{tenth / 10:g}") for tenth in range(0, 11, 2)]
    title = f'<text x="{EDGE}" y="{top + 10}" font-weight="600" fill="{INK}">{sum(bins):,} {kind}s</text>'
    line = f'<path d="M{EDGE} {bottom}H{WIDTH - EDGE}" stroke="{PALE}"/>'
    return "".join([title, *bars, line, *marks])


def _text(x: float, y: float, text: str, colour: str = INK, size: int = 11) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="middle" fill="{colour}">{escape(text)}</text>'
    )
