"""The step of a page's way that takes a browser: what was read becomes what it says there, or is marked for later."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from msgspec import structs

from skitter.judge.need import Need, is_worth_it
from skitter.messages import Errand, Failure, Fetched, Kind, Probed, Rendering
from skitter.node.parts import Parts
from skitter.node.rendering.giving import Giving
from skitter.ports import Rendered, Snapshot
from skitter.reading.meaning import Reading
from skitter.reading.read import read
from skitter.url.keys import host_of

HTML = ("Content-Type", "text/html; charset=utf-8")


class Seen(NamedTuple):
    """What a page means after all, and what it took."""

    reading: Reading
    need: str = ""  # why it should have been rendered, and was not
    rendering: Rendering | None = None
    snapshot: Snapshot | None = None
    parts: tuple[Probed, ...] = ()  # requests to its host
    rested: float | None = None  # when it may be asked for something again
    page: Fetched | None = None  # what it is read from, if that is not what was sent


async def seen(fetched: Fetched, reading: Reading, parts: Parts) -> Seen:
    """Returns what a page means: as it stands in a browser, if the lease is for that and there is one."""
    browsing = parts.browsing
    if browsing is None:
        return Seen(reading)
    need = parts.frontier.rendering.need_of(fetched.lease, fetched, reading)
    is_wanted = fetched.lease.errand is Errand.RENDER and reading.said is not None and fetched.status == 200
    if is_wanted and browsing.is_able():
        return await _render(fetched, reading, need or Need.LEARNT.value, parts)
    if need and not browsing.is_able():
        browsing.miss()
        return Seen(reading, need)  # nobody knows when it is going to be: it is judged as it is
    return Seen(structs.replace(reading, need=need), need) if need else Seen(reading)


async def _render(fetched: Fetched, reading: Reading, why: str, parts: Parts) -> Seen:
    assert parts.browsing is not None
    giving = Giving(fetched, parts)
    result = await parts.browsing.renderer.render(fetched.lease.href, giving)
    if giving.bug is not None:
        raise giving.bug
    if giving.is_lost:
        raise asyncio.CancelledError
    asked, rested = tuple(giving.asked), giving.rested
    if isinstance(result, Failure):
        return Seen(reading, "", Rendering(why, failure=result), None, asked, rested)
    page = _as_shown(fetched, result)
    with parts.marker.holding(fetched.lease.shard, fetched.lease.fingerprint):
        shown = read(page, parts.rules, parts.frontier.remembers)
    words = _words(shown) - _words(reading)
    links = _links(shown) - _links(reading)
    rendering = Rendering(
        why, words, links, result.seconds, result.cost, result.asked, result.refused, result.is_settled
    )
    if giving.missed and not is_worth_it(words, links):
        failure = Failure(Kind.BROWSER_FAILED, f"it could not be given {giving.missed}")
        return Seen(reading, "", structs.replace(rendering, failure=failure), None, asked, rested)
    # One that has less to say than before shows an error of its own, or wants to be clicked on.
    is_poorer = words < 0 and links <= 0
    snapshot = Snapshot(result.dom, result.url, rendering)
    return Seen(reading if is_poorer else shown, "", rendering, snapshot, asked, rested, None if is_poorer else page)


def _as_shown(fetched: Fetched, result: Rendered) -> Fetched:
    """Returns a page as it stands in a browser, in the form in which pages are read."""
    headers = [HTML, *((name, value) for name, value in fetched.headers if name.lower() != "content-type")]
    moved = result.url.partition("#")[0]
    # Scripts give a page another URL without loading anything: relative links are meant from there.
    here = moved if moved and host_of(moved) == fetched.lease.host else fetched.lease.href
    return structs.replace(fetched, lease=structs.replace(fetched.lease, href=here), headers=headers, body=result.dom)


def _words(reading: Reading) -> int:
    return reading.said.words if reading.said is not None else 0


def _links(reading: Reading) -> int:
    return len(reading.found) + reading.known + len(reading.refused)
