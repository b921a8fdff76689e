"""Lines in a picture, as SVG written by hand. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 320, 64, 24, 56, 48
COLOURS = ("#0f766e", "#b45309", "#4338ca", "#6b7280")
INK, PALE = "#1f2937", "#6b7280"


class Line(NamedTuple):
    """A name and its points."""

    name: str
    points: Sequence[tuple[float, float]]


def drawn(title: str, across: str, up: str, lines: Sequence[Line]) -> str:
    """Returns a picture of `lines`, both ways from nought."""
    most_x = max(x for line in lines for x, _ in line.points)
    most_y = max(y for line in lines for _, y in line.points) * 1.05

    def place(x: float, y: float) -> tuple[float, float]:
        return LEFT + (WIDTH - LEFT - RIGHT) * x / most_x, HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y / most_y

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
        ' font-family="system-ui, sans-serif" font-size="11" role="img" aria-labelledby="title">',
        f'<title id="title">{escape(title)}</title><rect width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#ffffff"/>',
        f'<text x="16" y="28" font-size="16" font-weight="600" fill="{INK}">{escape(title)}</text>',
    ]
    for step in range(5):
        value = most_y * step / 4
        _, y = place(0, value)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#e5e7eb"/>')
        parts.append(_text(LEFT - 8, y + 4, f"{value:,.3g}", "end"))
        x, _ = place(most_x * step / 4, 0)
        parts.append(_text(x, HEIGHT - BOTTOM + 16, f"{most_x * step / 4:,.0f}", "middle"))
    parts.append(_text((WIDTH + LEFT) / 2, HEIGHT - 12, across, "middle"))
    parts.append(_text(LEFT - 8, TOP - 10, up, "end"))
    for number, line in enumerate(lines):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in line.points))
        colour = COLOURS[number % len(COLOURS)]
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<rect x="{WIDTH - 260}" y="{TOP - 14 + 18 * number}" width="12" height="4" fill="{colour}"/>')
        parts.append(_text(WIDTH - 240, TOP - 8 + 18 * number, line.name, "start"))
    return "\n".join([*parts, "</svg>", ""])


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{PALE}">{escape(text)}</text>'
