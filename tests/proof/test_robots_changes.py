"""robots.txt that changes from one state to another while the crawl goes on, over a day that takes seconds.

A node runs in this process with a clock that can leap. Before each phase the clock leaps, and two more URLs of every
host are offered: /open/N and /shut/N. The rules, where there are any, shut /shut. What the server was asked for in
each phase is the whole proof. In the middle the node is stopped and another goes on: what is known must be on disk.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from skitter.cli.app import app
from skitter.clock import steady_clock
from skitter.folder import locks
from skitter.folder.crawlfile import read_crawl
from skitter.folder.inbox import FolderInbox
from skitter.node.build import built
from skitter.node.node import Node
from skitter.node.status import Command, NodeStart
from skitter.settings import (
    DAY,
    DnsSettings,
    FetchSettings,
    FrontierSettings,
    IdentitySettings,
    PolitenessSettings,
    RobotsSettings,
    ScopeSettings,
    Settings,
)
from skitter.simweb.answer import Answer
from skitter.simweb.log import Request
from skitter.simweb.nameserver import UNKNOWN, Entry, NameServer, found, zone
from skitter.simweb.play import NEVER, RESET, Play, in_turn, moved, status, text
from skitter.simweb.server import SimWeb
from skitter.supervisor import begin as crawl
from tests.proof.robots_web import NETWORK, ROBOTS, asked, name_of, rules, world_of

PHASES = (0.0, 130.0, 260.0, 520.0, DAY + 600.0)
"""When each begins, in seconds from the start: what is good for a minute and a half is asked for in each of them, what
failed after five minutes, and a day is the longest that rules are kept."""
RESTART = 2
"""The phase before which the node is stopped and another one started."""
PHASE = 40.0
"""How long each is: whoever is to be visited later than that has a turn in a later phase."""

SOON = ("Cache-Control", "max-age=90")
SHUT = rules(SOON)
SHUT_FOR_A_DAY = rules()
ALL_SHUT = rules(SOON, body="User-agent: *\nDisallow: /\n")
HTML = text("<!DOCTYPE html><title>Welcome</title><p>Nothing to see</p>", "text/html", SOON)
NONE = status(404, SOON)


class Case(NamedTuple):
    """What robots.txt is at first, and then, …; what is asked for in each phase; what becomes of the last URLs."""

    answers: Sequence[Answer | Play]
    phases: str  # r: robots.txt, o1: /open/1, s1: /shut/1
    last_open: str  # of /open/4: its state, and why
    access: str
    name: Entry | None = None


# What is allowed by now of what was forbidden before is fetched too, after what was queued.
CASES: dict[str, Case] = {
    "rules-for-a-day": Case([SHUT_FOR_A_DAY], "r o0 | o1 | o2 | o3 | r o4", "done", "rules"),
    "rules-for-a-short-time": Case([SHUT], "r o0 | r o1 | r o2 | r o3 | r o4", "done", "rules"),
    "allowed-then-forbidden": Case([SHUT, ALL_SHUT], "r o0 | r | r | r | r", "skipped robots_disallow", "rules"),
    "forbidden-then-allowed": Case([ALL_SHUT, SHUT], "r | r o1 o0 | r o2 | r o3 | r o4", "done", "rules"),
    "none-then-rules": Case([NONE, SHUT], "r o0 s0 | r o1 | r o2 | r o3 | r o4", "done", "rules"),
    "rules-then-none": Case([SHUT, NONE], "r o0 | r o1 s1 s0 | r o2 s2 | r o3 s3 | r o4 s4", "done", "allow_all"),
    "rules-then-403": Case(
        [SHUT, status(403, SOON)], "r o0 | r o1 s1 s0 | r o2 s2 | r o3 s3 | r o4 s4", "done", "allow_all"
    ),
    "rules-then-html": Case([SHUT, HTML], "r o0 | r o1 s1 s0 | r o2 s2 | r o3 s3 | r o4 s4", "done", "rules"),
    "rules-then-304": Case([SHUT, Answer(304)], "r o0 | r o1 | o2 | o3 | r o4", "done", "rules"),
    # The rules hold for a day from when they were read.
    "rules-then-503": Case([SHUT, status(503)], "r o0 | r o1 | o2 | r o3 | r", "queued", "deny_all"),
    "rules-then-429": Case([SHUT, status(429)], "r o0 | r o1 | o2 | r o3 | r", "queued", "deny_all"),
    "rules-then-500": Case([SHUT, status(500)], "r o0 | r o1 | o2 | r o3 | r", "queued", "deny_all"),
    "rules-then-reset": Case([SHUT, RESET], "r o0 | r o1 | o2 | r o3 | r", "queued", "deny_all"),
    "rules-then-time-out": Case([SHUT, NEVER], "r o0 | r o1 | o2 | r o3 | r", "queued", "deny_all"),
    "rules-then-loop": Case([SHUT, moved(ROBOTS)], "r o0 | r o1 | o2 | r o3 | r", "queued", "deny_all"),
    "rules-then-500-then-rules": Case(
        [SHUT, status(500), ALL_SHUT], "r o0 | r o1 | o2 | r | r", "skipped robots_disallow", "rules"
    ),
    "none-then-503": Case([NONE, status(503)], "r o0 s0 | r |  | r | r", "queued", "deny_all"),
    "503-then-rules": Case([status(503), SHUT], "r |  |  | r o0 o1 o2 o3 | r o4", "done", "rules"),
    "503-then-none": Case([status(503), NONE], "r |  |  | r o0 s0 o1 s1 o2 s2 o3 s3 | r o4 s4", "done", "allow_all"),
    "503-twice-then-rules": Case([status(503), status(503), SHUT], "r |  |  | r | r o0 o1 o2 o3 o4", "done", "rules"),
    "500-then-rules": Case([status(500), SHUT], "r |  |  | r o0 o1 o2 o3 | r o4", "done", "rules"),
    "500-asks-for-an-hour": Case(
        [status(500, ("Retry-After", "3600")), SHUT], "r |  |  |  | r o0 o1 o2 o3 o4", "done", "rules"
    ),
    "time-out-then-rules": Case([NEVER, SHUT], "r |  |  | r o0 o1 o2 o3 | r o4", "done", "rules"),
    "reset-then-forbidden": Case([RESET, ALL_SHUT], "r |  |  | r | r", "skipped robots_disallow", "rules"),
    "429-asks-for-an-hour": Case(
        [status(429, ("Retry-After", "3600")), SHUT], "r |  |  |  | r o0 o1 o2 o3 o4", "done", "rules"
    ),
    "name-goes": Case([SHUT], "r o0 |  |  |  | ", "queued", "deny_all", [found("127.24.200.1", ttl=1), UNKNOWN]),
    "name-comes": Case([SHUT], "|  |  | r o0 o1 o2 o3 | r o4", "done", "rules", [UNKNOWN, found("127.24.200.2")]),
}


class LeapingClock:
    """A clock that counts on as any other, and can be told to leap forward."""

    def __init__(self) -> None:
        self._steady = steady_clock()
        self._leapt = 0.0
        self.start = self()

    def __call__(self) -> float:
        return self._steady() + self._leapt

    def leap(self, seconds: float) -> None:
        """Leaps forward, never back."""
        self._leapt += max(0.0, seconds)

    def leap_to(self, since_start: float) -> None:
        """Leaps to so many seconds after the start; it must not be there yet."""
        leap = self.start + since_start - self()
        assert leap >= 0 or since_start == 0, "the phase before took too long"
        self.leap(leap)


class Seen(NamedTuple):
    """What the crawl left: the requests of each host in each phase, and its folder."""

    phases: dict[str, list[list[str]]]
    origins: dict[str, str]
    folder: Path


def settings_with(names: NameServer) -> Settings:
    return Settings(
        identity=IdentitySettings(contact="us@sim.test"),
        scope=ScopeSettings(reach="host"),
        robots=RobotsSettings(guess_sitemap=False),  # `test_robots_states` has it: here each letter is a request
        politeness=PolitenessSettings(delay=0.05, address_rate=1000.0),
        frontier=FrontierSettings(shards=4),
        dns=DnsSettings(servers=(names.address,), allow_nets=(NETWORK,)),
        # No connection is kept: one that is closed in between would have to be asked for again.
        fetch=FetchSettings(first_byte_timeout=2.0, max_connections=0),
    )


async def play(out: Path, settings: Settings, clock: LeapingClock, origins: Sequence[str], phases: range) -> None:
    """Runs a node through some of the phases."""
    assert not locks.nodes_at_work(out)
    order = NodeStart(str(out), 0, 1, settings, offer(out, settings, clock, origins, phases[0]))
    async with built(order, lambda _: None, clock) as (node, notes):
        running = asyncio.create_task(node.run(notes))
        try:
            await until_quiet(node, order, clock)
            for number in phases[1:]:
                offer(out, settings, clock, origins, number)
                await until_quiet(node, order, clock)
        finally:
            node.obey(Command(stop=True))
            await running


def offer(out: Path, settings: Settings, clock: LeapingClock, origins: Sequence[str], number: int) -> Sequence[str]:
    """Leaps to a phase and adds its URLs to the crawl; returns all of its seeds."""
    clock.leap_to(PHASES[number])
    urls = [f"{origin}/{place}/{number}" for origin in origins for place in ("open", "shut")]
    if number == 0:
        return crawl.begin(out, urls, settings, clock()).seeds
    crawl.add_seeds(out, urls, settings)
    return read_crawl(out).seeds


async def until_quiet(node: Node, order: NodeStart, clock: LeapingClock) -> None:
    """Returns when the node has nothing to do for a while. A host that waits is not waited for: the clock leaps."""
    ends = clock() + PHASE
    async with asyncio.timeout(60):
        while True:
            await asyncio.sleep(0.02)
            now = node.status()
            has_mail = any(FolderInbox(Path(order.directory)).pending(range(order.settings.frontier.shards)))
            if not now.idle or has_mail:
                continue
            next_at = now.frontier.next_at
            if next_at is None or next_at > ends:
                return
            clock.leap(next_at - clock())


def by_phase(requests: Sequence[Request], start: float) -> list[list[str]]:
    """Returns what was asked for in each phase, in short."""
    found: list[list[str]] = [[] for _ in PHASES]
    for request in requests:
        phase = sum(request.began_wall >= start + at for at in PHASES[1:])
        kind, number = request.path.split("/")[1][0], request.path.rpartition("/")[2]
        found[phase].append("r" if request.path == ROBOTS else f"{kind}{number}")
    return found


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    folder, clock = tmp_path_factory.mktemp("changes"), LeapingClock()
    world = world_of({case: in_turn(*row.answers) for case, row in CASES.items()})
    odd = {name_of(case): row.name for case, row in CASES.items() if row.name is not None}

    async def main() -> dict[str, str]:
        async with (
            SimWeb(world, log=folder / "log", wall=clock) as web,
            NameServer({**zone(web.world), **odd}) as names,
        ):
            settings, origins = settings_with(names), {case: web.origin(name_of(case)) for case in CASES}
            with locks.locked(folder / "out"):
                for phases in (range(RESTART), range(RESTART, len(PHASES))):
                    await play(folder / "out", settings, clock, list(origins.values()), phases)
            return origins

    origins = asyncio.run(main())
    requests = asked(folder / "log")
    return Seen(
        {case: by_phase(requests.get(name_of(case), []), clock.start) for case in CASES}, origins, folder / "out"
    )


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_in_each_phase_just_what_was_allowed_by_then_is_asked_for(seen: Seen, case: str) -> None:
    assert seen.phases[case] == [phase.split() for phase in CASES[case].phases.split("|")]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_why_tells_what_became_of_the_last(seen: Seen, case: str) -> None:
    words = ["why", str(seen.folder), f"{seen.origins[case]}/open/4", "--json"]
    story = json.loads(CliRunner().invoke(app(), words, catch_exceptions=False).stdout)
    fate = [story["found"]["state"], story["found"]["reason"]]
    assert " ".join(filter(None, fate)) == CASES[case].last_open
    assert story["robots"]["access"] == CASES[case].access


@pytest.mark.slow
def test_the_audit_comes_to_the_same_from_the_archive(seen: Seen) -> None:
    done = CliRunner().invoke(app(), ["audit", str(seen.folder), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.stdout
