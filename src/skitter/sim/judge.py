"""The judge: what the log of a simulated web proves of the crawl that it saw. Log in, breaches out, in words.

    one at a time     a host never has two requests in flight
    delays            nor two closer than its delay, or before it wants us again      (judge_delays)
    robots            nothing is fetched that robots.txt forbids, or while it can't be read      (judge_robots)
    once              nothing is fetched again that was settled; a death repeats one page of a host at the most

What a crawler was told counts once it is in the archive: before that a death makes it forget, and nobody can blame it.
Times are the loop's, which no clock that is set can shift.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct, structs

from skitter.messages import Errand
from skitter.settings import Settings
from skitter.sim.archive import Kept
from skitter.sim.judge_delays import too_early
from skitter.sim.judge_robots import unallowed
from skitter.sim.web import Request
from skitter.sim.world import World

UNDER_OTHERS = frozenset({Errand.PROBE, Errand.PART})
"""What is asked for under the lease of a page."""
EPSILON = 1e-6
"""A clock of seconds since the epoch can't tell shorter times apart."""
WAKING = 0.3
"""Seconds in which a process that goes on finds that its leases have ended, and cuts off what is under way."""


class Evidence(Struct, frozen=True):
    """What is known of a crawl when it is over."""

    world: World
    log: Sequence[Request]  # in the order of their beginnings
    stored: frozenset[int]  # places in the log of what is in the archive
    settings: Settings = Settings()
    clock_was_set: bool = False
    rendered: frozenset[int] = frozenset()  # places in the log of pages that were rendered, of what is stored
    turns: Callable[[Request], tuple[object, bool]] | None = None  # who asked, and whether that one ended well

    def with_turns(self, turns: Callable[[Request], tuple[object, bool]]) -> Evidence:
        """Returns the same with those who asked told apart otherwise than by their lives."""
        return structs.replace(self, turns=turns)


def evidence(
    world: World, log: Iterable[Request], kept: Iterable[Kept], settings: Settings, *, clock_was_set: bool = False
) -> Evidence:
    """Returns what the log and the archive say, put together."""
    ordered = sorted(log, key=lambda request: request.began)
    captured = {
        (id(one.life), one.capture.fetched.lease.href, one.capture.fetched.began): one.capture.snapshot is not None
        for one in kept
    }
    stored = {
        place: captured[told]
        for place, request in enumerate(ordered)
        if (told := (id(request.life), request.href, request.said)) in captured and not request.was_cut
    }
    rendered = frozenset(place for place, is_rendered in stored.items() if is_rendered)
    return Evidence(world, ordered, frozenset(stored), settings, clock_was_set, rendered)


def judge(case: Evidence) -> list[str]:
    """Returns every breach of a promise."""
    rules: tuple[Callable[[Evidence], Iterator[str]], ...] = (_two_at_once, _too_early, _unallowed, _fetched_again)
    return [breach for rule in rules for breach in rule(case)]


def _two_at_once(case: Evidence) -> Iterator[str]:
    for host, requests in _by_host(case).items():
        for (_, before), (_, after) in pairwise(requests):
            is_over = before.ended is not None and after.began >= before.ended - EPSILON
            if not is_over and not _stood_still(before, after):
                yield f"{host} had two requests at once: {_said(before)}, and {_said(after)}"


def _stood_still(before: Request, after: Request) -> bool:
    """Whether a request was under way in a process that stood still, and could not be cut off, when another began.

    Only another process may have begun it: it can't know that the first has a connection open (decision 0026).
    """
    return before.life is not after.life and any(
        before.began <= since <= after.began <= until + WAKING for since, until in before.life.stops
    )


def _too_early(case: Evidence) -> Iterator[str]:
    for host, requests in _by_host(case).items():
        told = [(request, place in case.stored) for place, request in requests]
        # What a robots.txt elsewhere led to tells of the host that it was asked for, not of the one that was asked.
        yield from too_early(host, told, case.settings, has_sleep=not case.clock_was_set)


def _unallowed(case: Evidence) -> Iterator[str]:
    yield from unallowed(case.world, case.log, case.stored, has_age=not case.clock_was_set)


def _fetched_again(case: Evidence) -> Iterator[str]:
    turn_of = case.turns or _life_of
    last = _last_of_each_turn(case.log, turn_of)
    settled: dict[tuple[str, Errand], Request] = {}
    for place, request in enumerate(case.log):
        if request.origin or request.errand in UNDER_OTHERS:
            continue
        # A page in need is asked for once more, for a browser: that once too, if the browser did not fail.
        is_rendering = request.errand is Errand.RENDER
        kind = Errand.RENDER if is_rendering else Errand.PAGE
        before = settled.get((request.key, kind))
        if before is not None:
            yield f"{request.key} was settled and is fetched again: {_said(before)}, and {_said(request)}"
        turn, ended_well = turn_of(request)
        died_with_it = not ended_well and last[turn, request.host] is request
        is_stored = place in (case.rendered if is_rendering else case.stored)
        if is_stored and _is_final(case.world, request) and not died_with_it:
            settled[request.key, kind] = request


def _life_of(request: Request) -> tuple[object, bool]:
    return id(request.life), request.life.ended_well


def _last_of_each_turn(
    log: Iterable[Request], turn_of: Callable[[Request], tuple[object, bool]]
) -> Mapping[tuple[object, str], Request]:
    # A probe is made under the lease of a page: whoever dies meanwhile dies with that.
    return {(turn_of(one)[0], one.host): one for one in log if one.errand not in UNDER_OTHERS}


def _is_final(world: World, request: Request) -> bool:
    """Whether an answer settles a page for good: it was answered, and not with a better form of the same URL."""
    if request.location is not None:
        to = world.lead(request.location, request.href)
        return to is not None and to.url.key != request.key and not world.goes_round(to)
    return 200 <= request.status < 300 or request.status in (404, 410, 451)


def _by_host(case: Evidence) -> dict[str, list[tuple[int, Request]]]:
    hosts: dict[str, list[tuple[int, Request]]] = defaultdict(list)
    for place, request in enumerate(case.log):
        hosts[request.host].append((place, request))
    return hosts


def _said(request: Request) -> str:
    until = "…" if request.ended is None else f"{request.ended:.3f}"
    return f"{request.href} by {request.life.name} from {request.began:.3f} to {until} ({request.outcome()})"
