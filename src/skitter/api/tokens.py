"""Who may ask: DIR/api-tokens, a line `NAME TOKEN ROLE` for each, readable by its owner alone.

A lease belongs to the name of the token that it was asked for with, and so does a line of the log of changes.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from skitter.errors import OperatorError

FILE = "api-tokens"
_LINE = re.compile(r"([A-Za-z0-9_.-]{1,64})\s+(\S{20,200})(?:\s+(read|operator|worker))?")


class Role(StrEnum):
    """What a token is for."""

    READ = "read"  # look
    OPERATOR = "operator"  # look, and tell the crawl what to do
    WORKER = "worker"  # have leases, and nothing else


MAY: Mapping[Role, frozenset[Role]] = {
    Role.READ: frozenset({Role.READ}),
    Role.OPERATOR: frozenset(Role),
    Role.WORKER: frozenset({Role.WORKER}),
}
"""By role: all that it may do."""


class Who(Struct, frozen=True):
    """Somebody who has a token."""

    name: str
    role: Role

    def may(self, role: Role) -> bool:
        """Whether they may do what a role is for."""
        return role in MAY[self.role]


class Tokens:
    """The tokens of a file. They are never shown."""

    def __init__(self, tokens: Mapping[str, tuple[str, Role]]) -> None:
        self._tokens = {Who(name, role): token.encode() for name, (token, role) in tokens.items()}

    def __repr__(self) -> str:
        return f"<Tokens of {', '.join(who.name for who in self._tokens)}>"

    def who_asks(self, header: str) -> Who | None:
        """Returns whose token an Authorization header has; None if it is nobody's."""
        return self.who_has(header.removeprefix("Bearer ").strip()) if header.startswith("Bearer ") else None

    def who_has(self, token: str) -> Who | None:
        """Returns whose token this is; None if it is nobody's. It takes as long for any."""
        found = None
        for who, known in self._tokens.items():
            if hmac.compare_digest(token.encode("utf-8", "replace"), known):
                found = who
        return found

    def keyed(self) -> Mapping[str, tuple[Who, bytes]]:
        """Returns for each name who it is and the secret that proves it."""
        return {who.name: (who, token) for who, token in self._tokens.items()}


def tokens_in(path: Path) -> Tokens:
    """Returns the tokens of a file, which is made if it is not there. OperatorError if it can't be used."""
    if not path.exists():
        _make(path)
    rows = _rows(path, "api-tokens")
    if path.stat().st_mode & 0o077:
        raise OperatorError("api-tokens", str(path), "must be readable by its owner alone: chmod 600")
    found = [_LINE.fullmatch(row) for row in rows]
    named = {one[1]: (one[2], Role(one[3] or Role.WORKER)) for one in found if one is not None}
    if len(named) != len(rows) or not rows or len({token for token, _ in named.values()}) != len(rows):
        right = (
            "must have lines `NAME TOKEN ROLE`, each name and token once, a token of 20 signs or more; "
            f"ROLE is one of {', '.join(Role)} (worker, if there is none)"
        )
        raise OperatorError("api-tokens", str(path), right)
    return Tokens(named)


def token_in(path: Path) -> str:
    """Returns the token that a worker has: the first of a worker in a file, or a token alone."""
    lines = [row.split() for row in _rows(path, "--token-file")]
    found = next((words for words in lines if len(words) < 3 or words[2] == Role.WORKER), None)
    if found is None:
        raise OperatorError("--token-file", str(path), "must have a token of a worker in it")
    return found[min(1, len(found) - 1)]


def token_of(path: Path, role: Role) -> str:
    """Returns the first token of a role in a file that is in order."""
    lines = (row.split() for row in _rows(path, "api-tokens"))
    return next(words[1] for words in lines if words[-1] == role)


def _rows(path: Path, key: str) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise OperatorError(key, str(path), f"can't be read ({error})") from None
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return  # another node made it this moment
    with os.fdopen(file, "w", encoding="utf-8") as made:
        for role in (Role.WORKER, Role.OPERATOR, Role.READ):
            made.write(f"{role} {secrets.token_urlsafe(32)} {role}\n")
