"""From one address to the nodes of a crawl: who has a lease, whose a URL is, and who has something to give."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias, TypeVar

from msgspec import structs

from skitter.api.problems import Problem
from skitter.url.keys import host_of
from skitter.url.parse import parse
from skitter.work.messages import (
    Accepted,
    Answer,
    Asked,
    AskPart,
    AskPartFacts,
    Beat,
    Beaten,
    Checked,
    Ended,
    Failed,
    Given,
    Leases,
    Offered,
    Part,
    Question,
    Result,
    Shown,
    ShownFacts,
    Told,
    Wanted,
)

Line: TypeAlias = Callable[[Asked], Awaitable[Answer | None]]
"""Asks a node; None: it is not there just now."""

A = TypeVar("A", Accepted, Part)

SLICE = 0.5
"""Seconds for which all nodes are asked at a time: one that has a lease does not wait for the others for longer."""


class Front:
    """Speaks for all nodes. `owner` says which of them a host belongs to."""

    def __init__(self, lines: Sequence[Line], owner: Callable[[str], int] = lambda _: 0) -> None:
        self._lines = lines
        self._owner = owner
        self._turn = 0

    async def wanted(self, worker: str, wanted: Wanted) -> Leases:
        """Returns leases, of all nodes together no more than were asked for."""
        came = time.monotonic()
        while True:
            left = wanted.wait - (time.monotonic() - came)
            given = await self._wanted_once(worker, structs.replace(wanted, wait=max(0.0, min(SLICE, left))), came)
            if given.leases or left <= SLICE:
                return given

    async def _wanted_once(self, worker: str, wanted: Wanted, came: float) -> Leases:
        shares = self._shares(wanted.count)
        late = time.monotonic() - came
        asks = [self._ask(node, worker, structs.replace(wanted, count=share)) for node, share in shares.items()]
        answers = await asyncio.gather(*asks)
        if all(answer is None for answer in answers):
            raise away()
        leases, now = list[Given](), 0.0
        for node, answer in zip(shares, answers, strict=True):
            if isinstance(answer, Leases):
                now = max(now, answer.now)
                # The worker counts from when it asked us, a node from when we asked it.
                leases += [
                    structs.replace(one, id=f"{node}.{one.id}", seconds=one.seconds + late) for one in answer.leases
                ]
        return Leases(leases, now)

    def _shares(self, count: int) -> dict[int, int]:
        """Returns how many leases each node is asked for: all alike, and by turns where there are more nodes."""
        nodes = len(self._lines)
        self._turn += 1
        order = [(self._turn + place) % nodes for place in range(nodes)]
        return {node: share for place, node in enumerate(order) if (share := (count + nodes - 1 - place) // nodes)}

    async def beat(self, worker: str, beat: Beat) -> Beaten:
        """Returns how long leases may still be worked on."""
        by_node: dict[int, list[str]] = {}
        for text in beat.leases:
            node, id_ = self._split(text)
            if node is not None:
                by_node.setdefault(node, []).append(id_)
        held: dict[str, float] = {}
        for node, ids in by_node.items():
            answer = await self._ask(node, worker, Beat(ids))
            if isinstance(answer, Beaten):
                held |= {f"{node}.{id_}": seconds for id_, seconds in answer.leases.items()}
        return Beaten(held)

    async def told(self, worker: str, text: str, what: Result | Failed | None) -> Accepted:
        """Returns when what was told is settled and safe."""
        node, id_ = self._split(text)
        told = Told(id_, what if isinstance(what, Result) else None, what if isinstance(what, Failed) else None)
        return await self._answered(node, worker, told, text, Accepted)

    async def part(self, worker: str, text: str, asked: AskPartFacts) -> Part:
        """Returns what a page in a worker's browser is given."""
        node, id_ = self._split(text)
        question = AskPart(asked.url, asked.method, asked.kind, asked.headers, asked.body, id_)
        return await self._answered(node, worker, question, text, Part)

    async def shown(self, worker: str, text: str, what: ShownFacts) -> Accepted:
        """Returns when a page that was rendered is with its node."""
        node, id_ = self._split(text)
        return await self._answered(node, worker, Shown(id_, what), text, Accepted)

    async def _answered(self, node: int | None, worker: str, question: Question, text: str, wanted: type[A]) -> A:
        """Returns the answer about a lease. Problem if there is none, or the node is away."""
        answer = Ended() if node is None else await self._ask(node, worker, question)
        if answer is None:
            raise away()
        if not isinstance(answer, wanted):
            right = "a lease that this token holds, and that has not ended"
            raise Problem(410, "There is no such lease: it has ended.", field="id", value=text, right=right)
        return answer

    async def offered(self, worker: str, offered: Offered) -> Checked:
        """Returns what each URL is, in their order."""
        by_node: dict[int, list[int]] = {}
        for place, text in enumerate(offered.urls):
            by_node.setdefault(self._node_of(text), []).append(place)
        states = [""] * len(offered.urls)
        for node, places in by_node.items():
            part = structs.replace(offered, urls=[offered.urls[place] for place in places])
            answer = await self._ask(node, worker, part)
            if not isinstance(answer, Checked):
                raise away()
            for place, state in zip(places, answer.urls, strict=True):
                states[place] = state
        return Checked(states)

    def _node_of(self, text: str) -> int:
        href = parse(text)
        is_url = href is not None and href.startswith(("http://", "https://"))
        return self._owner(host_of(href)) if is_url and href is not None else 0

    def _split(self, text: str) -> tuple[int | None, str]:
        number, _, id_ = text.partition(".")
        is_node = number.isascii() and number.isdecimal() and len(number) < 6 and int(number) < len(self._lines)
        return (int(number) if is_node else None), id_

    async def _ask(self, node: int, worker: str, question: Question) -> Answer | None:
        return await self._lines[node](Asked(worker, question))


def away() -> Problem:
    """Returns what is said while a node is being started again."""
    return Problem(503, "The node is not there just now: ask again.", retry_after=1)
