"""Writes that are sent again: with the same Idempotency-Key they are done once, and answered the same for a day.

DIR/run/api-answers.sqlite holds what was answered; whoever kills us between the act and its answer has the act done
twice, which is harmless for each of them.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path

from starlette.responses import Response

from skitter.api.endpoints import Asked
from skitter.api.gate import SEALED
from skitter.api.problems import Problem
from skitter.clock import Clock

HEADER = "idempotency-key"
LONGEST = 200
KEPT = 86400.0
MOST = 10_000
_TABLE = "create table if not exists answers (who, key, body, status, answer, at, primary key (who, key))"


class Repeats:
    """What was answered to writes that had a key."""

    def __init__(self, file: Path, clock: Clock, most: int = MOST) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(file, isolation_level=None)
        self._db.execute("pragma journal_mode=wal")
        self._db.execute("pragma synchronous=normal")
        self._db.execute(_TABLE)
        self._clock = clock
        self._most = most
        self._under_way: set[tuple[str, str]] = set()

    def close(self) -> None:
        """Closes the file."""
        self._db.close()

    async def once(self, asked: Asked, raw: bytes, call: Callable[[], Awaitable[Response]]) -> Response:
        """Returns what was answered before to the same, or what `call` returns. Problem if the key was another's."""
        key = asked.request.headers.get(HEADER)
        if key is None:
            return await call()
        if not 0 < len(key) <= LONGEST:
            right = f"1 to {LONGEST} signs"
            raise Problem(400, "The key can't be used.", field="Idempotency-Key", value=key, right=right)
        mine = (asked.who.name, key)
        said = hashlib.sha256(f"{asked.request.method} {asked.request.url.path}\n".encode() + raw).hexdigest()
        if mine in self._under_way:
            raise Problem(409, "The same is under way.", field="Idempotency-Key", value=key, retry_after=1)
        if (before := self._before(mine, said)) is not None:
            return before
        self._under_way.add(mine)
        try:
            answer = await call()
            self._keep(mine, said, answer)
        finally:
            self._under_way.discard(mine)
        return answer

    def _before(self, mine: tuple[str, str], said: str) -> Response | None:
        row = self._db.execute(
            "select body, status, answer from answers where who = ? and key = ? and at > ?",
            (*mine, self._clock() - KEPT),
        ).fetchone()
        if row is None:
            return None
        if row[0] != said:
            right = "a new key for a new request"
            raise Problem(
                422, "The key was used for another request.", field="Idempotency-Key", value=mine[1], right=right
            )
        return Response(row[2], row[1], {**SEALED, "Idempotency-Replayed": "true"}, "application/json")

    def _keep(self, mine: tuple[str, str], said: str, answer: Response) -> None:
        now = self._clock()
        row = (*mine, said, answer.status_code, bytes(answer.body), now)
        self._db.execute("insert or replace into answers values (?, ?, ?, ?, ?, ?)", row)
        self._db.execute("delete from answers where at <= ?", (now - KEPT,))
        self._db.execute(
            "delete from answers where rowid in (select rowid from answers order by at desc limit -1 offset ?)",
            (self._most,),
        )
