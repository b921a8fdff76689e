"""Names to addresses, against a real name server on loopback."""

from __future__ import annotations

import asyncio
import gc
import math
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import uvloop

from skitter.dns import plain
from skitter.dns.replies import Reply, Said
from skitter.dns.resolver import FAILED_TTL, MAX_ADDRESSES, Resolver, judge
from skitter.errors import OperatorError
from skitter.messages import Failure, Kind
from skitter.ports import Resolved
from skitter.settings import DnsSettings
from skitter.simweb.nameserver import NXDOMAIN, SERVFAIL, NameServer, Record


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


Story = Callable[[NameServer, Resolver, Clock], Awaitable[None]]


def play(story: Story, table: dict[tuple[str, str], Record] | None = None, **options: object) -> None:
    """Runs `story` with a name server that answers from `table`, on the plain event loop."""

    async def main() -> None:
        clock = Clock()
        async with NameServer(table or {}) as server:
            settings = DnsSettings(servers=(server.address,), **{"timeout": 2.0, **options})  # type: ignore[arg-type]
            async with Resolver(settings, clock) as resolver:
                await story(server, resolver, clock)

    asyncio.run(main())


def found(*values: str, ttl: int = 300, **options: object) -> Record:
    return Record(values, ttl, **options)  # type: ignore[arg-type]


V4, V6 = ("a.test", "A"), ("a.test", "AAAA")

ANSWERS: dict[str, tuple[dict[tuple[str, str], Record], tuple[str, ...] | Kind]] = {
    "both, IPv4 first": ({V4: found("192.0.2.1"), V6: found("2001:db8::1")}, ("192.0.2.1", "2001:db8::1")),
    "only IPv4": ({V4: found("192.0.2.1", "192.0.2.2"), V6: Record()}, ("192.0.2.1", "192.0.2.2")),
    "only IPv6": ({V4: Record(), V6: found("2001:db8::1")}, ("2001:db8::1",)),
    "IPv6 though IPv4 fails": ({V4: Record(rcode=SERVFAIL), V6: found("2001:db8::1")}, ("2001:db8::1",)),
    "IPv4 though IPv6 fails": ({V4: found("192.0.2.1"), V6: Record(rcode=SERVFAIL)}, ("192.0.2.1",)),
    "an alias": ({V4: found("b.test", "192.0.2.9"), V6: Record()}, ("192.0.2.9",)),
    "no such name": ({}, Kind.DNS_UNKNOWN),
    "no address": ({V4: Record(), V6: Record()}, Kind.DNS_UNKNOWN),
    "aliases in a circle": ({V4: found("b.test", "a.test"), V6: found("a.test")}, Kind.DNS_UNKNOWN),
    "the server fails": ({V4: Record(rcode=SERVFAIL), V6: Record(rcode=SERVFAIL)}, Kind.DNS_FAILED),
    "half empty, half failed": ({V4: Record(), V6: Record(rcode=SERVFAIL)}, Kind.DNS_FAILED),
    "half unknown, half failed": ({V4: Record(rcode=NXDOMAIN), V6: Record(rcode=SERVFAIL)}, Kind.DNS_UNKNOWN),
}


@pytest.mark.parametrize(("table", "expected"), ANSWERS.values(), ids=ANSWERS)
def test_what_the_server_says_becomes_an_answer(
    table: dict[tuple[str, str], Record], expected: tuple[str, ...] | Kind
) -> None:
    async def story(server: NameServer, resolver: Resolver, clock: Clock) -> None:
        answer = await resolver.resolve("a.test")
        assert (answer.addresses if isinstance(answer, Resolved) else answer.kind) == expected

    play(story, table)


def test_it_works_on_uvloop() -> None:
    async def main() -> None:
        async with (
            NameServer({V4: found("192.0.2.1")}) as server,
            Resolver(DnsSettings(servers=(server.address,)), Clock()) as resolver,
        ):
            answer = await resolver.resolve("a.test")
            assert isinstance(answer, Resolved)
            assert answer.addresses == ("192.0.2.1",)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main())


TTLS = {"as it says": (300, 300.0), "too short": (1, 60.0), "none": (0, 60.0), "too long": (10**6, 3600.0)}


@pytest.mark.parametrize(("ttl", "kept"), TTLS.values(), ids=TTLS)
def test_an_answer_is_kept_for_its_time_within_bounds(ttl: int, kept: float) -> None:
    async def story(server: NameServer, resolver: Resolver, clock: Clock) -> None:
        answer = await resolver.resolve("a.test")
        assert answer == Resolved(("192.0.2.1",), 1000.0 + kept)
        clock.now += kept - 0.5
        assert await resolver.resolve("a.test") == answer
        assert resolver.statistics().asked == 1
        clock.now += 1
        renewed = await resolver.resolve("a.test")
        assert isinstance(renewed, Resolved)
        assert renewed.expires > clock.now
        assert resolver.statistics().asked == 2

    play(story, {V4: found("192.0.2.1", ttl=ttl), V6: Record()}, min_ttl=60.0, max_ttl=3600.0)


