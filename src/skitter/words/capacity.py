"""A figure of a plan as people read it."""

from __future__ import annotations

from skitter.capacity.reckon import Figure, Unit
from skitter.words.figures import rate, size


def figure_in_words(figure: Figure) -> str:
    """Returns `1.2 TB`, `$340`."""
    match figure.unit:
        case Unit.BYTES:
            return size(figure.value)
        case Unit.SPEED:
            return f"{size(figure.value)}/s"
        case Unit.MONEY:
            return f"${figure.value:,.0f}" if figure.value >= 100 else f"${figure.value:,.2f}"
        case Unit.NODES:
            return f"{figure.value:,.0f}"
        case _:
            return rate(figure.value) if figure.value >= 1 or not figure.value else f"{figure.value:.2g}"
