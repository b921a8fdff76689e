"""The table of hosts, made at intervals by `survey`, mapped into memory and paged by cursor.

A million hosts are some 100 MB that only the disk cache holds. The order by a column is found once for each table and
search, and kept; a page is then a binary search for its cursor and a few rows, however many hosts there are.
"""

from __future__ import annotations

import base64
from collections import OrderedDict
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
from msgspec import Struct, structs

from skitter.console.views import HostRow, HostsPage
from skitter.errors import OperatorError

COLUMNS = tuple(field.name for field in structs.fields(HostRow))
ORDERS = 12
"""Orders that are kept: eight bytes for each host and order."""

TYPES = {
    **dict.fromkeys(("host", "standing", "delay_because"), pa.string()),
    **dict.fromkeys(("queued", "done", "failed", "skipped", "dead", "requests", "pages", "failures"), pa.int64()),
    **dict.fromkeys(("next_at", "delay", "health", "last_request", "worth"), pa.float64()),
}
SCHEMA = pa.schema([(name, TYPES[name]) for name in COLUMNS])


class Cursor(Struct, frozen=True, array_like=True):
    """The last row of a page: what comes after it is the next one, in whichever table is then there."""

    value: str | float | None
    host: str


class HostTable:
    """One table, as of `as_of`. Its rows are sorted by host."""

    def __init__(self, file: Path, as_of: float) -> None:
        self.as_of = as_of
        self._table = pa.ipc.open_file(pa.memory_map(str(file))).read_all()
        self._orders: OrderedDict[tuple[str, bool, str], Any] = OrderedDict()

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def page(self, search: str, sort: str, *, descending: bool, cursor: str, limit: int) -> HostsPage:
        """Returns a page. OperatorError for a column or a cursor that is none."""
        if sort not in COLUMNS:
            raise OperatorError("sort", sort, f"must be one of {', '.join(COLUMNS)}")
        order = self._order(sort, descending, search.lower())
        begin = self._after(order, sort, descending, cursor) if cursor else 0
        rows = self._table.take(order[begin : begin + limit]).to_pylist()
        is_last = begin + limit >= len(order)
        next_ = None if is_last else written(Cursor(rows[-1][sort], rows[-1]["host"]))
        return HostsPage([HostRow(**row) for row in rows], next_, len(order), len(self), self.as_of)

    def _order(self, sort: str, descending: bool, search: str) -> Any:
        """Returns the places of the rows that are found, in order; ties are in the order of hosts."""
        key = (sort, descending, search)
        known = self._orders.pop(key, None)
        if known is None:
            known = self._found(sort, descending, search)
            while len(self._orders) >= ORDERS:
                self._orders.popitem(last=False)
        self._orders[key] = known
        return known

    def _found(self, sort: str, descending: bool, search: str) -> Any:
        direction = "descending" if descending else "ascending"
        if not search:
            return pc.sort_indices(self._table.column(sort), sort_keys=[("", direction)])
        places = pc.indices_nonzero(pc.match_substring(self._table.column("host"), search))
        return places.take(pc.sort_indices(self._table.column(sort).take(places), sort_keys=[("", direction)]))

    def _after(self, order: Any, sort: str, descending: bool, text: str) -> int:
        """Returns the place in an order of the first row that comes after a cursor."""
        cursor = read(text)
        low, high = 0, len(order)
        values, hosts = self._table.column(sort), self._table.column("host")
        is_text = pa.types.is_string(TYPES[sort])
        if cursor.value is not None and isinstance(cursor.value, str) is not is_text:
            raise OperatorError("cursor", text, "is of another column: begin without one")
        while low < high:
            middle = (low + high) // 2
            place = order[middle].as_py()
            row = Cursor(values[place].as_py(), hosts[place].as_py())
            if _is_after(row, cursor, descending):
                high = middle
            else:
                low = middle + 1
        return low


def _is_after(row: Cursor, cursor: Cursor, descending: bool) -> bool:
    if row.value == cursor.value:
        return row.host > cursor.host
    if row.value is None or cursor.value is None:
        return row.value is None  # those of which it is not known come last, either way
    is_more: bool = row.value > cursor.value  # type: ignore[operator]
    return is_more is not descending


def written(cursor: Struct) -> str:
    """Returns a cursor as text that nobody needs to understand."""
    return base64.urlsafe_b64encode(msgspec.msgpack.encode(cursor)).decode().rstrip("=")


def read(text: str) -> Cursor:
    """Returns the cursor that a text is. OperatorError if it is none of ours."""
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        return msgspec.msgpack.decode(raw, type=Cursor)
    except (ValueError, msgspec.DecodeError):
        raise OperatorError("cursor", text, "is none that a page had: begin without one") from None
