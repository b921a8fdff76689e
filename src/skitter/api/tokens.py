"""Who may ask: DIR/api-tokens, a line `NAME TOKEN` for each, readable by its owner alone.

A lease belongs to the name of the token that it was asked for with.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
from pathlib import Path

from skitter.errors import OperatorError

FILE = "api-tokens"
FIRST = "worker"
_LINE = re.compile(r"([A-Za-z0-9_.-]{1,64})\s+(\S{20,200})")


class Tokens:
    """The tokens of a file. They are never shown."""

    def __init__(self, tokens: dict[str, str]) -> None:
        self._tokens = {name: token.encode() for name, token in tokens.items()}

    def __repr__(self) -> str:
        return f"<Tokens of {', '.join(self._tokens)}>"

    def name_of(self, header: str) -> str | None:
        """Returns whose token an Authorization header has; None if it is nobody's. It takes as long for any."""
        given = header.removeprefix("Bearer ").strip().encode() if header.startswith("Bearer ") else b""
        found = None
        for name, token in self._tokens.items():
            if hmac.compare_digest(given, token):
                found = name
        return found


def tokens_in(path: Path) -> Tokens:
    """Returns the tokens of a file, which is made if it is not there. OperatorError if it can't be used."""
    if not path.exists():
        _make(path)
    try:
        if path.stat().st_mode & 0o077:
            raise OperatorError("api-tokens", str(path), "must be readable by its owner alone: chmod 600")
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise OperatorError("api-tokens", str(path), f"can't be read ({error})") from None
    rows = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    found = [_LINE.fullmatch(row) for row in rows]
    named = {one[1]: one[2] for one in found if one is not None}
    if len(named) != len(rows) or not rows:
        right = "must have lines `NAME TOKEN`, each name once, a token of 20 signs or more"
        raise OperatorError("api-tokens", str(path), right)
    return Tokens(named)


def token_in(path: Path) -> str:
    """Returns the token that a worker has: the first of a file, with its name or without."""
    try:
        words = path.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise OperatorError("--token-file", str(path), f"can't be read ({error})") from None
    if not words:
        raise OperatorError("--token-file", str(path), "must have a token in it")
    return words[1] if len(words) > 1 else words[0]


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return  # another node made it this moment
    with os.fdopen(file, "w", encoding="utf-8") as made:
        made.write(f"{FIRST} {secrets.token_urlsafe(32)}\n")
