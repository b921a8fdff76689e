"""PostgreSQL as `ports.Sink`: binary COPY into stages, merged into the tables with the bookmark in one transaction.

So at least once becomes once: a transaction that was lost is repeated from the bookmark before it, and one whose answer
was lost is found done. Another one that feeds the same crawl meanwhile moves the bookmark too: we then see that ours is
not the last, and begin again from what is there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

import psycopg
from psycopg import sql

from skitter.errors import SinkError
from skitter.ports import Rows
from skitter.settings import Settings
from skitter.sinks.postgres.gather import Gathered, Line
from skitter.sinks.postgres.schema import MERGES, STAGES, STEPS, VERSION
from skitter.sinks.postgres.troubles import WAITS, trouble

TABLES = ("captures", "failures", "links", "robots")
LOCK = 0x536B6974746572  # of whoever makes or changes the tables
USUAL = {"application_name": "skitter", "connect_timeout": "10", "tcp_user_timeout": "30000"}
"""Unless the address says otherwise."""


class PostgresSink:
    """One database. `crawl` and `feed` say whose bookmark it is; `where` is its address as it may be shown."""

    def __init__(
        self,
        conninfo: str,
        where: str,
        crawl: str,
        settings: Settings,
        domain_of: Callable[[str], str],
        *,
        tables: Collection[str] = TABLES,
        feed: str = "archive",
    ) -> None:
        self.tables = tables
        self._conninfo = conninfo
        self._where = where
        self._key = {"crawl": crawl, "feed": feed}
        self._settings = settings
        self._domain_of = domain_of
        self._connection: psycopg.Connection[Any] | None = None
        self._types: dict[str, list[int]] = {}
        self._bookmark = b""
        self._gathered = Gathered(settings, domain_of)

    def open(self) -> bytes | None:
        """See `ports.Sink`."""
        self._gathered = Gathered(self._settings, self._domain_of)
        with self._told():
            known = psycopg.conninfo.conninfo_to_dict(self._conninfo)
            missing = {name: value for name, value in USUAL.items() if name not in known}
            whole = psycopg.conninfo.make_conninfo(self._conninfo, client_encoding="UTF8", **missing)
            connection = psycopg.connect(whole, autocommit=True)
            self._connection = connection
            self._require_utf8(connection)
            self._migrate(connection)
            connection.execute(sql.SQL(STAGES))
            self._types = {stage: self._columns(connection, stage) for stage, _ in MERGES}
            found = connection.execute(
                "select bookmark from skitter_bookmarks where crawl = %(crawl)s and feed = %(feed)s", self._key
            ).fetchone()
        self._bookmark = b"" if found is None else bytes(found[0])
        return self._bookmark

    def write(self, rows: Rows) -> None:
        """See `ports.Sink`."""
        self._gathered.write(rows)

    def commit(self, bookmark: bytes) -> None:
        """See `ports.Sink`."""
        connection, gathered = self._connection, self._gathered
        assert connection is not None, "open it first"
        self._gathered = Gathered(self._settings, self._domain_of)
        stages = {stage: lines for stage, lines in gathered.stages().items() if lines}
        with self._told(), connection.transaction():
            self._turn(connection, bookmark)
            for stage, lines in stages.items():
                self._copy(connection, stage, lines)
            for stage, merge in MERGES:
                if stage in stages:
                    connection.execute(sql.SQL(merge))
        self._bookmark = bookmark

    def close(self) -> None:
        """See `ports.Sink`."""
        connection, self._connection = self._connection, None
        self._gathered = Gathered(self._settings, self._domain_of)
        if connection is not None:
            with contextlib.suppress(psycopg.Error):
                connection.close()

    def _turn(self, connection: psycopg.Connection[Any], bookmark: bytes) -> None:
        """Moves the bookmark, if it still is where we left it."""
        moved = connection.execute(
            """
            insert into skitter_bookmarks as b (crawl, feed, bookmark) values (%(crawl)s, %(feed)s, %(next)s)
            on conflict (crawl, feed) do update set bookmark = excluded.bookmark, at = now()
            where b.bookmark = %(last)s
            """,
            self._key | {"last": self._bookmark, "next": bookmark},
        )
        if moved.rowcount != 1:
            raise SinkError("away", "Another process feeds this crawl to the same database", self._where, WAITS)

    def _copy(self, connection: psycopg.Connection[Any], stage: str, lines: Iterable[Line]) -> None:
        statement = sql.SQL("copy {} from stdin (format binary)").format(sql.Identifier(stage))
        with connection.cursor() as cursor, cursor.copy(statement) as copy:
            copy.set_types(self._types[stage])
            for line in lines:
                copy.write_row(line)

    def _columns(self, connection: psycopg.Connection[Any], stage: str) -> list[int]:
        described = connection.execute(sql.SQL("select * from {} limit 0").format(sql.Identifier(stage))).description
        return [column.type_code for column in described or ()]

    def _require_utf8(self, connection: psycopg.Connection[Any]) -> None:
        encoding = connection.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            remedy = "Make a database for it with `create database … encoding 'UTF8' template template0`."
            raise SinkError("refused", f"The database holds {encoding}, and the web is UTF-8", self._where, remedy)

    def _migrate(self, connection: psycopg.Connection[Any]) -> None:
        with connection.transaction():
            connection.execute("select pg_advisory_xact_lock(%s)", [LOCK])
            version = self._version(connection)
            if version > VERSION:
                remedy = f"Use that Skitter, or another schema or database: this one knows versions up to {VERSION}."
                raise SinkError(
                    "refused", f"The tables are of version {version}, by a later Skitter", self._where, remedy
                )
            for step in STEPS[version:]:
                connection.execute(sql.SQL(step))
            if version < VERSION:
                connection.execute("update skitter_schema set version = %s, at = now()", [VERSION])

    def _version(self, connection: psycopg.Connection[Any]) -> int:
        """Returns the version of the tables, 0 if there are none yet: then the table that tells is made."""
        found = connection.execute("select to_regclass('skitter_schema') is not null").fetchone()
        if found is None or not found[0]:
            connection.execute("create table skitter_schema (version int not null, at timestamptz default now())")
            connection.execute("insert into skitter_schema (version) values (0)")
            return 0
        row = connection.execute("select max(version) from skitter_schema").fetchone()
        return 0 if row is None or row[0] is None else int(row[0])

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise trouble(error, self._where) from error

    def __repr__(self) -> str:
        return f"<PostgresSink {self._where} {'open' if self._connection is not None else 'closed'}>"
