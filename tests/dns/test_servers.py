"""Several name servers: one that is down costs little, and while all are, what was known is used on."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from skitter.dns.health import ENOUGH
from skitter.dns.resolver import FAILED_TTL, Resolver
from skitter.dns.shared import SharedAnswers
from skitter.messages import Failure, Kind
from skitter.ports import Resolved
from skitter.settings import DAY, DnsSettings
from skitter.simweb.certificates import Certificate, Tls
from skitter.simweb.nameserver import NXDOMAIN, REFUSED, SERVFAIL, NameServer, Record
from tests.dns.https_server import HttpsNameServer

# No time to live, so that c-ares does not remember it in its own time; ours is five minutes in these tests.
HERE, SILENT = Record(("192.0.2.1",), 0), Record(drop=True)
GOOD = {"a.test": HERE}


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@contextlib.asynccontextmanager
async def opened(
    *servers: NameServer | HttpsNameServer | str, shared: Path | None = None, **options: object
) -> AsyncIterator[tuple[Resolver, Clock]]:
    clock = Clock()
    names = tuple(server if isinstance(server, str) else server.address for server in servers)
    settings = DnsSettings(servers=names, **{"timeout": 1.0, "min_ttl": 300.0, **options})  # type: ignore[arg-type]
    answers = SharedAnswers(shared, 100, settings.stale) if shared is not None else None
    async with Resolver(settings, clock, answers) as resolver:
        yield resolver, clock


def addresses(answer: object) -> tuple[str, ...] | Kind:
    if isinstance(answer, Resolved):
        return answer.addresses
    assert isinstance(answer, Failure)
    return answer.kind


def run(story: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        async with asyncio.timeout(30):
            await story()

    asyncio.run(main())


@pytest.mark.parametrize("wrong", [Record(rcode=SERVFAIL), Record(rcode=REFUSED)], ids=["SERVFAIL", "REFUSED"])
def test_another_server_is_asked_when_one_can_not_say(wrong: Record) -> None:
    async def story() -> None:
        async with NameServer({"a.test": wrong}) as bad, NameServer(GOOD) as good, opened(bad, good) as (resolver, _):
            for _ in range(2):  # whoever's turn it is
                assert addresses(await resolver.resolve("a.test")) == ("192.0.2.1",)

    run(story)


@pytest.mark.slow
def test_a_server_that_is_down_is_soon_asked_last() -> None:
    names = {f"n{number}.test": HERE for number in range(12)}

    async def story() -> None:
        async with (
            NameServer(dict.fromkeys(names, SILENT)) as silent,
            NameServer(names) as good,
            opened(silent, good, timeout=0.4) as (resolver, _),
        ):
            for name in names:
                assert addresses(await resolver.resolve(name)) == ("192.0.2.1",)
            assert resolver._questions.down() == [silent.address]
            # Three questions are enough; without a memory of it, every second name would be asked for in vain.
            assert len({name for name, _ in silent.asked}) < len(names) / 2 - 1
            assert ENOUGH <= resolver.statistics().unanswered < len(names) / 2

    run(story)


def test_that_a_name_is_unknown_needs_no_second_opinion() -> None:
    async def story() -> None:
        async with (
            NameServer({"a.test": Record(rcode=NXDOMAIN)}) as first,
            NameServer(GOOD) as second,
            opened(first, second) as (resolver, _),
        ):
            await resolver.resolve("a.test")
            assert sum(server.asked.total() for server in (first, second)) == 2  # A and AAAA, once each

    run(story)


STALE = {"within the day": (DAY - 1, ("192.0.2.1",)), "after it": (DAY, Kind.DNS_FAILED)}


@pytest.mark.parametrize(("after", "expected"), STALE.values(), ids=STALE)
def test_while_no_server_can_say_an_answer_that_has_ended_is_used(
    after: float, expected: tuple[str, ...] | Kind
) -> None:
    async def story() -> None:
        async with NameServer(GOOD) as server, opened(server) as (resolver, clock):
            await resolver.resolve("a.test")
            server.table["a.test"] = Record(rcode=SERVFAIL)
            clock.now += 300.0 + after
            assert addresses(await resolver.resolve("a.test")) == expected
            assert resolver.statistics().stale == (expected is not Kind.DNS_FAILED)
            # It is not asked for at once again, and its day is counted from its own end.
            assert addresses(resolver.resolve_nowait("a.test")) == expected
            clock.now += DAY - after + FAILED_TTL
            assert addresses(await resolver.resolve("a.test")) == Kind.DNS_FAILED

    run(story)


def test_a_name_that_is_gone_is_gone_whatever_was_known() -> None:
    async def story() -> None:
        async with NameServer(GOOD) as server, opened(server) as (resolver, clock):
            await resolver.resolve("a.test")
            server.table["a.test"] = Record(rcode=NXDOMAIN)
            clock.now += 301
            assert addresses(await resolver.resolve("a.test")) == Kind.DNS_UNKNOWN
            server.table["a.test"] = Record(rcode=SERVFAIL)
            clock.now += 301
            assert addresses(await resolver.resolve("a.test")) == Kind.DNS_FAILED

    run(story)


# Between nodes


def test_nodes_of_a_machine_and_the_next_run_share_answers(tmp_path: Path) -> None:
    file = tmp_path / "names.sqlite"

    async def story() -> None:
        async with NameServer(GOOD) as server:
            async with opened(server, shared=file) as (first, _), opened(server, shared=file) as (second, _):
                await first.resolve("a.test")
                assert first._shared is not None
                await first._shared._flush()
                assert addresses(await second.resolve("A.test")) == ("192.0.2.1",)
                assert (second.statistics().told, second.statistics().asked) == (1, 0)
            async with opened(server, shared=file) as (later, clock):
                clock.now += 299
                assert addresses(await later.resolve("a.test")) == ("192.0.2.1",)
                assert later.statistics().asked == 0
            async with opened(server, shared=file) as (later, clock):
                clock.now += 301  # its time is over: it is asked for, and used if nobody can say
                server.table["a.test"] = Record(rcode=SERVFAIL)
                assert addresses(await later.resolve("a.test")) == ("192.0.2.1",)
                assert (later.statistics().asked, later.statistics().stale) == (1, 1)

    run(story)


def test_what_was_learnt_after_the_clock_was_set_back_is_not_believed(tmp_path: Path) -> None:
    async def story() -> None:
        async with NameServer(GOOD) as server:
            async with opened(server, shared=tmp_path / "n") as (first, _):
                await first.resolve("a.test")
            async with opened(server, shared=tmp_path / "n") as (second, clock):
                clock.now -= 500
                await second.resolve("a.test")
                assert second.statistics().told == 0

    run(story)


def _other_version(file: Path) -> None:
    with contextlib.closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA user_version = 99")


def _odd_rows(file: Path) -> None:
    with contextlib.closing(sqlite3.connect(file)) as db, db:
        db.execute("CREATE TABLE names (name TEXT PRIMARY KEY, addresses TEXT, since REAL, until REAL)")
        db.execute("INSERT INTO names VALUES ('a.test', x'ff00', 'x', 'y')")


DAMAGE: dict[str, Callable[[Path], object]] = {
    "garbage": lambda file: file.write_bytes(b"this is no database at all" * 100),
    "another version": _other_version,
    "a folder": lambda file: file.mkdir(),
    "odd rows": _odd_rows,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_file_that_can_not_be_used_costs_a_question_and_nothing_else(
    tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    damage(tmp_path / "names")

    async def story() -> None:
        async with NameServer(GOOD) as server, opened(server, shared=tmp_path / "names") as (resolver, _):
            assert addresses(await resolver.resolve("a.test")) == ("192.0.2.1",)
            assert resolver._shared is not None
            assert resolver._shared.troubles

    run(story)


def test_the_file_does_not_grow_beyond_its_size(tmp_path: Path) -> None:
    names = {f"n{number}.test": HERE for number in range(120)}

    async def story() -> None:
        async with NameServer(names) as server, opened(server, shared=tmp_path / "names") as (resolver, _):
            for name in names:
                await resolver.resolve(name)

    run(story)
    with contextlib.closing(sqlite3.connect(tmp_path / "names")) as db:
        assert db.execute("SELECT count(*) FROM names").fetchone() == (100,)


# Over HTTPS


@pytest.fixture
def tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tls:
    made = Tls(tmp_path / "tls", {}, names=("localhost",))
    monkeypatch.setenv("SSL_CERT_FILE", str(made.root))
    return made


def test_a_server_is_asked_over_https_on_connections_that_stay_open(tls: Tls) -> None:
    table = {f"n{number}.test": HERE for number in range(5)} | {"alias.test": Record(("n1.test", "192.0.2.9"), 60)}

    async def story() -> None:
        async with HttpsNameServer(table, tls) as server, opened(server) as (resolver, _):
            for name in table:
                assert addresses(await resolver.resolve(name)) == table[name].values[-1:]
            assert addresses(await resolver.resolve("gone.test")) == Kind.DNS_UNKNOWN
            assert server.names.asked["n1.test", "A"] == 1
            assert server.connections <= 2  # one each for A and AAAA

    run(story)


WRONG = ["500", "html", "cut", "garbage", "closed", "huge"]


@pytest.mark.parametrize("wrong", WRONG)
def test_whatever_comes_over_https_another_server_is_asked(tls: Tls, wrong: str) -> None:
    async def story() -> None:
        async with (
            HttpsNameServer(GOOD, tls, wrong=wrong) as bad,
            NameServer(GOOD) as good,
            opened(bad, good) as (resolver, _),
        ):
            for _ in range(2):
                assert addresses(await resolver.resolve("a.test")) == ("192.0.2.1",)

    run(story)


def test_a_server_with_a_bad_certificate_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tls = Tls(tmp_path / "tls", {"localhost": Certificate.SELF_SIGNED}, names=("localhost",))
    monkeypatch.setenv("SSL_CERT_FILE", str(tls.root))

    async def story() -> None:
        async with HttpsNameServer(GOOD, tls) as server, opened(server) as (resolver, _):
            assert addresses(await resolver.resolve("a.test")) == Kind.DNS_FAILED
            assert not server.names.asked

    run(story)
