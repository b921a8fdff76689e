"""What is to happen to one simulated fleet, all of it from one seed: the web, the settings, and the faults."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from msgspec import Struct, structs

from skitter.settings import FrontierSettings, PolitenessSettings, Settings
from skitter.sim.grow import PLATFORM, Shape
from skitter.sim.life import ANY, STEP
from skitter.sim.run.trial import PLACES, Trial, trial_of


class Size(Struct, frozen=True):
    """How large a fleet and its web are: from, to."""

    odds: float
    nodes: tuple[int, int]
    sites: tuple[int, int]
    pages: tuple[int, int]
    shards: tuple[int, ...]
    begins: float  # seconds until the last of what goes wrong begins: there is work for about as long
    faulty: float  # seconds after which all is well
    often: float  # how often a place is passed, against the largest


SIZES = (
    Size(0.90, (2, 3), (2, 4), (30, 70), (2, 3), begins=20.0, faulty=45.0, often=0.5),
    Size(0.095, (2, 5), (8, 20), (40, 140), (3, 8), begins=60.0, faulty=90.0, often=1.0),
    Size(0.005, (6, 50), (20, 60), (100, 300), (16, 64), begins=60.0, faulty=90.0, often=1.0),
)
"""Most are small: what goes wrong takes two nodes and a few pages, and many are needed to see it go wrong."""

FLEET_PLACES = {place: times for place, times in PLACES.items() if not place.startswith(("bus.", "inbox."))} | {
    "broker.append": 100,
    "broker.acked": 100,
    "broker.trim": 4,
    "checkpoint.send": 6,
    "checkpoint.manifest": 6,
    "checkpoint.taken": 6,
    "checkpoint.restore": 3,
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
    domain: str = ""
    over: tuple[int, ...] = ()

    def __str__(self) -> str:
        match self.what:
            case "kill":
                disk = " and its disk is lost" * self.disk
                return f"kill node {self.node} in its life {self.life} at {self.place} {self.number}{disk}"
            case "kill at":
                return f"kill node {self.node} at {self.at:.1f}" + " and its disk is lost" * self.disk
            case "stop" | "cut":
                return f"{self.what} node {self.node} from {self.at:.1f} to {self.until:.1f}"
            case "down" | "archive is full" | "bucket away":
                return f"{self.what} from {self.at:.1f} to {self.until:.1f}"
            case "leave":
                return f"node {self.node} leaves at {self.at:.1f} and is back at {self.until:.1f}"
            case "move":
                return f"half of shard {self.shard} goes to shard {self.to} at {self.at:.1f}"
            case "spread":
                return f"{self.domain} is spread over shards {self.over} at {self.at:.1f}"
            case "late" | "ack lost":
                return f"{self.what}, {self.share:.1%}"
            case "bucket slow":
                return f"{self.what}: {self.share:.1f} s"
        return self.what


class FleetTrial(Struct, frozen=True):
    """One fleet, whole."""

    seed: int
    shape: Shape
    nodes: int
    settings: Settings
    base: Trial  # how nodes go about it
    faulty: float  # seconds in which things go wrong
    look: float  # how often a node looks at what it holds
    checkpoints: float  # every so many seconds; 0: none
    faults: tuple[Fault, ...]

    def __str__(self) -> str:
        head = f"fleet {self.seed}: {self.shape.sites} sites, {self.shape.pages} pages, {self.nodes} nodes"
        head += f", checkpoints every {self.checkpoints} s" * bool(self.checkpoints)
        return "\n".join([head, *(f"  {fault}" for fault in self.faults)])


def fleet_trial_of(seed: int) -> FleetTrial:
    """Returns the trial of a seed, always the same."""
    draw = Random(f"fleet {seed}")  # noqa: S311 (repeatable on purpose)
    base = structs.replace(trial_of(seed), lazy=False, faults=())
    size = draw.choices(SIZES, [size.odds for size in SIZES])[0]
    nodes = draw.randint(*size.nodes)
    frontier: FrontierSettings = structs.replace(base.settings.frontier, shards=draw.choice(size.shards))
    # With a delay there is work for as long as things go wrong: who is away must come back to a host that is asked.
    politeness: PolitenessSettings = structs.replace(base.settings.politeness, delay=draw.choice((1.0, 1.0, 2.0)))
    moves = Random(f"moves {seed}")  # noqa: S311 (so that what else befalls a fleet stays what it was)
    spread = Random(f"spread {seed}")  # noqa: S311 (likewise)
    sites = draw.randint(*size.sites)
    spreading = _spread(spread, sites, frontier.shards, size.begins)
    return FleetTrial(
        seed,
        Shape(
            sites=sites,
            is_platform=any(fault.domain == PLATFORM for fault in spreading),
            pages=draw.randint(*size.pages),
            changes_at=draw.choice((20.0, 60.0, 200.0)),
        ),
        nodes,
        structs.replace(base.settings, frontier=frontier, politeness=politeness),
        structs.replace(base, tick=draw.choice((0.1, 0.3, 1.0, 1.0))),
        size.faulty,
        draw.choice((0.05, 0.25, 0.25)),
        draw.choice((0.0, 2.0, 5.0, 15.0)),
        (
            *_faults(draw, nodes, size),
            *_moves(moves, frontier.shards, size.begins),
            *spreading,
        ),
    )


def _faults(draw: Random, nodes: int, size: Size) -> list[Fault]:
    kills = [_kill(draw, nodes, number, size.often) for number in range(draw.randint(0, 8))]
    found = list({(fault.node, fault.life): fault for fault in kills}.values())
    kinds = draw.sample(list(_KINDS), draw.randint(1, 5))
    return found + [_KINDS[kind](_Draw(draw, nodes, size.begins)) for kind in kinds]


def _kill(draw: Random, nodes: int, number: int, often: float) -> Fault:
    place = draw.choice([*FLEET_PLACES, *3 * ("broker.append", "broker.acked")])  # where a commit is in pieces
    most = FLEET_PLACES[place] * often * (10 if place in (STEP, ANY) else 1)
    lost = draw.random() < 0.3
    return Fault(
        "kill", draw.randrange(nodes), 1 + number // nodes, place, draw.randint(1, max(2, int(most))), disk=lost
    )


def _moves(draw: Random, shards: int, last: float) -> list[Fault]:
    """Slots go from shard to shard while the fleet works: to one that is there, to a new one, and back."""
    times = sorted(draw.uniform(2, last) for _ in range(draw.choice((0, 0, 1, 2, 4))))
    return [Fault("move", at=at, shard=draw.randrange(shards + 1), to=draw.randrange(shards + 1)) for at in times]


def _spread(draw: Random, sites: int, shards: int, last: float) -> list[Fault]:
    """Domains outgrow their shard: their hosts are dealt out over several."""
    found = []
    names = draw.choice(([], [PLATFORM], [f"s{number}.test" for number in draw.sample(range(sites), 2)]))
    for domain in names:
        over = tuple(draw.randrange(shards + 1) for _ in range(draw.randint(2, 4)))
        found.append(Fault("spread", at=draw.uniform(2, last), domain=domain, over=over))
    return found


class _Draw(Struct, frozen=True):
    random: Random
    nodes: int
    last: float

    def at(self, what: str, longest: float) -> Fault:
        """Returns something that lasts, for so many seconds at the most."""
        at = self.random.uniform(1, self.last)
        return Fault(what, self.random.randrange(self.nodes), at=at, until=at + self.random.uniform(0.5, longest))

    def kill(self) -> Fault:
        """Returns a death, with its disk or without."""
        return structs.replace(self.at("kill at", 1), disk=self.random.random() < 0.5)

    def share(self, what: str, least: float, most: float) -> Fault:
        """Returns something that is so all the time."""
        return Fault(what, share=self.random.uniform(least, most))


_KINDS: dict[str, Callable[[_Draw], Fault]] = {
    "stop": lambda draw: draw.at("stop", 30),
    "stop again": lambda draw: draw.at("stop", 30),
    "cut": lambda draw: draw.at("cut", 30),
    "cut again": lambda draw: draw.at("cut", 30),
    "down": lambda draw: draw.at("down", 30),
    "leave": lambda draw: draw.at("leave", 20),
    "full": lambda draw: draw.at("archive is full", 20),
    "kill at": _Draw.kill,
    "kill at again": _Draw.kill,
    "late": lambda draw: draw.share("late", 0.002, 0.05),
    "ack lost": lambda draw: draw.share("ack lost", 0.002, 0.05),
    "bucket away": lambda draw: draw.at("bucket away", 20),
    "bucket slow": lambda draw: draw.share("bucket slow", 0.5, 12),
}
