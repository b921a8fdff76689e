"""A webhook: batches of rows as POST requests, signed as the Standard Webhooks specification says.

    webhook-id: BATCH   webhook-timestamp: SECONDS   webhook-signature: v1,BASE64
    signature = HMAC-SHA-256(secret, "BATCH.SECONDS.BODY")
    body: {"rows": [{"table": "captures", …}, …]}

An answer of 2xx means that the batch is safe there; all else, and silence, that it comes again. A batch that comes
again has its id again, unless we were killed in between: then its rows say by their keys that they were there.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import http.client
import ssl
import time
from collections.abc import Callable, Collection
from typing import Literal
from urllib.parse import urlsplit

from skitter.errors import SinkError
from skitter.ports import Rows
from skitter.sinks.objects import objects

TIMEOUT = 30.0
MOST_ROWS, MOST_BYTES = 1000, 1024**2
"""Of one request, but for a single row that is larger."""
WAITS = "It is tried again by itself, and nothing is lost: the rows are in the archive."
SOON = frozenset({408, 409, 425, 429})
"""Refusals that pass, beside all of 5xx."""


def signature(secret: bytes, batch: str, seconds: int, body: bytes) -> str:
    """Returns the value of `webhook-signature`."""
    told = b".".join([batch.encode(), str(seconds).encode(), body])
    return "v1," + base64.b64encode(hmac.digest(secret, told, "sha256")).decode()


class WebhookSink:
    """One URL. See `ports.Sink`."""

    def __init__(
        self,
        url: str,
        secret: bytes,
        tables: Collection[str],
        *,
        timeout: float = TIMEOUT,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.tables = tables
        self._url = url
        self._secret = secret
        self._timeout = timeout
        self._clock = clock
        self._held: list[bytes] = []
        self._connection: http.client.HTTPConnection | None = None

    def open(self) -> bytes | None:
        """See `ports.Sink`. Nothing is asked before there are rows."""
        self._held = []
        return None

    def write(self, rows: Rows) -> None:
        """See `ports.Sink`."""
        self._held += objects(rows)

    def commit(self, bookmark: bytes) -> None:  # noqa: ARG002
        """See `ports.Sink`."""
        while self._held:
            many = self._take()
            self._post(b'{"rows":[' + b",".join(self._held[:many]) + b"]}")
            del self._held[:many]

    def close(self) -> None:
        """See `ports.Sink`."""
        self._held = []
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(OSError):
                connection.close()

    def _take(self) -> int:
        size = 0
        for many, row in enumerate(self._held[:MOST_ROWS]):
            size += len(row)
            if size > MOST_BYTES:
                return max(1, many)
        return min(MOST_ROWS, len(self._held))

    def _post(self, body: bytes) -> None:
        batch, seconds = hashlib.sha256(body).hexdigest()[:32], int(self._clock())
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "skitter",
            "webhook-id": batch,
            "webhook-timestamp": str(seconds),
            "webhook-signature": signature(self._secret, batch, seconds, body),
        }
        status, said = self._ask(body, headers)
        if 200 <= status < 300:
            return
        kind: Literal["away", "refused"] = "away" if status >= 500 or status in SOON else "refused"
        remedy = WAITS if kind == "away" else "See what it says, and mend it there: it then goes on by itself."
        raise SinkError(kind, f"The webhook answered {status} {said}".strip(), self._url, remedy)

    def _ask(self, body: bytes, headers: dict[str, str]) -> tuple[int, str]:
        parts = urlsplit(self._url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        try:
            connection = self._connection = self._connection or self._connected()
            connection.request("POST", target, body, headers)
            answer = connection.getresponse()
            said = answer.read(4096).decode("utf-8", "replace").strip()[:200]
            if not answer.isclosed():  # more than anyone needs to say
                self._drop()
        except (OSError, http.client.HTTPException) as error:
            self._drop()
            raise self._trouble(error) from error
        return answer.status, said

    def _connected(self) -> http.client.HTTPConnection:
        parts = urlsplit(self._url)
        assert parts.hostname is not None, "checked by `address`"
        if parts.scheme == "http":
            return http.client.HTTPConnection(parts.hostname, parts.port, timeout=self._timeout)
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(parts.hostname, parts.port, timeout=self._timeout, context=context)

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _trouble(self, error: Exception) -> SinkError:
        if isinstance(error, ssl.SSLCertVerificationError):
            words = f"The webhook's certificate is not good ({error.verify_message})"
            return SinkError("refused", words, self._url, "Give it one that this machine trusts.")
        said = "no answer in time" if isinstance(error, TimeoutError) else str(error) or type(error).__name__
        return SinkError("away", f"The webhook can't be reached ({said})", self._url, WAITS)

    def __repr__(self) -> str:
        return f"<WebhookSink {self._url} {len(self._held)} held>"
