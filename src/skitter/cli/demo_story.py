"""What happened in the demo of a fleet, by the log of the web that it crawled: no node is asked."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, structs

from skitter.audit.report import MEANINGS, Breach, Report
from skitter.cli.demo_web import Web
from skitter.folder.routesfile import read_routes
from skitter.messages import LinkKind
from skitter.settings import ScopeSettings
from skitter.simweb.judge import judge, repeated
from skitter.simweb.log import Request
from skitter.simweb.truth import Habits, expected
from skitter.url.keys import host_of
from skitter.url.routes import Routes
from skitter.words.figures import counted, number, span

STALL = 0.25
"""Seconds by which two requests may be closer in the web's log than they were sent: all runs on this one machine."""
LOST_WITH_A_DISK = frozenset({Breach.ROBOTS_UNKNOWN, Breach.ROBOTS_STALE, Breach.FALSE_ERRAND, Breach.DANGLING})
"""What an audit finds where a record is not in the archive: one that was on the disk of the node that was killed."""
HABITS = Habits(scope=ScopeSettings(reach="any"), kinds=frozenset(LinkKind) - {LinkKind.EMBED}, patient=False)


class Killed(Struct, frozen=True):
    """A node that was killed, what it held, and who has that now."""

    at: float  # by the clock on the wall
    node: str
    shards: Sequence[int]
    heirs: Mapping[int, str] = {}
    folder: Path | None = None  # of a node that lives: it knows the routes

    def with_heirs(self, owners: Mapping[int, str], folder: Path) -> Killed:
        """Returns the same, with who has its shards now."""
        return structs.replace(
            self, heirs={shard: owners[shard] for shard in self.shards if shard in owners}, folder=folder
        )


class Story(Struct, frozen=True):
    """What the web saw."""

    seconds: float
    requests: int
    pages: int  # answered well, each counted once
    expected: int  # pages, sitemaps and robots.txt that whoever crawls to the end asks for
    missed: list[str]
    killed: str
    moved: dict[str, int]  # shards of the node that was killed, by who has them now
    hosts_moved: int
    back_after: (
        tuple[float, float] | None
    )  # seconds from the kill to the first request for one of their hosts, and last
    twice: list[str]
    twice_of_killed: int
    too_early: dict[str, float]
    most_at_once: int
    forbidden: list[str]
    archived: int  # requests whose records are in S3
    files: int
    breaches: dict[str, int]  # what the audit of the archive found

    @property
    def is_well(self) -> bool:
        """Whether every promise was kept."""
        is_proven = not self.breaches.keys() - LOST_WITH_A_DISK
        return is_proven and not (self.missed or self.too_early or self.forbidden) and self.most_at_once <= 1


def told(web: Web, seeds: Sequence[str], delay: float, killed: Killed, seconds: float, proof: Report) -> Story:
    """Returns what the log of the web says."""
    requests, world = web.requests(), web.world
    findings, truth = judge(requests, world), expected(world, list(seeds), HABITS)
    hosts = _hosts_of(killed, requests)
    again = [request.url for request in repeated(requests)]
    answered = {request.url for request in requests if 200 <= request.status < 300}
    return Story(
        seconds=seconds,
        requests=len(requests),
        pages=len([url for url in answered if not url.endswith(("/robots.txt", ".xml"))]),
        expected=len(truth.pages | truth.sitemaps | truth.robots),
        missed=sorted(findings.missed(truth)),
        killed=killed.node,
        moved={node: list(killed.heirs.values()).count(node) for node in sorted(set(killed.heirs.values()))},
        hosts_moved=len(hosts),
        back_after=_back_after(killed, requests, hosts),
        twice=again,
        twice_of_killed=sum(host_of(url) in hosts for url in again),
        too_early=findings.too_early(delay, STALL),
        most_at_once=findings.most_at_once,
        forbidden=list(findings.forbidden),
        archived=proof.requests,
        files=proof.files,
        breaches={kind.value: count for kind, count in proof.counts.items()},
    )


def _hosts_of(killed: Killed, requests: Sequence[Request]) -> set[str]:
    """Returns the hosts that lay in the shards of the node that was killed."""
    routes: Routes | None = read_routes(killed.folder) if killed.folder is not None else None
    hosts = {host_of(request.url) for request in requests}
    return set() if routes is None else {host for host in hosts if routes.shard_of(host) in killed.shards}


def _back_after(killed: Killed, requests: Sequence[Request], hosts: set[str]) -> tuple[float, float] | None:
    first: dict[str, float] = {}
    for request in requests:
        if request.began_wall > killed.at and host_of(request.url) in hosts:
            first.setdefault(host_of(request.url), request.began_wall - killed.at)
    return (min(first.values()), max(first.values())) if first else None


def lines_of(story: Story, directory: Path) -> Iterator[str]:
    """Yields the story for a terminal."""
    heirs = ", ".join(f"{counted(count, 'shard')} to {node}" for node, count in story.moved.items())
    yield ""
    yield f"What happened, by the log of the web itself, in {span(story.seconds)} from the first download to the end:"
    rows = [
        ("pages", f"{number(story.pages)} pages by {number(story.requests)} requests"),
        ("killed", f"node {story.killed} with its disk: {heirs or 'its shards were not taken'}"),
        ("without", _without(story)),
        ("twice", _twice(story)),
        ("lost", _verdict(story.missed, f"nothing of {number(story.expected)} URLs that are to be asked for")),
        ("too soon", _verdict(list(story.too_early), "no host was asked sooner than its delay allows")),
        ("at once", "no host had two requests at a time" if story.most_at_once <= 1 else f"{story.most_at_once}"),
        ("robots.txt", _verdict(story.forbidden, "nothing was asked for that it forbids")),
        ("audit", _audit(story)),
    ]
    for name, text in rows:
        yield f"  {name:<10}  {text}"
    yield ""
    folder = shlex.quote(str(directory / "nodes" / "a"))
    yield f"The checks above are {'all kept' if story.is_well else 'NOT all kept'}. Look into a node that lived:"
    yield f"  skitter status {folder}"
    yield f"  skitter hosts {folder}"


def _without(story: Story) -> str:
    if story.back_after is None:
        return "nothing of its hosts was left to fetch"
    first, last = story.back_after
    return f"its {story.hosts_moved} hosts were asked again {first:.1f} s (the first) to {last:.1f} s after the kill"


def _twice(story: Story) -> str:
    if not story.twice:
        return "no page was fetched twice"
    return f"{counted(len(story.twice), 'page')}, {story.twice_of_killed} of them of the hosts of node {story.killed}"


def _audit(story: Story) -> str:
    looked = f"{counted(story.files, 'WARC file')} in S3 with {number(story.archived)} requests"
    if not story.breaches:
        return f"{looked} prove the same"
    found = "; ".join(f"{count} × {MEANINGS[Breach(kind)]}" for kind, count in story.breaches.items())
    is_excused = not story.breaches.keys() - LOST_WITH_A_DISK
    return f"{looked}: {found}" + (f" (records were on the disk of {story.killed})" if is_excused else "")


def _verdict(found: Sequence[str], well: str) -> str:
    return well if not found else f"{len(found)}: {', '.join(found[:3])}{' …' if len(found) > 3 else ''}"
