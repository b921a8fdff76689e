"""What goes wrong below HTTP, mapped once to the kinds of failure that the rest of the crawler knows."""

from __future__ import annotations

import errno
import socket
import ssl

from skitter.errors import MachineError
from skitter.messages import Failure, Kind

_KINDS = {
    errno.ECONNREFUSED: Kind.REFUSED,
    errno.ECONNRESET: Kind.RESET,
    errno.ECONNABORTED: Kind.RESET,
    errno.EPIPE: Kind.RESET,
    errno.ESHUTDOWN: Kind.RESET,
    errno.ENOTCONN: Kind.RESET,
    errno.ETIMEDOUT: Kind.CONNECT_TIMEOUT,
    errno.ENETUNREACH: Kind.UNREACHABLE,
    errno.EHOSTUNREACH: Kind.UNREACHABLE,
    errno.ENETDOWN: Kind.UNREACHABLE,
    errno.EHOSTDOWN: Kind.UNREACHABLE,
    errno.EADDRNOTAVAIL: Kind.UNREACHABLE,
    errno.EAFNOSUPPORT: Kind.UNREACHABLE,
    errno.EACCES: Kind.UNREACHABLE,
    errno.EPERM: Kind.UNREACHABLE,
    errno.EINVAL: Kind.UNREACHABLE,
}
# Not the web's fault: going on would fail every page alike and blame the hosts for it.
_MACHINE = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


def failure_of(error: BaseException | None) -> Failure:
    """Returns the failure that `error` is: of the system, of TLS, or of a connection that is simply gone."""
    match error:
        case ssl.SSLCertVerificationError():
            return Failure(Kind.BAD_CERTIFICATE, error.verify_message)
        case ssl.SSLError():
            return Failure(Kind.TLS_FAILED, getattr(error, "reason", None) or str(error))
        case socket.gaierror() | ValueError():
            return Failure(Kind.ADDRESS_REFUSED, "not an address")
        case ConnectionError() if error.errno is None:  # asyncio's own: closed in the middle of a handshake
            return Failure(Kind.RESET, str(error))
        case OSError():
            return Failure(_KINDS.get(error.errno or 0, Kind.UNREACHABLE), error.strerror or str(error))
    return Failure(Kind.RESET, "connection lost")


def raise_if_ours(error: Exception) -> None:
    """Raises MachineError if it is not the other side that failed, but this machine."""
    if isinstance(error, OSError) and error.errno in _MACHINE:
        remedy = "Raise the limit of open files (ulimit -n) or lower fetch.max_connections"
        raise MachineError("open a connection", str(error), remedy) from error
