"""A sink to Elasticsearch (or OpenSearch): rows as documents, by its bulk requests.

    [plugins]
    use = ["elasticsearch:Elasticsearch"]

    [plugins.options."elasticsearch:Elasticsearch"]
    url = "http://127.0.0.1:9200"
    prefix = "crawl"

    [sinks]
    urls = ["plugin:elasticsearch:Elasticsearch"]

Rows come at least once. The `_id` of a document is the key of its row, so that one which comes again replaces itself.
"""

from __future__ import annotations

import hashlib
import json
import urllib.error
import urllib.request
from datetime import datetime
from typing import Any, Literal, NoReturn

from skitter import Rows, SinkError

AGAIN = frozenset({408, 429, 500, 502, 503, 504})
"""Statuses after which the same may work later."""


class Elasticsearch:
    """Writes to the index `prefix-table`."""

    def __init__(
        self, url: str, prefix: str = "skitter", tables: list[str] | None = None, timeout: float = 30.0
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError("url must be http://HOST:PORT or https://HOST:PORT")
        self._url = url.rstrip("/")
        self._prefix = prefix
        self._timeout = timeout
        self._lines: list[str] = []
        self._tables = tables or ["captures"]

    @property
    def tables(self) -> list[str]:
        """Those that it wants."""
        return self._tables

    def open(self) -> bytes | None:
        """Finds whether anybody is there. Bookmarks are kept by our caller."""
        self._lines = []
        self._asked("GET", "/", b"")
        return None

    def write(self, rows: Rows) -> None:
        """Takes rows; they are sent by `commit`."""
        for row in rows.rows:
            key = hashlib.sha256(repr((rows.table, *row[: rows.keys])).encode()).hexdigest()
            index = {"index": {"_index": f"{self._prefix}-{rows.table}", "_id": key}}
            document = {name: value for name, value in zip(rows.columns, row, strict=True) if value is not None}
            self._lines += [json.dumps(index), json.dumps(document, default=_written)]

    def commit(self, bookmark: bytes) -> None:  # noqa: ARG002
        """Returns when all that was written is in the index."""
        lines, self._lines = self._lines, []
        if not lines:
            return
        said = self._asked("POST", "/_bulk", "".join(f"{line}\n" for line in lines).encode())
        if said.get("errors"):
            worst = max((item["index"] for item in said["items"]), key=lambda one: int(one["status"]))
            self._refused(int(worst["status"]), json.dumps(worst.get("error"))[:300])

    def close(self) -> None:
        """Forgets what was not committed."""
        self._lines = []

    def _asked(self, method: str, path: str, body: bytes) -> dict[str, Any]:
        headers = {"Content-Type": "application/x-ndjson"}
        request = urllib.request.Request(f"{self._url}{path}", body or None, headers, method=method)  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as answer:  # noqa: S310 (as checked above)
                said = json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                self._refused(error.code, error.read(300).decode("utf-8", "replace"))
        except (OSError, ValueError) as error:
            raise SinkError(
                "away", f"Elasticsearch does not answer ({error})", self._url, "It is tried again."
            ) from None
        return said if isinstance(said, dict) else {}

    def _refused(self, status: int, why: str) -> NoReturn:
        kind: Literal["away", "refused"] = "away" if status in AGAIN else "refused"
        raise SinkError(kind, f"Elasticsearch says {status}: {why}", self._url, "It is tried again.")


def _written(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
