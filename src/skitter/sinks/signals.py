"""Which rows of the text table their sites keep back from an export, and by which signal. Pure.

Whoever has the right to a use that is reserved, by contract or by law, says so for each signal (`--despite noai`), and
the manifest of the export records it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, TypeAlias

from skitter.content.optout import refused_in

Row: TypeAlias = Mapping[str, Any]

SIGNALS: Mapping[str, Callable[[Row], bool]] = {
    "noindex": lambda row: row.get("noindex") is True,
    "noarchive": lambda row: row.get("noarchive") is True,
    "nosnippet": lambda row: row.get("nosnippet") is True,
    "noai": lambda row: row.get("noai") is True,
    "tdm-reservation": lambda row: row.get("tdm_reservation") is True,
    "content-signal": lambda row: _refuses(row.get("content_signal")),
    "content-usage": lambda row: _refuses(row.get("content_usage")),
}


def signals_of(row: Row, despite: Collection[str]) -> Iterator[str]:
    """Yields the signals that keep a row back; those in `despite` do not."""
    return (name for name, says_so in SIGNALS.items() if name not in despite and says_so(row))


def _refuses(said: str | None) -> bool:
    return bool(said) and next(refused_in(said or ""), None) is not None
