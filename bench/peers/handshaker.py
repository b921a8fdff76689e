"""Opens connections one after another, with one GET on each: `handshaker.py CLIENT URL ROOT NUMBER`

Prints the CPU time of one of them in microseconds. ROOT is the certificate to trust.
"""

from __future__ import annotations

import asyncio
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

WARM = 30


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)  # of all threads
    return used.ru_utime + used.ru_stime


def _timed(number: int, once: Callable[[], object]) -> float:
    for _ in range(WARM):
        once()
    before = _spent()
    for _ in range(number):
        once()
    return _spent() - before


def ours(url: str, _root: Path, number: int) -> float:
    """Skitter's fetcher, which keeps no connection here; it trusts whom the environment names."""
    import uvloop

    from skitter.fetch.fetcher import HttpFetcher
    from skitter.messages import Errand, Lease
    from skitter.settings import FetchSettings

    lease = Lease(url, "host", Errand.PAGE, 0.0)
    address = [urlsplit(url).hostname or ""]

    async def main() -> float:
        settings = FetchSettings(max_connections=0)
        async with HttpFetcher(settings, user_agent="bench", refusal=lambda _: None) as http:
            for turn in range(WARM + number):
                if turn == WARM:
                    before = _spent()
                fetched = await http.fetch(lease, address)
                assert fetched.status == 200, fetched.failure
            return _spent() - before

    return uvloop.run(main())


def openssl(url: str, root: Path, number: int) -> float:
    """The same, as where no Rust toolchain was at hand."""
    from skitter.fetch import rustls as quick

    quick.IS_NATIVE = False
    return ours(url, root, number)


def asyncio_ssl(url: str, root: Path, number: int) -> float:
    """Python's own streams: what `ssl` does when nobody has tuned it."""
    import ssl

    import uvloop

    parts = urlsplit(url)
    context = ssl.create_default_context(cafile=str(root)) if parts.scheme == "https" else None
    request = f"GET {parts.path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode()

    async def once() -> None:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port, ssl=context)
        writer.write(request)
        assert b" 200 " in await reader.readuntil(b"\r\n\r\n")
        writer.transport.abort()

    async def main() -> float:
        for _ in range(WARM):
            await once()
        before = _spent()
        for _ in range(number):
            await once()
        return _spent() - before

    return uvloop.run(main())


def curl(url: str, root: Path, number: int) -> float:
    """libcurl with the OpenSSL that its wheel brings."""
    import pycurl

    handle: Any = pycurl.Curl()
    handle.setopt(pycurl.URL, url)
    handle.setopt(pycurl.CAINFO, str(root))
    handle.setopt(pycurl.FORBID_REUSE, 1)
    handle.setopt(pycurl.WRITEFUNCTION, lambda _: None)
    return _timed(number, handle.perform)


def rustls(url: str, root: Path, number: int) -> float:
    """reqwest on rustls, through pyreqwest."""
    from pyreqwest.client import SyncClientBuilder

    builder = SyncClientBuilder().pool_max_idle_per_host(0).http1_only()
    client: Any = builder.add_root_certificate_pem(root.read_bytes()).build()
    return _timed(number, lambda: client.get(url).build().send().bytes())


if __name__ == "__main__":
    name, where, trusted, times = sys.argv[1:]
    clients = {"ours": ours, "openssl": openssl, "ssl": asyncio_ssl, "curl": curl, "rustls": rustls}
    print(clients[name](where, Path(trusted), int(times)) / int(times) * 1e6)
