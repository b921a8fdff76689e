"""A real PostgreSQL: rows equal captures whoever is killed, what is wrong is said, and the design's questions run."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from skitter.errors import OperatorError, SinkError
from skitter.settings import PolitenessSettings, Settings, SinksSettings
from skitter.sinks.feed import Feed
from skitter.sinks.kept import Bookmarks, read_state
from skitter.sinks.postgres.schema import VERSION
from skitter.sinks.source import ArchiveSource
from tests.servers.postgres import PostgresServer
from tests.sinks.archives import BEGAN, Archive, robots
from tests.sinks.conftest import Database, Feeder, sink_to, wait_until

pytestmark = pytest.mark.slow


def feed_all(archive: Archive, url: str) -> None:
    sink = sink_to(url, archive.directory)
    source = lambda bookmark: ArchiveSource(archive.directory, bookmark, sink.tables)  # noqa: E731
    feed = Feed("postgres", sink, source, Bookmarks(archive.directory, "postgres"), lambda: BEGAN)
    try:
        while feed.step():
            pass
    finally:
        feed.close()


def test_rows_equal_captures(tmp_path: Path, database: Database) -> None:
    archive = Archive(tmp_path / "crawl")
    for _ in range(5):
        archive.add(120)
        feed_all(archive, database.url)
        archive.seal()
    feed_all(archive, database.url)
    assert (database.count("crawl_log"), database.count("crawl_failures")) == (archive.answers, archive.failures)
    times = database.rows("select crawl_time from crawl_log union all select crawl_time from crawl_failures order by 1")
    assert [at for (at,) in times] == [datetime.fromtimestamp(BEGAN + n, UTC) for n in range(archive.captures)]
    assert database.rows(
        "select count(*) from links l left join url_meta u on u.url_hash = l.target_url_id where u.url is null"
    ) == [(0,)]
    assert database.rows("select count(*) from url_meta where last_fetched is not null")[0][0] > 100
    newest = database.rows(
        "select count(*) from url_meta u where last_fetched is distinct from (select max(crawl_time) from "
        "(select url_hash, crawl_time from crawl_log union all select url_hash, crawl_time from crawl_failures) c "
        "where c.url_hash = u.url_hash)"
    )
    assert newest == [(0,)]


def test_fed_again_from_the_start_nothing_is_there_twice(tmp_path: Path, database: Database) -> None:
    archive = Archive(tmp_path / "crawl")
    archive.add(300)
    feed_all(archive, database.url)
    links = database.count("links")
    database.do("delete from skitter_bookmarks")
    feed_all(archive, database.url)
    assert (database.count("crawl_log"), database.count("links")) == (archive.answers, links)


def test_kills_of_both_sides_at_any_moment(
    tmp_path: Path, database: Database, feeder: Callable[[Path, str], Feeder]
) -> None:
    """kill -9 of whoever feeds, and of the database with all its processes, while the archive grows."""
    archive, chance = Archive(tmp_path / "crawl", Settings(sinks=SinksSettings(closing_seconds=600))), random.Random(7)
    feeding = feeder(archive.directory, database.url)

    def rows() -> int:
        with contextlib.suppress(psycopg.Error):
            return database.count("crawl_log") + database.count("crawl_failures")
        return -1

    for turn in range(6):
        archive.add(chance.randrange(200, 1200))
        before = max(0, rows())
        feeding.start()
        wait_until(lambda before=before: rows() > before)  # type: ignore[misc]
        if turn % 3 == 2:
            archive.seal()
        if turn % 2:
            database.server.kill()
            archive.add(50)
            database.server.start()
        feeding.kill()
    feeding.start()
    assert feeding.end()[0] == 0
    assert (database.count("crawl_log"), database.count("crawl_failures")) == (archive.answers, archive.failures)
    assert database.rows("select count(*) from skitter_bookmarks") == [(1,)]


def test_the_database_goes_away_and_comes_back_while_rows_come(
    tmp_path: Path, database: Database, feeder: Callable[[Path, str], Feeder]
) -> None:
    archive = Archive(tmp_path / "crawl")
    archive.add(10)
    feeding = feeder(archive.directory, database.url)
    feeding.start()
    wait_until(lambda: any((archive.directory / "sinks").glob("postgres-*.bookmark")))
    name = next((archive.directory / "sinks").glob("postgres-*.bookmark"))
    database.server.kill()
    archive.add(90)

    def trouble() -> bool:
        state = read_state(archive.directory, name.stem)
        return state is not None and "can't be reached" in state.trouble and state.lag_bytes > 0 and state.failures > 1

    wait_until(trouble)
    state = read_state(archive.directory, name.stem)
    assert state is not None
    assert 45 <= state.lag_captures <= 180  # about 90
    assert "nothing is lost" in state.trouble
    database.server.start()
    wait_until(lambda: database.count("crawl_log") == archive.answers)
    assert feeding.end() == (0, "")
    state = read_state(archive.directory, name.stem)
    assert state is not None
    assert (state.trouble, state.lag_captures, state.lag_seconds, state.ended) == ("", 0, 0.0, True)


def test_at_the_end_a_dead_database_is_waited_for_no_longer_than_the_bound(
    tmp_path: Path, feeder: Callable[[Path, str], Feeder]
) -> None:
    settings = Settings(sinks=SinksSettings(closing_seconds=0.2))
    archive = Archive(tmp_path / "crawl", settings)
    archive.add(10)
    feeding = feeder(archive.directory, "postgresql://skitter@127.0.0.1:1/nothing")
    feeding.start()
    assert feeding.end()[0] == 0
    (file,) = (archive.directory / "run").glob("sink-*.json")
    state = read_state(archive.directory, file.stem.removeprefix("sink-"))
    assert state is not None
    assert state.lag_bytes > 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.server.url("nowhere"), "does not exist"),
        (lambda d: d.server.url(d.name, "nobody"), "password authentication failed"),
        (lambda d: d.url + "?sslmode=require", "SSL"),
    ],
    ids=["no-database", "no-user", "no-tls"],
)
def test_who_is_not_let_in_is_told_what_to_check(
    tmp_path: Path, database: Database, change: Callable[[Database], str], words: str
) -> None:
    archive = Archive(tmp_path / "crawl")
    archive.add(1)
    with pytest.raises(SinkError, match=words) as caught:
        feed_all(archive, change(database))
    assert caught.value.kind == "refused"
    assert "PGPASSWORD" in str(caught.value)
    assert database.server.environment["PGPASSWORD"] not in str(caught.value)


def test_without_rights_it_says_which_are_needed(tmp_path: Path, database: Database) -> None:
    archive = Archive(tmp_path / "crawl")
    archive.add(1)
    database.do(f"create role {database.name} login password 'not-a-secret-at-all'")
    url = database.server.url(database.name, database.name)
    with pytest.raises(SinkError, match="Grant CREATE on the schema") as caught:
        feed_all(archive, url)
    assert caught.value.kind == "refused"
    database.do(f"grant create on schema public to {database.name}")
    feed_all(archive, url)
    assert database.count("crawl_log") + database.count("crawl_failures") == 1


def test_tables_of_a_later_version_are_left_alone(tmp_path: Path, database: Database) -> None:
    archive = Archive(tmp_path / "crawl")
    archive.add(1)
    feed_all(archive, database.url)
    database.do(f"update skitter_schema set version = {VERSION + 1}")
    archive.add(1)
    with pytest.raises(SinkError, match=f"of version {VERSION + 1}, by a later Skitter"):
        feed_all(archive, database.url)
    database.do(f"update skitter_schema set version = {VERSION}")
    feed_all(archive, database.url)
    assert database.count("crawl_log") + database.count("crawl_failures") == 2


def test_a_table_of_somebody_else_is_left_alone(tmp_path: Path, database: Database) -> None:
    archive = Archive(tmp_path / "crawl")
    archive.add(1)
    database.do("create table links (mine int)")
    with pytest.raises(SinkError, match="not ours: name another schema"):
        feed_all(archive, database.url)
    assert database.rows("select to_regclass('crawl_log') is null") == [(True,)], "nothing is half made"
    database.do("create schema skitter")
    feed_all(archive, database.url + "?options=-csearch_path%3Dskitter")
    assert database.count("skitter.crawl_log") + database.count("skitter.crawl_failures") == 1


def test_a_database_that_is_not_utf8_is_refused(tmp_path: Path, postgres: PostgresServer, database: Database) -> None:
    archive = Archive(tmp_path / "crawl")
    archive.add(1)
    postgres.make(f"{database.name}_latin", "encoding 'LATIN1' template template0")
    with pytest.raises(SinkError, match="holds LATIN1"):
        feed_all(archive, postgres.url(f"{database.name}_latin"))


def test_two_who_feed_the_same_crawl_bring_each_row_once(tmp_path: Path, database: Database) -> None:
    archive = Archive(tmp_path / "crawl")
    archive.add(30)
    one, other = sink_to(database.url, archive.directory), sink_to(database.url, archive.directory)
    assert one.open() == other.open() == b""
    batch = next(ArchiveSource(archive.directory, b"", one.tables).batches())
    for sink in (one, other):
        for rows in batch.rows:
            sink.write(rows)
    one.commit(batch.bookmark)
    with pytest.raises(SinkError, match="Another process feeds this crawl"):
        other.commit(batch.bookmark)
    other.close()
    assert other.open() == batch.bookmark
    one.close()
    other.close()
    assert database.rows("select max(consecutive_failures) from host_meta")[0][0] <= archive.failures
    assert database.count("crawl_log") == archive.answers


def test_hosts_have_their_robots_delay_and_health(tmp_path: Path, database: Database) -> None:
    archive = Archive(tmp_path / "crawl", Settings(politeness=PolitenessSettings(delay=2.0)))
    robots(archive, "h0.test", b"User-agent: *\nCrawl-delay: 7\n", BEGAN)
    robots(archive, "h1.test", b"User-agent: *\nDisallow: /\0\n", BEGAN + 1)
    archive.add(200)
    feed_all(archive, database.url)
    found = database.rows(
        "select hostname, robots_body, crawl_delay_seconds from host_meta where robots_body is not null"
    )
    assert sorted(found) == [
        ("h0.test", "User-agent: *\nCrawl-delay: 7\n", 7.0),
        ("h1.test", "User-agent: *\nDisallow: /\ufffd\n", 2.0),
    ]
    robots(archive, "h0.test", b"User-agent: *\nCrawl-delay: 9\n", BEGAN + 500)
    feed_all(archive, database.url)
    assert database.rows("select crawl_delay_seconds from host_meta where hostname = 'h0.test'") == [(9.0,)]
    scores = [
        score for (score,) in database.rows("select health_score from host_meta where last_fetched_at is not null")
    ]
    assert len(scores) == 7
    assert all(0 < score <= 1 for score in scores)
    assert min(scores) < 1


QUESTIONS = [
    # of seed 000: what is due again, what waits for a host, what a host is like
    "select url from url_meta where next_refresh_at <= now() order by next_refresh_at limit 100",
    "select url from url_meta where host_id = 1 and last_fetched is null order by priority desc limit 50",
    "select hostname, crawl_delay_seconds, health_score from host_meta where hostname = 'h0.test'",
    "select u.url, h.robots_body from url_meta u join host_meta h using (host_id) where u.flags & 1 = 1",
    # of seed 001
    "select 1 from urls where url = 'http://h0.test/p/1'",
    "select id from urls where status = 'QUEUED' and next_crawl_at <= now() order by priority desc limit 50 "
    "for update skip locked",
    "select http_status, content_hash, storage_path from pages where content_hash = repeat('0', 64)",
    "select s.url, t.url, l.anchor_text from links l join urls s on s.id = l.source_url_id "
    "join urls t on t.id = l.target_url_id",
    "select d.hostname, count(*) from urls u join domains d on d.id = u.domain_id group by 1",
    # of seed 004
    "select url, status_code, warc_file, warc_offset from crawl_log where domain = 'h0.test' "
    "and crawl_time > now() - interval '1 day'",
    "select simhash, array_agg(url) from crawl_log group by simhash having count(*) > 1",
]


def test_the_questions_of_the_design_run(tmp_path: Path, database: Database) -> None:
    archive = Archive(tmp_path / "crawl")
    archive.add(100)
    feed_all(archive, database.url)
    for question in QUESTIONS:
        database.rows(question)
    pages = "select count(*) from links l join urls s on s.id = l.source_url_id join urls t on t.id = l.target_url_id"
    assert database.rows(pages) == [(database.count("links"),)]
    assert database.rows("select distinct status from urls order by 1") == [
        ("completed",),
        ("discovered",),
        ("failed",),
    ]
    assert database.rows("select count(*) from pages where storage_path like 'skitter-%.warc.gz:%'") == [
        (archive.answers,)
    ]


def test_a_bookmark_that_nobody_can_read_is_refused_in_words(tmp_path: Path, database: Database) -> None:
    archive = Archive(tmp_path / "crawl")
    archive.add(1)
    feed_all(archive, database.url)
    database.do("update skitter_bookmarks set bookmark = 'nonsense'")
    with pytest.raises(OperatorError, match="bookmark"):
        feed_all(archive, database.url)
