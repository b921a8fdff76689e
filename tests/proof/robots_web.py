"""A web of hosts that differ in nothing but their robots.txt, and what the server's log says of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from skitter.simweb.answer import Answer
from skitter.simweb.log import Request, read_log
from skitter.simweb.play import Play, by_path, moved, page, text
from skitter.simweb.settings import WorldSettings
from skitter.simweb.world import World

ROBOTS = "/robots.txt"
SITEMAP = "/sitemap.xml"
RULES = "User-agent: *\nDisallow: /shut\n"
NETWORK = "127.24.0.0/16"
LEAF = page()

_HERE = WorldSettings(hosts=1, pages_per_host=1, network=NETWORK)


def name_of(case: str) -> str:
    """Returns the name of the host on which a case is played."""
    return f"{case}.sim.test"


def world_of(
    robots: Mapping[str, Answer | Play], more: Mapping[str, Answer | Play] | None = None, pages: Answer = LEAF
) -> World:
    """Returns a world with a host for each case: its robots.txt, `more` of its paths, and `pages` at all others."""
    plays = {name_of(case): by_path({ROBOTS: answer, **(more or {})}, pages) for case, answer in robots.items()}
    return World(_HERE, plays=plays)


def hops(count: int, end: Answer) -> dict[str, Answer]:
    """Returns /hop/1 to /hop/`count`, each of which redirects to the next; the last is `end`."""
    return {f"/hop/{count}/{n}": moved(f"/hop/{count}/{n + 1}") if n < count else end for n in range(1, count + 1)}


def asked(log: Path) -> dict[str, list[Request]]:
    """Returns the requests of each host by its name, in order."""
    found: dict[str, list[Request]] = {}
    for request in sorted(read_log(log), key=lambda request: request.began):
        found.setdefault(request.host.partition(":")[0], []).append(request)
    return found


def paths(requests: Iterable[Request]) -> list[str]:
    """Returns what was asked for."""
    return [request.path for request in requests]


def rules(*headers: tuple[str, str], body: str | bytes = RULES) -> Answer:
    """Returns a robots.txt that shuts /shut and nothing else."""
    return text(body, "text/plain", *headers)
