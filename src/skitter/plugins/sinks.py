"""Sinks that are plug-ins: loaded in the process that feeds one. Whatever it raises is a sink that does not take rows.

That process is its own already, beside the crawl: if the sink hangs or leaks, only it has to be ended.
"""

from __future__ import annotations

import resource
from collections.abc import Callable, Collection
from typing import Any, TypeVar

from skitter.errors import MachineError, OperatorError, SinkError
from skitter.plugins.apart import Apart
from skitter.plugins.calls import Part
from skitter.plugins.loading import load
from skitter.ports import Rows, Sink
from skitter.settings import PluginSettings

R = TypeVar("R")
REMEDY = "Mend the plug-in: it is tried again, and nothing is lost meanwhile."


def require_sink(name: str, settings: PluginSettings, key: str, tables: Collection[str]) -> None:
    """Raises if there is no sink of that name among the plug-ins that are in use. It is loaded in another process."""
    if name not in settings.use:
        there = ", ".join(settings.use) or "which is empty"
        raise OperatorError(key, f"plugin:{name}", f"must be a plug-in of plugins.use: {there}")
    apart = Apart(name, settings)
    try:
        ready = apart.start()
    finally:
        apart.end()
    if Part.SINK not in ready.parts:
        raise OperatorError(key, f"plugin:{name}", "is no sink: it lacks write(rows)")
    if strange := [one for one in ready.tables if one not in tables]:
        raise OperatorError("plugins.use", name, f"wants the table {strange[0]}: there are {', '.join(tables)}")


def limit_memory(settings: PluginSettings) -> None:
    """Bounds the memory of this process, for good."""
    resource.setrlimit(resource.RLIMIT_AS, (settings.memory, settings.memory))


class PluginSink:
    """A sink of the operator. See `ports.Sink`."""

    def __init__(self, name: str, settings: PluginSettings) -> None:
        self._name = name
        self._sink: Sink = load(name, settings).plugin  # type: ignore[assignment]
        self.tables: Collection[str] = [*self._sink.tables]

    def open(self) -> bytes | None:
        """See `ports.Sink`."""
        bookmark = self._done(self._sink.open)
        if bookmark is not None and not isinstance(bookmark, bytes):
            raise self._trouble(f"open() returned {type(bookmark).__name__}, and not bytes or None")
        return bookmark

    def write(self, rows: Rows) -> None:
        """See `ports.Sink`."""
        self._done(self._sink.write, rows)

    def commit(self, bookmark: bytes) -> None:
        """See `ports.Sink`."""
        self._done(self._sink.commit, bookmark)

    def close(self) -> None:
        """See `ports.Sink`: whatever it raises is of no interest any more."""
        try:
            self._sink.close()
        except Exception:  # noqa: BLE001 (it is code of others; it may raise anything)
            return

    def _done(self, do: Callable[..., R], *what: Any) -> R:
        try:
            return do(*what)
        except (MachineError, OperatorError, MemoryError):
            raise
        except Exception as error:
            raise self._trouble(f"raised {type(error).__name__}: {error}"[:500]) from error

    def _trouble(self, what: str) -> SinkError:
        return SinkError("refused", f"The plug-in {what}", self._name, REMEDY)

    def __repr__(self) -> str:
        return f"<PluginSink {self._name}>"