def test_the_shortest_time_on_the_way_counts() -> None:
    replies = [Reply(Said.FOUND, ("192.0.2.1",), 500), Reply(Said.FOUND, ("2001:db8::1",), 100)]
    answer, ttl = judge(replies, 1000, DnsSettings())
    assert (answer, ttl) == (Resolved(("192.0.2.1", "2001:db8::1"), 1100), 100)


def test_an_unknown_name_is_asked_for_again_only_after_a_while() -> None:
    async def story(server: NameServer, resolver: Resolver, clock: Clock) -> None:
        for at in (0, 299):
            clock.now = 1000.0 + at
            answer = await resolver.resolve("a.test")
            assert isinstance(answer, Failure)
            assert answer.kind is Kind.DNS_UNKNOWN
        assert server.asked[V4] == 1
        server.table[V4] = found("192.0.2.1")
        clock.now = 1300.0
        assert isinstance(await resolver.resolve("a.test"), Resolved)
        assert server.asked[V4] == 2

    play(story, negative_ttl=300.0)


def test_a_failure_is_asked_about_again_sooner() -> None:
    async def story(server: NameServer, resolver: Resolver, clock: Clock) -> None:
        assert isinstance(await resolver.resolve("a.test"), Failure)
        asked = server.asked[V4]
        clock.now += FAILED_TTL - 1
        assert isinstance(await resolver.resolve("a.test"), Failure)
        assert server.asked[V4] == asked
        server.table[V4] = found("192.0.2.1")
        clock.now += 1
        assert isinstance(await resolver.resolve("a.test"), Resolved)

    play(story, {V4: Record(rcode=SERVFAIL), V6: Record(rcode=SERVFAIL)})


@pytest.mark.slow
def test_a_server_that_does_not_answer_is_a_failure_in_time() -> None:
    async def story(server: NameServer, resolver: Resolver, clock: Clock) -> None:
        async with asyncio.timeout(9):
            answer = await resolver.resolve("a.test")
        assert answer == Failure(Kind.DNS_FAILED, "no answer in time")

    play(story, {V4: Record(drop=True), V6: Record(drop=True)}, timeout=0.2)


@pytest.mark.slow
def test_ipv6_that_is_never_answered_does_not_hold_up_ipv4() -> None:
    async def story(server: NameServer, resolver: Resolver, clock: Clock) -> None:
        async with asyncio.timeout(15):
            answer = await resolver.resolve("a.test")
        assert isinstance(answer, Resolved)
        assert answer.addresses == ("192.0.2.1",)

    play(story, {V4: found("192.0.2.1"), V6: Record(drop=True)}, timeout=30.0)


def test_one_question_at_a_time_and_a_waiter_that_leaves_takes_nobody_along() -> None:
    hold = asyncio.Event()

    async def story(server: NameServer, resolver: Resolver, clock: Clock) -> None:
        waiters = [asyncio.create_task(resolver.resolve(name)) for name in ("a.test", "A.test", "a.test.", "a.test")]
        while not server.asked[V4]:
            await asyncio.sleep(0)
        assert resolver.statistics().in_flight == 1
        waiters[0].cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiters[0]
        hold.set()
        for waiter in waiters[1:]:
            answer = await waiter
            assert isinstance(answer, Resolved)
            assert answer.addresses == ("192.0.2.1",)
        assert server.asked == {V4: 1, V6: 1}
        assert resolver.statistics().joined == 3
        assert resolver.statistics().in_flight == 0

    play(story, {V4: found("192.0.2.1", hold=hold), V6: Record(hold=hold)})


def test_closing_ends_what_is_under_way() -> None:
    async def main() -> None:
        async with NameServer({V4: Record(drop=True), V6: Record(drop=True)}) as server:
            async with Resolver(DnsSettings(servers=(server.address,), timeout=60.0), Clock()) as resolver:
                waiter = asyncio.create_task(resolver.resolve("a.test"))
                while not server.asked[V4]:
                    await asyncio.sleep(0)
            with pytest.raises(asyncio.CancelledError):
                await waiter
            assert resolver.statistics().in_flight == 0

    asyncio.run(main())


LITERALS = {
    "192.0.2.1": "192.0.2.1",
    "127.0.0.1": "127.0.0.1",
    "[2001:db8::1]": "2001:db8::1",
    "2001:DB8:0::1": "2001:db8::1",
    "[::1]": "::1",
    "localhost": "127.0.0.1",
    "LOCALHOST.": "127.0.0.1",
    "a.b.localhost": "127.0.0.1",
}


