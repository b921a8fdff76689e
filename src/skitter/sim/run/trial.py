"""What is to happen in one simulated crawl, all of it from one seed: the web, the settings, and the faults.

A fault is a line that can be read, and left out: what is left of a trial is a trial. So the fewest faults that still
break something can be searched for.
"""

from __future__ import annotations

from random import Random

from msgspec import Struct, structs

from skitter.settings import (
    FrontierSettings,
    IdentitySettings,
    JudgeSettings,
    NodeSettings,
    PolitenessSettings,
    RenderSettings,
    ScopeSettings,
    Settings,
    StoreSettings,
)
from skitter.sim.grow import Shape
from skitter.sim.life import ANY, STEP

HOUR = 3600.0

PLACES: dict[str, int] = {
    "store.write": 60,
    "store.written": 60,
    "store.open": 6,
    "archive.append": 25,
    "archive.write": 25,
    "archive.written": 25,
    "fetch.dial": 25,
    "fetch.request": 25,
    "page.read": 20,
    "dns.ask": 6,
    "bus.send": 12,
    "bus.answered": 12,
    "inbox.done": 1,
    "file.write": 4,
    "file.torn": 4,
    ANY: 300,
    STEP: 1500,
}
"""Where a life may end, and up to how many times it may pass there before. What comes to pass seldom is drawn as often
as what does all the time."""


class Fault(Struct, frozen=True):
    """Something that goes wrong. `what` says which of the fields count."""

    what: str
    node: int = 0
    life: int = 0
    place: str = ""
    number: int = 0
    session: int = 0
    at: float = 0.0
    until: float = 0.0
    share: float = 0.0

    def __str__(self) -> str:
        match self.what:
            case "kill":
                return f"kill node {self.node} in its life {self.life} at {self.place} {self.number}"
            case "write fails" | "sync fails":
                return f"{self.what}, the {self.number}th"
            case "disk is slow" | "frames are late":
                return f"{self.what}: {self.share:.2f} s"
            case "frames are lost" | "answers are lost" | "frames come twice":
                return f"{self.what}, {self.share:.0%}"
            case "archive is full" | "bus is cut":
                return f"{self.what} from {self.at:.1f} to {self.until:.1f}"
            case "clock is set":
                return f"the clock is set by {self.at:.0f} s before session {self.session}"
            case "hand over":
                return f"hand shard {self.number} over to node {self.node} at {self.at:.1f} of session {self.session}"
            case "kill all" | "kill supervisor" | "stop":
                return f"{self.what} at {self.at:.2f} of session {self.session}"
        return self.what


class Trial(Struct, frozen=True):
    """One crawl, whole."""

    seed: int
    shape: Shape
    nodes: int
    settings: Settings
    sessions: int  # with faults; the patient ones come after
    tick: float
    small: bool  # few at a time, of everything that is done so many at a time
    lazy: bool  # what is noted is committed late
    faults: tuple[Fault, ...]
    browsers_fail: float = 0.0  # the share of pages that they die of, and of those at which they hang

    def __str__(self) -> str:
        shape = f"{self.shape.sites} sites, {self.shape.pages} pages"
        of = f"{self.nodes} nodes, {self.settings.frontier.window_hosts} hosts of {self.settings.frontier.window_urls}"
        small = ", few at a time" * self.small + ", late commits" * self.lazy
        head = f"seed {self.seed}: {shape}, {of} URLs in memory, tick {self.tick}{small}, {self.sessions} sessions"
        return "\n".join([head, *(f"  {fault}" for fault in self.faults)])


def trial_of(seed: int) -> Trial:
    """Returns the trial of a seed, always the same."""
    draw = Random(f"trial {seed}")  # noqa: S311 (repeatable on purpose)
    nodes = draw.choice((1, 2, 2, 3, 4))
    shape = Shape(sites=draw.randint(10, 30), pages=draw.randint(40, 220), changes_at=draw.choice((20.0, 60.0, 200.0)))
    sessions = draw.randint(1, 4)
    faults = tuple(_faults(draw, nodes, sessions))
    return Trial(
        seed,
        shape,
        nodes,
        _settings(draw),
        sessions,
        tick=draw.choice((0.2, 1.0, 1.0, 2.0)),
        small=draw.random() < 0.5,
        lazy=draw.random() < 0.3,
        faults=faults,
    )


def rendering_trial_of(seed: int) -> Trial:
    """Returns the trial of a seed with pages that are empty without a browser, and lives that end while one is at work.

    In every second web nothing else is in the way: then all that those pages say must be found.
    """
    trial, draw = trial_of(seed), Random(f"rendering {seed}")  # noqa: S311 (repeatable on purpose)
    is_calm = seed % 2 == 0
    places = ("browser.open", "browser.think", "fetch.request", "archive.written", STEP)
    kills = [
        Fault("kill", draw.randrange(trial.nodes), draw.randint(1, 3), place, draw.randint(1, PLACES.get(place, 12)))
        for place in draw.choices(places, k=draw.randint(1, 5))
    ]
    return structs.replace(
        trial,
        shape=structs.replace(trial.shape, shells=draw.choice((0.2, 0.5)), is_calm=is_calm),
        settings=structs.replace(trial.settings, render=RenderSettings(budget=1.0, page_seconds=60.0)),
        faults=(*trial.faults, *kills),
        browsers_fail=0.0 if is_calm else draw.choice((0.0, 0.1)),
    )


