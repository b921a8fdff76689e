"""A name server asked over HTTPS (RFC 8484), with the standard library's client in threads of our own.

Names are asked for a few times a second, not for every request; so a handful of connections that stay open is enough.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import ssl
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from skitter.dns.message import question, reply_in
from skitter.dns.replies import NO_ANSWER, Reply, Said

CONNECTIONS = 16
_LARGEST = 65_535
_TYPE = "application/dns-message"


class HttpsServer:
    """The server at `address`, an https URL. Its own name is looked up by the system."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._url = urlsplit(address)
        self._path = (self._url.path or "/dns-query") + (f"?{self._url.query}" if self._url.query else "")
        self._threads: ThreadPoolExecutor | None = None
        self._idle: list[http.client.HTTPSConnection] = []

    def open(self) -> ThreadPoolExecutor:
        """Returns the threads that ask."""
        if self._threads is None:
            self._threads = ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="dns")
            self._tls = ssl.create_default_context()
        return self._threads

    async def ask(self, name: str, kind: str, timeout: float) -> Reply:
        """Returns what the server says about the records of `kind` (A or AAAA) of `name`, within `timeout`."""
        asking = asyncio.get_running_loop().run_in_executor(self.open(), self._asked, name, kind, timeout)
        try:
            async with asyncio.timeout(timeout):
                return await asking
        except TimeoutError:
            return NO_ANSWER
        except (OSError, http.client.HTTPException) as error:
            return Reply(Said.NOTHING, detail=str(error) or type(error).__name__)

    async def close(self) -> None:
        """Gives up the questions that are under way."""
        threads, self._threads = self._threads, None
        while self._idle:
            self._idle.pop().close()
        if threads is not None:
            threads.shutdown(wait=False, cancel_futures=True)

    def _asked(self, name: str, kind: str, timeout: float) -> Reply:
        message = question(name, kind)
        while self._idle:
            connection = self._idle.pop()
            # The server may have closed it since: then the question goes out again on the next.
            with contextlib.suppress(OSError, http.client.HTTPException):
                return self._exchange(connection, message, kind)
            connection.close()
        url = self._url
        connection = http.client.HTTPSConnection(str(url.hostname), url.port or 443, timeout=timeout, context=self._tls)
        try:
            return self._exchange(connection, message, kind)
        except BaseException:
            connection.close()
            raise

    def _exchange(self, connection: http.client.HTTPSConnection, message: bytes, kind: str) -> Reply:
        connection.request("POST", self._path, message, {"Content-Type": _TYPE, "Accept": _TYPE})
        answer = connection.getresponse()
        body = answer.read(_LARGEST + 1)
        if answer.will_close or not answer.isclosed():
            connection.close()
        elif self._threads is not None:
            self._idle.append(connection)
        if answer.status != 200 or answer.headers.get_content_type() != _TYPE or len(body) > _LARGEST:
            return Reply(Said.NOTHING, detail=f"status {answer.status}, {answer.headers.get_content_type()}")
        return reply_in(body, kind, _age(answer.headers.get("Age", "")))


def _age(text: str) -> float:
    return float(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0.0
