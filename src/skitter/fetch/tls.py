"""TLS as a client, by Python's `ssl`: whom we trust, and what is remembered of servers."""

from __future__ import annotations

import ssl
import sys
from pathlib import Path
from typing import NamedTuple


class Server(NamedTuple):
    """Whom a certificate is for, and where it is shown."""

    name: str
    port: int


class Remembered:
    """At most `limit` servers, each for `seconds`. Who was heard of longest ago is forgotten first."""

    def __init__(self, limit: int, seconds: float) -> None:
        self._limit, self._seconds = limit, seconds
        self._since: dict[Server, float] = {}

    def add(self, server: Server, now: float) -> None:
        """Remembers the server from now on."""
        self._since.pop(server, None)
        if len(self._since) >= self._limit:
            del self._since[next(iter(self._since))]
        self._since[server] = now

    def has(self, server: Server, now: float) -> bool:
        """Returns whether the server was heard of, not too long ago."""
        since = self._since.get(server)
        return since is not None and now - since < self._seconds

    def __len__(self) -> int:
        return len(self._since)


def verifying() -> ssl.SSLContext:
    """Returns a context that trusts whom the system trusts, or whom SSL_CERT_FILE and SSL_CERT_DIR name."""
    context = _context()
    if sys.version_info >= (3, 13):  # as `ssl.create_default_context` has it
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN | ssl.VERIFY_X509_STRICT
    bundle = bundled()
    if bundle is not None and bundle.is_all:
        context.load_verify_locations(bundle.file)
    else:
        context.load_default_certs()
    return context


def trusting() -> ssl.SSLContext:
    """Returns a context that takes any certificate: what comes by it has to be marked."""
    context = _context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


class Bundle(NamedTuple):
    """A file of certificates that are trusted, and whether no others are."""

    file: Path
    is_all: bool


def bundled() -> Bundle | None:
    """Returns the bundle that the system or SSL_CERT_FILE names; that is all if it lies in the directory of trust.

    It was made from that directory then, which OpenSSL 3.0 would read through in every handshake, for whoever signed
    between a root and a server.
    """
    paths = ssl.get_default_verify_paths()
    if not paths.cafile:
        return None
    file = Path(paths.cafile).resolve()
    return Bundle(file, not paths.capath or file.parent == Path(paths.capath).resolve())


def _context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_alpn_protocols(["http/1.1"])
    context.sslobject_class = _Wrapped
    return context


class _Wrapped(ssl.SSLObject):
    def getpeercert(self, _binary_form: bool = False) -> None:  # type: ignore[override,unused-ignore]
        """Returns nothing: event loops ask after every handshake, and to take a certificate apart is not cheap."""