def _settings(draw: Random) -> Settings:
    return Settings(
        identity=IdentitySettings(contact="sim@sim.test"),
        # Traps and depth depend on the order of things, which the truth of a world knows nothing of.
        scope=ScopeSettings(reach="any", max_depth=1000, max_stale=0),
        politeness=PolitenessSettings(
            delay=draw.choice((0.0, 0.5, 1.0, 1.0, 3.0)),
            max_delay=8.0,
            max_tries=6,
            address_rate=draw.choice((2.0, 20.0)),
        ),
        frontier=FrontierSettings(
            shards=8,
            window_hosts=draw.choice((4, 8, 15, 100)),
            window_urls=draw.choice((1, 2, 8)),
            seen_cache=draw.choice((8, 64, 4096)),
            store_memory=1024**2,
            lease_seconds=draw.choice((30.0, 60.0)),
        ),
        # Every doubt is worth a probe: there are few requests, and this is to find what is wrong with probes.
        judge=JudgeSettings(probe_share=1.0),
        node=NodeSettings(in_flight=draw.choice((3, 500)), stop_seconds=draw.choice((0.0, 5.0, 30.0)), linger=5.0),
        store=StoreSettings(sync_seconds=5.0),
    )


def _faults(draw: Random, nodes: int, sessions: int) -> list[Fault]:
    found = [_kill(draw, nodes, number) for number in range(draw.randint(2, 16))]
    kinds = draw.sample(list(_OTHERS), draw.randint(0, 4))
    found = list({(fault.node, fault.life): fault for fault in found}.values())
    return found + [fault for kind in kinds for fault in _OTHERS[kind](draw, nodes, sessions)]


def _kill(draw: Random, nodes: int, number: int) -> Fault:
    place = draw.choice(list(PLACES))
    node = draw.randrange(nodes)
    return Fault("kill", node=node, life=1 + number // nodes, place=place, number=draw.randint(1, PLACES[place]))


def _writes(draw: Random, _nodes: int, _sessions: int) -> list[Fault]:
    return [Fault("write fails", number=draw.randint(1, 600))]


def _syncs(draw: Random, _nodes: int, _sessions: int) -> list[Fault]:
    return [Fault("sync fails", number=draw.randint(1, 60))]


def _slow(draw: Random, _nodes: int, _sessions: int) -> list[Fault]:
    return [Fault("disk is slow", share=draw.choice((0.1, 1.0, 5.0)))]


def _no_files(_draw: Random, _nodes: int, _sessions: int) -> list[Fault]:
    return [Fault("no files beside the stores")]


def _full(draw: Random, _nodes: int, _sessions: int) -> list[Fault]:
    at = draw.uniform(1, 60)
    return [Fault("archive is full", at=at, until=at + draw.uniform(0.5, 20))]


def _bus(draw: Random, _nodes: int, _sessions: int) -> list[Fault]:
    return [Fault(what, share=draw.uniform(0.02, 0.4)) for what in draw.sample(_LOST, draw.randint(1, 3))]


def _late(draw: Random, _nodes: int, _sessions: int) -> list[Fault]:
    return [Fault("frames are late", share=draw.choice((0.5, 3.0)))]


def _cut(draw: Random, _nodes: int, _sessions: int) -> list[Fault]:
    at = draw.uniform(1, 60)
    return [Fault("bus is cut", at=at, until=at + draw.uniform(1, 20))]


def _clock(draw: Random, _nodes: int, sessions: int) -> list[Fault]:
    by = draw.choice((-1, 1)) * draw.choice((5.0, 100.0, HOUR, 30 * HOUR))
    return [Fault("clock is set", session=draw.randint(2, sessions + 1), at=by)]


def _moves(draw: Random, nodes: int, sessions: int) -> list[Fault]:
    if nodes == 1:
        return []
    moves = [
        Fault(
            "hand over",
            number=draw.randrange(8),
            node=draw.randrange(nodes),
            session=draw.randint(1, sessions),
            at=draw.uniform(0.5, 60),
        )
        for _ in range(draw.randint(1, 6))
    ]
    return sorted(moves, key=lambda fault: (fault.session, fault.at))


def _end(draw: Random, _nodes: int, sessions: int) -> list[Fault]:
    what = draw.choice(("kill all", "kill all", "kill supervisor", "stop"))
    return [Fault(what, session=draw.randint(1, sessions), at=draw.choice((2.0, 20.0, 60.0)) * draw.random())]


_LOST = ("frames are lost", "answers are lost", "frames come twice")
_OTHERS = {
    "writes": _writes,
    "syncs": _syncs,
    "slow": _slow,
    "no files": _no_files,
    "full": _full,
    "bus": _bus,
    "late": _late,
    "cut": _cut,
    "clock": _clock,
    "moves": _moves,
    "moves again": _moves,
    "end": _end,
    "end again": _end,
}
