"""The classes of hosts that the operator has set. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from skitter.errors import OperatorError
from skitter.schedule.recrawl import HostClass


def parsed(rows: Sequence[str]) -> dict[str, HostClass]:
    """Returns the classes by name. OperatorError for a row that means nothing."""
    return dict(_parsed(f"schedule.classes[{place}]", row) for place, row in enumerate(rows))


def _parsed(field: str, row: str) -> tuple[str, HostClass]:
    name, _, kind = row.strip().rpartition(" ")
    if not name.strip() or kind not in list(HostClass):
        raise OperatorError(field, row, f"must be HOST and one of {', '.join(HostClass)}, as `example.org news`")
    return name.strip().lower().lstrip("."), HostClass(kind)


def given_to(host: str, classes: Mapping[str, HostClass]) -> HostClass | None:
    """Returns the class that was set for a host, or for the longest name that it is below."""
    name, _, port = host.rpartition(":")
    name = name if name and port.isdecimal() else host
    while classes and name:
        if name in classes:
            return classes[name]
        name = name.partition(".")[2]
    return None
