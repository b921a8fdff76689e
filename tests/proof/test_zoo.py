"""The hostile zoo, met by the real crawler: of each animal what `why` says, what is stored, and how often it is asked.

All animals are visited by two crawls at once: one of every animal's first page, and one that walks into the mazes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet
import pytest

from skitter.inspection.why import Story
from skitter.messages import Reason
from skitter.simweb.animals.mazes import MAZES
from skitter.simweb.animals.pages import CHARSETS
from skitter.simweb.log import Request
from skitter.simweb.zoo import ANIMALS
from skitter.store.warc.reader import Reader
from tests.proof.zoo import crawl_command, crawled, reason_in, served, skipped, stored_in, told

with warnings.catch_warnings():  # FastWARC warns of its own old names as it is imported
    warnings.simplefilter("ignore", DeprecationWarning)
    from fastwarc import ArchiveIterator

TOTAL_TIMEOUT = 25.0
JITTER = 10.0  # of a machine that does other things
IMPATIENT = (
    *("--set", "fetch.first_byte_timeout=15", "--set", f"fetch.total_timeout={TOTAL_TIMEOUT:g}"),
    *("--workers", "1", "--delay", "0.05"),
)
PATIENT = ("--set", "node.linger=30")
"""A maze closes its connection after each page. If the server is busy, we may have asked for the next one by then: the
page is tried again ten seconds later."""

CUT, LATE, LONG, NO_ANSWER = "response disconnect", "response time", "response length", "metadata"


def kinds_by_fastwarc(path: Path) -> Iterator[str]:
    """Gives the kind of each record of a file, as another reader sees it: whole, and with the digest that it says."""
    with path.open("rb") as file:
        for record in ArchiveIterator(file, parse_http=False):
            assert record.verify_block_digest(), record.headers
            yield record.headers["WARC-Type"]


class Row(NamedTuple):
    """What is to come of an animal."""

    why: str
    stored: str = "response"
    requests: int = 1
    at: str = "/"  # the URL that `why` is asked about: a path, or where the animal leads


REFUSED = "address_refused"
PRIVATE = "http://10.0.0.1/"
LOOPBACK = "http://127.0.0.1/"

TABLE: dict[str, Row] = {
    # Those that take time or never end
    "never-answers": Row("read_timeout", NO_ANSWER),
    "stops-in-headers": Row("too_slow", NO_ANSWER),
    "stops-in-body": Row("too_slow", LATE),
    "stops-before-body": Row("too_slow", LATE),
    "slow-status": Row("too_slow", NO_ANSWER),
    "slow-headers": Row("too_slow", NO_ANSWER),
    "slow-body": Row("too_slow", LATE),
    "slow-chunks": Row("too_slow", LATE),
    "endless-headers": Row("headers_too_large", NO_ANSWER),
    "endless-body": Row("done", LONG),
    "endless-chunks": Row("done", LONG),
    "endless-chunk-line": Row("bad_response", CUT),
    "endless-trailers": Row("done", CUT),
    "early-hints": Row("odd_status", NO_ANSWER),
    "continues": Row("odd_status", NO_ANSWER),
    # Those that break off, or say wrongly where they end. A kept connection that breaks is tried once more.
    "closes-at-once": Row("reset", NO_ANSWER, requests=2),
    "closes-in-headers": Row("bad_response", NO_ANSWER),
    "resets-at-once": Row("reset", NO_ANSWER, requests=2),
    "resets-in-status": Row("reset", NO_ANSWER),
    "resets-in-headers": Row("reset", NO_ANSWER),
    "resets-before-body": Row("reset", CUT),
    "resets-in-body": Row("done", CUT),
    "resets-in-chunk": Row("done", CUT),
    "resets-between-chunks": Row("done", CUT),
    "resets-after-body": Row("done"),
    "length-too-long": Row("done", CUT),
    "length-too-short": Row("done"),
    "length-negative": Row("bad_response", NO_ANSWER),
    "length-absurd": Row("bad_response", NO_ANSWER),
    "lengths-differ": Row("bad_response", NO_ANSWER),
    "length-and-chunked": Row("done"),
    "chunk-size-odd": Row("bad_response", CUT),
    "chunk-size-huge": Row("bad_response", CUT),
    "chunk-size-negative": Row("bad_response", CUT),
    "chunk-without-end": Row("done", CUT),
    "chunks-cut": Row("done", CUT),
    "chunks-not": Row("bad_response", CUT),
    # Those with a bad head
    "many-headers": Row("headers_too_large", NO_ANSWER),
    "some-headers": Row("headers_too_large", NO_ANSWER),
    "long-header": Row("headers_too_large", NO_ANSWER),
    "nul-in-header": Row("done"),
    "nul-in-name": Row("done"),
    "bare-returns": Row("done"),
    "high-bytes": Row("done"),
    "space-in-header": Row("done"),
    "no-colon": Row("done"),
    "big-cookie": Row("headers_too_large", NO_ANSWER),
    "many-cookies": Row("done"),
    "http-0.9": Row("bad_response", NO_ANSWER),
    "http-2": Row("bad_response", NO_ANSWER),
    "http-9.9": Row("done"),
    "garbage-first": Row("bad_response", NO_ANSWER),
    "empty-lines-first": Row("bad_response", NO_ANSWER),
    "status-999": Row("odd_status"),
    "status-000": Row("odd_status", NO_ANSWER),
    "status-odd": Row("bad_response", NO_ANSWER),
    "status-huge": Row("bad_response", NO_ANSWER),
    "status-only": Row("done"),
    "upgrade": Row("odd_status"),
    "asks-password": Row("forbidden"),
    "asks-much": Row("forbidden"),
    "asks-proxy": Row("forbidden"),
    "busy-for-ever": Row("unavailable"),
    # Those that pack much into little
    "gzip-bomb": Row("bomb"),
    "deflate-bomb": Row("bomb"),
    "br-bomb": Row("bomb"),
    "zstd-bomb": Row("bomb"),
    "gzip-nested-bomb": Row("bomb"),
    "br-nested-bomb": Row("bomb"),
    "zstd-nested-bomb": Row("bomb"),
    "luring-bomb": Row("done", LONG),
    "bomb-called-br": Row("bad_encoding"),
    "bomb-called-zstd": Row("bad_encoding"),
    "bomb-called-nothing": Row("done"),
    "bomb-many-codings": Row("bomb"),
    "bomb-many-members": Row("bomb"),
    "bomb-in-transfer": Row("bomb"),
    "gzip-not": Row("bad_encoding"),
    "br-not": Row("bad_encoding"),
    "zstd-not": Row("bad_encoding"),
    "gzip-cut": Row("done", CUT),
    "deflate-raw": Row("done"),
    "encoding-unknown": Row("done"),
    "encoding-unreadable": Row("bad_encoding"),
    # Those that are hard to read
    "million-links": Row("done", LONG),
    "nested-tags": Row("done"),
    "nested-tables": Row("done"),
    "open-tag": Row("done"),
    "open-comment": Row("done"),
    "many-attributes": Row("done"),
    "many-references": Row("done"),
    "long-title": Row("done"),
    "only-brackets": Row("done"),
    "only-nuls": Row("done"),
    "bad-utf8": Row("done"),
    "charsets": Row("done"),
    "type-odd": Row("done"),
    "type-binary": Row("done"),
    # Those that lead away
    "to-nowhere": Row("bad_redirect"),
    "to-itself": Row("redirect_loop"),
    "to-itself-with-cookie": Row("redirect_loop"),
    "to-and-fro": Row("redirect_loop", requests=3, at="/b"),
    "to-the-next": Row("too_many_redirects", requests=11, at="/on/10"),
    "to-the-deeper": Row("too_many_redirects", requests=11, at="/more" * 10),
    "to-two-places": Row(REFUSED, "nothing", at=PRIVATE),
    "to-file": Row("bad_redirect"),
    "to-javascript": Row("bad_redirect"),
    "to-data": Row("bad_redirect"),
    "to-ftp": Row("bad_redirect"),
    "to-private": Row(REFUSED, "nothing", at=PRIVATE),
    "to-carrier": Row(REFUSED, "nothing", at="http://100.64.0.1/"),
    "to-metadata": Row(REFUSED, "nothing", at="http://169.254.169.254/latest/meta-data/"),
    "to-loopback": Row(REFUSED, "nothing", at=LOOPBACK),
    "to-localhost": Row(REFUSED, "nothing", at="http://localhost/"),
    "to-zero": Row(REFUSED, "nothing", at="http://0.0.0.0/"),
    "to-integer": Row(REFUSED, "nothing", at=LOOPBACK),
    "to-hexadecimal": Row(REFUSED, "nothing", at=LOOPBACK),
    "to-octal": Row(REFUSED, "nothing", at=LOOPBACK),
    "to-short": Row(REFUSED, "nothing", at=LOOPBACK),
    "to-wide": Row(REFUSED, "nothing", at=LOOPBACK),
    "to-mapped": Row(REFUSED, "nothing", at="http://[::ffff:a00:1]/"),
    "to-mapped-loopback": Row(REFUSED, "nothing", at="http://[::ffff:7f00:1]/"),
    "to-six-loopback": Row(REFUSED, "nothing", at="http://[::1]/"),
    "to-six-local": Row(REFUSED, "nothing", at="http://[fe80::1]/"),
    "to-nat64": Row(REFUSED, "nothing", at="http://[64:ff9b::a00:1]/"),
    "to-6to4": Row(REFUSED, "nothing", at="http://[2002:a00:1::]/"),
    "to-password": Row(REFUSED, "nothing", at=PRIVATE),
    "to-bad-host": Row("bad_redirect"),
    "to-bad-port": Row("bad_redirect"),
    "to-control": Row("redirect_loop", requests=2, at="/%01%02%0B%20next"),
    "to-bytes": Row("redirect_loop", requests=2, at="/%EF%BF%BD%EF%BF%BD%EF%BF%BD"),
    "to-long": Row("bad_redirect"),
    "to-closed-port": Row("refused", "nothing", at="http://to-closed-port.zoo.sim.test:1/"),
}


class Maze(NamedTuple):
    """What is to come of a maze: how often it may be asked for a page, and why the rest of it is skipped."""

    requests: int
    reason: Reason | None
    refused: str = "/"  # a path that is refused for how it is written, if there is one


STALE = 50
MAZE_TABLE: dict[str, Maze] = {
    "echo": Maze(2 * STALE, Reason.TRAP),
    "relative": Maze(2 * STALE, Reason.TRAP),
    "calendar": Maze(4 * STALE, Reason.TRAP),
    "dates": Maze(STALE + 10, Reason.TRAP),
    "sessions": Maze(STALE + 10, Reason.TRAP),
    "known-sessions": Maze(12, None),  # one page each, and a guess: the id is no part of what is compared
    "always-same": Maze(STALE + 10, Reason.TRAP),
    "same-bytes": Maze(STALE + 10, Reason.TRAP),
}


class Visit(NamedTuple):
    """A zoo after the visit."""

    out: Path  # of the crawl of first pages
    mazes: Path  # of the crawl of the mazes
    requests: list[Request]
    asked: Counter[str]
    stories: dict[str, Story | Reason]  # by animal
    ended: dict[str, object]  # what the crawl of the mazes says of itself
    port: int


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Visit:
    """Visits every animal."""
    folder = tmp_path_factory.mktemp("zoo")
    first, inner = folder / "first", folder / "mazes"
    with served(folder, ANIMALS, "--hosts", "1") as zoo:
        walkers = [
            crawl_command(zoo, first, [zoo.url(animal) for animal in TABLE], "--max-depth", "0", *IMPATIENT),
            crawl_command(zoo, inner, [zoo.url(maze) for maze in (*MAZE_TABLE, "charsets")], *IMPATIENT, *PATIENT),
        ]
        with ThreadPoolExecutor(2) as pool:
            _, ended = pool.map(crawled, walkers)
        urls = {animal: row.at if "://" in row.at else zoo.url(animal, row.at) for animal, row in TABLE.items()}
        stories = told(first, urls.values())
        by_animal = {animal: stories[url] for animal, url in urls.items()}
        requests, asked = zoo.requests(), zoo.asked()
    return Visit(first, inner, requests, asked, by_animal, ended, zoo.port)


def test_every_animal_has_its_row() -> None:
    assert {*TABLE, *MAZE_TABLE} == set(ANIMALS)
    assert set(MAZE_TABLE) == set(MAZES)


@pytest.mark.slow
@pytest.mark.parametrize("animal", TABLE)
def test_animal_ends_with_its_reason_and_is_asked_no_more_than_that(visit: Visit, animal: str) -> None:
    row, story = TABLE[animal], visit.stories[animal]
    assert (reason_in(story), stored_in(story)) == (row.why, row.stored)
    asked = visit.asked[f"{animal}.zoo.sim.test"]
    assert 1 <= asked <= row.requests + (animal == "charsets") * (len(CHARSETS) + 20)  # both crawls visit that one


@pytest.mark.slow
@pytest.mark.parametrize("maze", MAZE_TABLE)
def test_maze_ends_in_few_requests(visit: Visit, maze: str) -> None:
    row, host = MAZE_TABLE[maze], f"{maze}.zoo.sim.test"
    assert 1 < visit.asked[host] <= row.requests
    # One whose pages all say the same, or that there is nothing, may end because they are not followed.
    reasons = {reason for (name, reason) in skipped(visit.mazes) if name == host}
    assert reasons <= ({row.reason, Reason.DUST} if row.reason else set())
    if row.refused != "/":
        url = f"http://{host}:{visit.port}{row.refused}"
        assert reason_in(told(visit.mazes, [url])[url]) == "trap"


@pytest.mark.slow
def test_a_crawl_of_mazes_comes_to_its_end(visit: Visit) -> None:
    assert visit.ended["done"], json.dumps(visit.ended)


@pytest.mark.slow
def test_every_charset_is_read_as_what_it_says(visit: Visit) -> None:
    rows = [
        (row["url"].rpartition("/c/")[2], row["encoding"])
        for file in visit.mazes.rglob("*.parquet")
        if "captures" in str(file)
        for row in pyarrow.parquet.read_table(file, columns=["url", "encoding", "errand"]).to_pylist()
        if "/c/" in row["url"] and row["errand"] == "page"
    ]
    read = dict(rows)
    assert set(read) == set(CHARSETS)
    unread = dict.fromkeys(("hz-gb-2312", "iso-2022-kr"), "replacement")
    guessed = {"utf-7", "no-such-charset"}  # the standard knows neither
    assert {name: encoding for name, encoding in read.items() if name not in guessed} == {
        name: unread.get(name, name) for name in CHARSETS if name not in guessed
    }


@pytest.mark.slow
def test_no_animal_holds_a_connection_for_longer_than_a_request_may_take(visit: Visit) -> None:
    spans = {request.url: (request.ended or float("inf")) - request.began for request in visit.requests}
    assert max(spans.values()) < TOTAL_TIMEOUT + JITTER, max(spans, key=lambda url: spans[url])


@pytest.mark.slow
def test_what_is_stored_of_the_zoo_is_a_valid_archive(visit: Visit) -> None:
    files = sorted([*(visit.out / "warc").rglob("skitter-*"), *(visit.mazes / "warc").rglob("skitter-*")])
    assert files
    for file in files:
        reader = Reader(file)
        kinds = [record.kind for record in reader]
        assert reader.broken is None
        assert kinds == list(kinds_by_fastwarc(file))


@pytest.mark.slow
@pytest.mark.parametrize("animal", ["gzip-bomb", "slow-body", "to-file"])
def test_the_command_line_shows_the_same_reason(visit: Visit, animal: str) -> None:
    command = [sys.executable, "-m", "skitter", "why", str(visit.out)]
    url = f"http://{animal}.zoo.sim.test:{visit.port}/"
    shown = subprocess.run([*command, url, "--json"], capture_output=True, text=True, check=True).stdout
    assert json.loads(shown)["found"]["failure"]["kind"] == TABLE[animal].why
