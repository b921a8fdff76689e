"""Asks the API that the operator has named: no address from the web, so that the guard has no say here."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import ssl
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from skitter.errors import OperatorError

THREADS = 16
LARGEST = 64 * 1024**2


class AwayError(Exception):
    """The API does not answer, or has no answer just now: the same may work later."""


class Refused(NamedTuple):
    """A problem that the API told of."""

    status: int
    detail: str


class Client:
    """One API. Questions go out on threads, each with a connection of its own, which is kept for the next."""

    def __init__(self, url: str, token: str, cafile: str | None = None) -> None:
        self._url = urlsplit(url)
        if self._url.scheme not in ("http", "https") or not self._url.hostname:
            raise OperatorError("--api", url, "must be http://127.0.0.1:PORT or https://HOST:PORT")
        self._tls = ssl.create_default_context(cafile=cafile) if self._url.scheme == "https" else None
        self._token = token
        self._idle: list[http.client.HTTPConnection] = []
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="api")

    def __repr__(self) -> str:
        return f"<Client of {self._url.netloc}>"

    def close(self) -> None:
        """Gives up what is under way."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for connection in self._idle:
            connection.close()

    async def ask(self, method: str, path: str, body: object = None, wanted: Any = Any, timeout: float = 15.0) -> Any:
        """Returns the answer as it is `wanted`, or why it is `Refused`. AwayError if the same may work later."""
        raw = b"" if body is None else msgspec.json.encode(body)
        loop = asyncio.get_running_loop()
        try:
            status, answer = await loop.run_in_executor(self._threads, self._exchange, method, path, raw, timeout)
        except ssl.SSLCertVerificationError as error:
            raise OperatorError("--api", self._url.geturl(), f"has no certificate that is in order ({error})") from None
        except (OSError, http.client.HTTPException) as error:
            raise AwayError(str(error) or type(error).__name__) from None
        if status in (502, 503, 504):
            raise AwayError(f"status {status}")
        try:
            if status >= 400:
                return Refused(status, str(msgspec.json.decode(answer).get("detail", "")))
            return msgspec.json.decode(answer, type=wanted) if answer else None
        except (ValueError, AttributeError) as error:
            raise AwayError(f"what it says can't be read ({error})") from None

    def _exchange(self, method: str, path: str, raw: bytes, timeout: float) -> tuple[int, bytes]:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        while self._idle:
            connection = self._idle.pop()
            # The server may have closed it since: then the question goes out again on the next.
            with contextlib.suppress(OSError, http.client.HTTPException):
                return self._exchanged(connection, method, path, raw, headers, timeout)
            connection.close()
        connection = self._connection(timeout)
        try:
            return self._exchanged(connection, method, path, raw, headers, timeout)
        except BaseException:
            connection.close()
            raise

    def _exchanged(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        raw: bytes,
        headers: dict[str, str],
        timeout: float,
    ) -> tuple[int, bytes]:
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        connection.request(method, path, raw or None, headers)
        answer = connection.getresponse()
        body = answer.read(LARGEST)
        if answer.will_close or not answer.isclosed():
            connection.close()
        else:
            self._idle.append(connection)
        return answer.status, body

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        host, port = str(self._url.hostname), self._url.port
        if self._tls is not None:
            return http.client.HTTPSConnection(host, port or 443, timeout=timeout, context=self._tls)
        return http.client.HTTPConnection(host, port or 80, timeout=timeout)
