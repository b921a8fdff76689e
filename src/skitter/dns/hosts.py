"""A file in the form of /etc/hosts: an address, then the names it answers to; `#` begins a comment."""

from __future__ import annotations

import ipaddress
from pathlib import Path

from skitter.errors import OperatorError

_KEY = "dns.hosts_file"

Hosts = dict[str, tuple[str, ...]]


def read_hosts(file: str) -> Hosts:
    """Returns the addresses of each name in `file`, in the order written; no file has no names."""
    if not file:
        return {}
    try:
        return parse_hosts(Path(file).read_text(encoding="utf-8"), file)
    except OSError as error:
        raise OperatorError(_KEY, file, f"can't be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise OperatorError(_KEY, file, f"is not UTF-8 (byte {error.start})") from None
    except ValueError as error:  # a NUL in the name
        raise OperatorError(_KEY, file, f"can't be read ({error})") from None


def parse_hosts(text: str, file: str) -> Hosts:
    """Returns the addresses of each name in `text`, which is the content of `file`."""
    found: dict[str, list[str]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        address, *names = line.partition("#")[0].split() or [""]
        if not address:
            continue
        if not names or not _is_address(address):
            right = f"line {number}: {line.strip()!r} is not an address and the names it answers to"
            raise OperatorError(_KEY, file, right)
        for name in names:
            known = found.setdefault(name.lower().removesuffix("."), [])
            if address not in known:
                known.append(address)
    return {name: tuple(addresses) for name, addresses in found.items()}


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
