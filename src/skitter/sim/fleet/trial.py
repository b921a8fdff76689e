"""What is to happen to one simulated fleet, all of it from one seed: the web, the settings, and the faults."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from msgspec import Struct, structs

from skitter.settings import FrontierSettings, Settings
from skitter.sim.grow import Shape
from skitter.sim.life import ANY, STEP
from skitter.sim.run.trial import PLACES, Trial, trial_of

FAULTY = 90.0
"""Seconds in which things go wrong."""

FLEET_PLACES = {place: times for place, times in PLACES.items() if not place.startswith(("bus.", "inbox."))} | {
    "broker.append": 100,
    "broker.acked": 100,
}


class Fault(Struct, frozen=True):
    """Something that goes wrong. `what` says which of the fields count."""

    what: str
    node: int = 0
    life: int = 0
    place: str = ""
    number: int = 0
    at: float = 0.0
    until: float = 0.0
    share: float = 0.0
    disk: bool = False  # is lost with the process
    shard: int = 0
    to: int = 0

    def __str__(self) -> str:
        match self.what:
            case "kill":
                disk = " and its disk is lost" * self.disk
                return f"kill node {self.node} in its life {self.life} at {self.place} {self.number}{disk}"
            case "kill at":
                return f"kill node {self.node} at {self.at:.1f}" + " and its disk is lost" * self.disk
            case "stop" | "cut":
                return f"{self.what} node {self.node} from {self.at:.1f} to {self.until:.1f}"
            case "down" | "archive is full":
                return f"{self.what} from {self.at:.1f} to {self.until:.1f}"
            case "leave":
                return f"node {self.node} leaves at {self.at:.1f} and is back at {self.until:.1f}"
            case "move":
                return f"half of shard {self.shard} goes to shard {self.to} at {self.at:.1f}"
            case "late" | "ack lost":
                return f"{self.what}, {self.share:.1%}"
        return self.what


class FleetTrial(Struct, frozen=True):
    """One fleet, whole."""

    seed: int
    shape: Shape
    nodes: int
    settings: Settings
    base: Trial  # how nodes go about it
    faults: tuple[Fault, ...]

    def __str__(self) -> str:
        head = f"fleet {self.seed}: {self.shape.sites} sites, {self.shape.pages} pages, {self.nodes} nodes"
        return "\n".join([head, *(f"  {fault}" for fault in self.faults)])


def fleet_trial_of(seed: int) -> FleetTrial:
    """Returns the trial of a seed, always the same."""
    draw = Random(f"fleet {seed}")  # noqa: S311 (repeatable on purpose)
    base = structs.replace(trial_of(seed), lazy=False, faults=())
    nodes = draw.randint(2, 5)
    frontier: FrontierSettings = structs.replace(base.settings.frontier, shards=draw.choice((3, 8)))
    moves = Random(f"moves {seed}")  # noqa: S311 (so that what else befalls a fleet stays what it was)
    return FleetTrial(
        seed,
        Shape(
            sites=draw.randint(8, 20),
            pages=draw.randint(40, 140),
            changes_at=draw.choice((20.0, 60.0, 200.0)),
            leads_elsewhere=False,  # a host of another node can't be reserved: docs/decisions/0026
        ),
        nodes,
        structs.replace(base.settings, frontier=frontier),
        structs.replace(base, tick=draw.choice((0.1, 0.3))),
        (*_faults(draw, nodes), *_moves(moves, frontier.shards)),
    )


def _faults(draw: Random, nodes: int) -> list[Fault]:
    kills = [_kill(draw, nodes, number) for number in range(draw.randint(0, 8))]
    found = list({(fault.node, fault.life): fault for fault in kills}.values())
    return found + [_KINDS[kind](draw, nodes) for kind in draw.sample(list(_KINDS), draw.randint(1, 5))]


def _kill(draw: Random, nodes: int, number: int) -> Fault:
    place = draw.choice([*FLEET_PLACES, *3 * ("broker.append", "broker.acked")])  # where a commit is in pieces
    times = draw.randint(1, FLEET_PLACES[place] * (10 if place in (STEP, ANY) else 1))
    lost = draw.random() < 0.3
    return Fault("kill", draw.randrange(nodes), 1 + number // nodes, place, times, disk=lost)


def _moves(draw: Random, shards: int) -> list[Fault]:
    """Slots go from shard to shard while the fleet works: to one that is there, to a new one, and back."""
    times = sorted(draw.uniform(2, FAULTY) for _ in range(draw.choice((0, 0, 1, 2, 4))))
    return [Fault("move", at=at, shard=draw.randrange(shards + 1), to=draw.randrange(shards + 1)) for at in times]


def _at(draw: Random, what: str, nodes: int, longest: float) -> Fault:
    at = draw.uniform(1, FAULTY - longest)
    return Fault(what, node=draw.randrange(nodes), at=at, until=at + draw.uniform(0.5, longest))


_KINDS: dict[str, Callable[[Random, int], Fault]] = {
    "stop": lambda draw, nodes: _at(draw, "stop", nodes, 20),
    "stop again": lambda draw, nodes: _at(draw, "stop", nodes, 20),
    "cut": lambda draw, nodes: _at(draw, "cut", nodes, 20),
    "cut again": lambda draw, nodes: _at(draw, "cut", nodes, 20),
    "down": lambda draw, nodes: _at(draw, "down", nodes, 30),
    "leave": lambda draw, nodes: _at(draw, "leave", nodes, 20),
    "full": lambda draw, nodes: _at(draw, "archive is full", nodes, 20),
    "kill at": lambda draw, nodes: structs.replace(_at(draw, "kill at", nodes, 1), disk=draw.random() < 0.5),
    "kill at again": lambda draw, nodes: structs.replace(_at(draw, "kill at", nodes, 1), disk=draw.random() < 0.5),
    "late": lambda draw, _: Fault("late", share=draw.uniform(0.002, 0.05)),
    "ack lost": lambda draw, _: Fault("ack lost", share=draw.uniform(0.002, 0.05)),
}