@pytest.mark.parametrize(("name", "address"), LITERALS.items(), ids=LITERALS)
def test_literals_and_localhost_need_no_server(name: str, address: str) -> None:
    async def story(server: NameServer, resolver: Resolver, clock: Clock) -> None:
        assert await resolver.resolve(name) == Resolved((address,), math.inf)
        assert resolver.resolve_nowait(name) == Resolved((address,), math.inf)
        assert not server.asked

    play(story)


@pytest.mark.parametrize(
    "name", ["", ".", "a..b", " ", "a b", "a" * 64 + ".test", "a." * 130, "ä.test", "a\0.test", "[a]", "a/b"], ids=repr
)
def test_what_can_be_no_name_is_unknown_without_asking(name: str) -> None:
    async def story(server: NameServer, resolver: Resolver, clock: Clock) -> None:
        assert await resolver.resolve(name) == Failure(Kind.DNS_UNKNOWN, "not a host name")
        assert not server.asked

    play(story)


def test_the_hosts_file_is_asked_first(tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text("127.0.0.5 a.test localhost\n127.0.0.6 a.test\n")

    async def story(server: NameServer, resolver: Resolver, clock: Clock) -> None:
        assert await resolver.resolve("A.test") == Resolved(("127.0.0.5", "127.0.0.6"), math.inf)
        assert await resolver.resolve("localhost") == Resolved(("127.0.0.5",), math.inf)
        assert not server.asked

    play(story, {V4: found("192.0.2.1")}, hosts_file=str(file))


def test_of_a_thousand_addresses_the_first_are_kept() -> None:
    many = tuple(f"198.51.{number // 250}.{number % 250}" for number in range(1000))

    async def story(server: NameServer, resolver: Resolver, clock: Clock) -> None:
        answer = await resolver.resolve("a.test")
        assert isinstance(answer, Resolved)
        assert answer.addresses == many[:MAX_ADDRESSES]

    play(story, {V4: found(*many), V6: found("2001:db8::1")})


def test_names_beyond_the_size_are_forgotten() -> None:
    table = {(f"n{number}.test", "A"): found("192.0.2.1") for number in range(5)}

    async def story(server: NameServer, resolver: Resolver, clock: Clock) -> None:
        for name, _ in table:
            await resolver.resolve(name)
        assert resolver.statistics().kept == 3
        await resolver.resolve("n4.test")
        assert resolver.statistics().asked == 5
        await resolver.resolve("n0.test")
        assert resolver.statistics().asked == 6

    play(story, table, cache_size=3)


def test_channels_are_replaced_and_leave_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    # c-ares remembers answers itself: that the server is asked again shows that its memory was dropped.
    monkeypatch.setattr(plain, "_CHANNEL_QUESTIONS", 2)

    async def story(server: NameServer, resolver: Resolver, clock: Clock) -> None:
        for _ in range(20):
            assert isinstance(await resolver.resolve("a.test"), Resolved)
            clock.now += 61
        assert server.asked[V4] == 20
        gc.collect()
        assert threading.active_count() < before + 5

    before = threading.active_count()
    play(story, {V4: found("192.0.2.1"), V6: found("2001:db8::1")}, min_ttl=60.0, max_ttl=60.0)


@pytest.mark.parametrize(
    "server",
    [
        "",
        "dns.test",
        "1.2.3",
        "1.2.3.4:x",
        "1.2.3.4:0",
        "1.2.3.4:70000",
        "[::1]:x",
        "1.2.3.4:5:6",
        "https://",
        "https://a.test:x/",
        "https://u@a.test/",
        "http://1.2.3.4/",
    ],
)
def test_a_server_that_is_none_is_named(server: str) -> None:
    with pytest.raises(OperatorError) as caught:
        Resolver(DnsSettings(servers=("192.0.2.1", server)), Clock())
    assert caught.value.key == "dns.servers"
    assert caught.value.value == server


@pytest.mark.parametrize(
    "server", ["192.0.2.1", "192.0.2.1:5353", "::1", "[::1]", "[::1]:5353", "https://a.test/dns-query"]
)
def test_servers_may_have_a_port(server: str) -> None:
    Resolver(DnsSettings(servers=(server,)), Clock())


def test_it_says_what_it_does() -> None:
    async def story(server: NameServer, resolver: Resolver, clock: Clock) -> None:
        await resolver.resolve("a.test")
        await resolver.resolve("a.test")
        await resolver.resolve("b.test")
        await resolver.resolve("c.test")
        counted = resolver.statistics()
        assert (counted.asked, counted.hits, counted.unknown, counted.failed, counted.kept) == (3, 1, 1, 1, 3)
        assert repr(resolver) == "<Resolver: 3 names kept, 0 being asked for>"

    failed = Record(rcode=SERVFAIL)
    play(story, {V4: found("192.0.2.1"), ("c.test", "A"): failed, ("c.test", "AAAA"): failed})
