"""Modes: how much of a crawl goes on when something is short, or the operator says so. Pure.

    0  as set           everything
    1  gently           delays doubled, half as much under way, the best pages only
    2  known pages      as 1, and nothing that was never fetched: copies are kept fresh
    3  maintenance      nothing is fetched; nodes are up, links are taken in, the state is kept
    4  full stop        the crawl ends in order, with its state kept, and does not begin again until it is told to

The operator sets one, and rules raise it: what is short makes pressure, and a row of the table says which mode follows.
A rule raises a mode at once and takes it back one step at a time, each after a while of clear calm, and never below
what the operator set. Rules never end a crawl: 4 is the operator's.
"""

from __future__ import annotations

from enum import IntEnum

from msgspec import Struct, structs

from skitter.schedule.priority import FRONT
from skitter.settings import ModeSettings, Settings


class Mode(IntEnum):
    """How much of a crawl goes on."""

    AS_SET = 0
    GENTLY = 1
    KNOWN_PAGES = 2
    MAINTENANCE = 3
    FULL_STOP = 4


class Way(Struct, frozen=True):
    """What is done in a mode."""

    words: str
    slower: float = 1.0  # times the delay, and the part of what may be under way
    least: float = 0.0  # the priority from which on pages are fetched
    only_known: bool = False  # pages that were fetched before
    fetches: bool = True


BEST = FRONT[1].least
"""Seeds, what they link to, and what that links to: the upper two classes."""

WAYS: dict[Mode, Way] = {
    Mode.AS_SET: Way("as set"),
    Mode.GENTLY: Way("gently: delays doubled, the best pages only", 2.0, BEST),
    Mode.KNOWN_PAGES: Way("known pages only: nothing new is fetched", 2.0, BEST, only_known=True),
    Mode.MAINTENANCE: Way("maintenance: nothing is fetched", 2.0, fetches=False),
    Mode.FULL_STOP: Way("full stop", 2.0, fetches=False),
}

# By what is short: from which pressure on which mode follows. 1 is what the operator set in `modes`.
RULES: dict[str, tuple[tuple[float, Mode], ...]] = {
    "disk": ((1.0, Mode.GENTLY), (2.0, Mode.KNOWN_PAGES), (4.0, Mode.MAINTENANCE)),
    "memory": ((1.0, Mode.GENTLY), (3.0, Mode.MAINTENANCE)),
    "refused": ((1.0, Mode.GENTLY), (1.7, Mode.MAINTENANCE)),
}
CALM = 0.8
"""What pressure must fall below, of that which raised a mode, before it is taken back."""
HOLD = 60.0
"""Seconds of calm before each step back."""
LEAST_ANSWERS = 500
"""Answers of late below which nothing is concluded from how many were 429 or 503."""


class Signals(Struct, frozen=True):
    """What is known of the machine and of the answers of late. None: nobody can say."""

    room: float | None = None  # bytes free on the disk
    memory: float | None = None  # part of the machine's memory that is available
    answers: int = 0
    refused: int = 0  # of them: 429 and 503


class Standing(Struct, frozen=True):
    """The mode of a crawl, and why."""

    operator: Mode = Mode.AS_SET
    rule: Mode = Mode.AS_SET
    why: str = ""  # by which rule
    calm_since: float | None = None

    @property
    def mode(self) -> Mode:
        """What holds: the stricter of the two."""
        return max(self.operator, self.rule)

    def words(self) -> str:
        """Returns the mode and who wants it, as a sentence goes on after `mode`."""
        by = f"by rule: {self.why}" if self.rule > self.operator else "by the operator"
        return f"{self.mode:d} ({WAYS[self.mode].words}{f'; {by}' if self.mode else ''})"


def pressures(signals: Signals, settings: ModeSettings) -> dict[str, float]:
    """Returns how hard each of the shortages presses: 1 is the operator's limit."""
    found: dict[str, float] = {}
    if signals.room is not None:
        found["disk"] = settings.room / max(1.0, signals.room)
    if signals.memory is not None:
        found["memory"] = settings.memory / max(1e-6, signals.memory)
    if signals.answers >= LEAST_ANSWERS:
        found["refused"] = signals.refused / signals.answers / settings.refused
    return found


def wanted(pressing: dict[str, float]) -> tuple[Mode, str]:
    """Returns the mode that follows from how hard things press, and which of them it follows from."""
    rows = [(mode, name) for name, rule in RULES.items() for limit, mode in rule if pressing.get(name, 0.0) >= limit]
    return max(rows, default=(Mode.AS_SET, ""), key=lambda row: row[0])


def stepped(standing: Standing, signals: Signals, settings: ModeSettings, now: float) -> Standing:
    """Returns the standing after a look at what is short: up at once, down one step after each while of calm."""
    pressing = pressures(signals, settings) if settings.by_rule else {}
    mode, name = wanted(pressing)
    if mode >= standing.rule and mode:
        return structs.replace(standing, rule=mode, why=_told(name, signals), calm_since=None)
    calm, _ = wanted({one: pressure / CALM for one, pressure in pressing.items()})
    if not standing.rule or calm >= standing.rule:
        return structs.replace(standing, calm_since=None)
    since = now if standing.calm_since is None else standing.calm_since
    if now - since < HOLD:
        return structs.replace(standing, calm_since=since)
    lower = Mode(standing.rule - 1)
    return structs.replace(standing, rule=lower, why=standing.why if lower else "", calm_since=now if lower else None)


def in_mode(settings: Settings, mode: Mode) -> Settings:
    """Returns the settings that hold in a mode: what is slower is told to nodes, and in the archive, as settings."""
    slower = WAYS[mode].slower
    if slower == 1.0:
        return settings
    politeness = structs.replace(
        settings.politeness,
        delay=settings.politeness.delay * slower,
        max_delay=max(settings.politeness.max_delay, settings.politeness.delay * slower),
    )
    node = structs.replace(settings.node, in_flight=max(1, int(settings.node.in_flight / slower)))
    return structs.replace(settings, politeness=politeness, node=node)


def _told(name: str, signals: Signals) -> str:
    if name == "disk":
        return f"the disk has {(signals.room or 0.0) / 1e6:,.0f} MB left"
    if name == "memory":
        return f"{signals.memory or 0.0:.1%} of the memory is available"
    return f"{signals.refused / max(1, signals.answers):.0%} of the answers of late are 429 or 503"
