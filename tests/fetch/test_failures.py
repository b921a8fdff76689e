"""Errors of the system and of TLS, and the kinds they become."""

from __future__ import annotations

import errno
import socket
import ssl

import pytest

from skitter.errors import MachineError
from skitter.fetch.failures import failure_of, raise_if_ours
from skitter.messages import Kind

ERRORS = [
    (ConnectionRefusedError(errno.ECONNREFUSED, "refused"), Kind.REFUSED),
    (ConnectionResetError(errno.ECONNRESET, "reset"), Kind.RESET),
    (ConnectionResetError("closed in the handshake"), Kind.RESET),
    (ConnectionAbortedError(), Kind.RESET),
    (BrokenPipeError(errno.EPIPE, "pipe"), Kind.RESET),
    (TimeoutError(errno.ETIMEDOUT, "slow"), Kind.CONNECT_TIMEOUT),
    (OSError(errno.EHOSTUNREACH, "no route"), Kind.UNREACHABLE),
    (OSError(errno.ENETUNREACH, "no net"), Kind.UNREACHABLE),
    (PermissionError(errno.EACCES, "firewall"), Kind.UNREACHABLE),
    (OSError(errno.EIO, "odd"), Kind.UNREACHABLE),
    (OSError("no number"), Kind.UNREACHABLE),
    (socket.gaierror(socket.EAI_NONAME, "name"), Kind.ADDRESS_REFUSED),
    (ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number"), Kind.TLS_FAILED),
    (ssl.SSLEOFError(8, "EOF"), Kind.TLS_FAILED),
    (ValueError("embedded null byte"), Kind.ADDRESS_REFUSED),
    (None, Kind.RESET),
]


@pytest.mark.parametrize(("error", "kind"), ERRORS, ids=repr)
def test_an_error_has_its_kind(error: BaseException | None, kind: Kind) -> None:
    assert failure_of(error).kind is kind


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM])
def test_a_machine_that_gives_way_is_not_the_hosts_fault(number: int) -> None:
    with pytest.raises(MachineError, match="ulimit"):
        raise_if_ours(OSError(number, "full"))


@pytest.mark.parametrize("error", [ConnectionRefusedError(errno.ECONNREFUSED, "no"), ValueError(), OSError()], ids=repr)
def test_what_others_do_is_not_the_machines_fault(error: Exception) -> None:
    raise_if_ours(error)
