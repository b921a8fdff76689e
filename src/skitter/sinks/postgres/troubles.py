"""What PostgreSQL complains of, as errors of ours: who has to do what. No error names a password."""

from __future__ import annotations

import re
from typing import Literal

import psycopg

from skitter.errors import SinkError

WAITS = "It is tried again by itself, and nothing is lost: the rows are in the archive."

# By the first signs of SQLSTATE, the first that fits; what is in no row is refused: waiting would not mend it.
AWAY = ("08", "40", "53", "55", "57", "58", "25006", "XX")
RIGHTS = {
    "42501": "Grant CREATE on the schema, TEMPORARY on the database, and INSERT, UPDATE and SELECT on its tables.",
    "42P07": "A table or view of that name is there and is not ours: name another schema, as with "
    "?options=-csearch_path%3Dskitter (made before by `create schema skitter`).",
    "42P01": "A table of ours is gone: put it back, or drop them all with skitter_schema to have them made anew.",
    "42703": "A column of ours is gone: put it back, or drop all tables with skitter_schema to have them made anew.",
    "3F000": "Make the schema that search_path names: `create schema …`.",
}
OTHERS = "See what it says, and mend it there: it then goes on by itself."

# A server that is there and says no. One that starts, stops or is full is only away.
_NO = re.compile(r"FATAL|no password supplied|certificate|SSL|does not support|service|passfile")
_SOON = re.compile(r"starting up|shutting down|recovery|too many|remaining connection|terminating|not accepting")


def trouble(error: psycopg.Error, where: str) -> SinkError:
    """Returns the error to raise for one of psycopg."""
    said = " ".join(str(error).split())
    if error.sqlstate is None:
        return _connection(error, said, where)
    kind: Literal["away", "refused"] = "away" if error.sqlstate.startswith(AWAY) else "refused"
    remedy = WAITS if kind == "away" else RIGHTS.get(error.sqlstate, OTHERS)
    return SinkError(kind, f"PostgreSQL says no ({said}, {error.sqlstate})", where, remedy)


def _connection(error: psycopg.Error, said: str, where: str) -> SinkError:
    is_no = isinstance(error, psycopg.OperationalError) and _NO.search(said) and not _SOON.search(said)
    if is_no:
        remedy = (
            "Check user, database and TLS in the address; the password comes from PGPASSWORD, a passfile (~/.pgpass) "
            "or a service (pg_service.conf), never from the address."
        )
        return SinkError("refused", f"PostgreSQL does not let us in ({said})", where, remedy)
    return SinkError("away", f"PostgreSQL can't be reached ({said})", where, WAITS)
