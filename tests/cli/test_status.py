"""Status, hosts and the list of the dead, as people read them."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from skitter.cli.demo import next_steps
from skitter.cli.hosts import as_table
from skitter.cli.operator import dead_in_words
from skitter.cli.status import in_words
from skitter.inspection.dead import Dead
from skitter.inspection.hosts import HostLook
from skitter.inspection.standing import Standing
from skitter.inspection.status import Archive, Hosts, Status
from skitter.inspection.waiting import Held
from skitter.messages import Failure, Kind, State
from skitter.supervisor.lastrun import LastRun
from skitter.supervisor.progress import NOTHING

NOW = 1_800_000_000.0
NONE = {state.value: 0 for state in State}
RUN = LastRun(
    began=NOW - 100,
    at=NOW,
    nodes=2,
    counted=structs.replace(NOTHING, pages=1200, received=5_000_000, failures={"gone": 3}),
    page_rate=12.34,
    byte_rate=50_000.0,
    in_flight=7,
    stages={},
    troubles=["node 0: the disk is full"],
)
STATUS = Status(
    directory="/out",
    created=NOW - 3600,
    running=None,
    seeds=1,
    urls=NONE | {"queued": 1234, "done": 50},
    discovered=1284,
    hosts=Hosts(known=9, visited=8, asleep=2, paused=0),
    pages=50,
    requests=70,
    failures=6,
    last_request=NOW - 5,
    archive=Archive(2, 3_000_000),
    instructions=0,
    last_run=None,
)

LINES = [
    ("states", {}, "       1,234  queued     to be fetched\n"),
    ("all of them", {}, "       1,284  URLs found, from 1 seed\n"),
    ("hosts", {}, "Hosts:    9 known, 8 visited, 2 asleep.\n"),
    ("totals", {}, "So far:   70 requests, 6 failures; 2 WARC files with 3.0 MB. Last request: "),
    ("nothing yet", {"last_request": None}, "Nothing was asked for yet."),
    (
        "held back",
        {"held": [Held(Standing.UNVOUCHED, 1200, 3, ["b.org", "c.org"])]},
        "Waiting:  1,200 URLs of 3 hosts because nobody vouches for their domain, which earns its visits page by page: "
        "b.org, c.org.",
    ),
    ("purged", {"purged": 1200}, "Purged:   1,200 queued URLs, since the disk ran full"),
    ("at rest", {}, "/out: not running; begun "),
    ("how to go on", {}, "To go on: skitter crawl --out /out"),
    ("running", {"running": 42}, "/out: running (process 42); begun "),
    (
        "this run",
        {"running": 42, "last_run": RUN},
        "This run: 1,200 pages and 5.0 MB in 1 min 40 s; 12.3 pages and 50.0 kB a second of late; 7 requests",
    ),
    ("trouble", {"running": 42, "last_run": RUN}, "\nTrouble:  node 0: the disk is full"),
    ("cut off", {"last_run": RUN}, "Last run: 1,200 pages and 5.0 MB in 1 min 40 s; it was cut off "),
    ("ended", {"last_run": structs.replace(RUN, ended="stopped")}, "Stopped as you asked."),
    ("errors", {"last_run": RUN}, "\nErrors:   3 gone."),
    ("instructions", {"instructions": 1}, "1 instruction to be carried out when the crawl is started"),
]


@pytest.mark.parametrize(("changes", "line"), [row[1:] for row in LINES], ids=[row[0] for row in LINES])
def test_status_lines(changes: dict[str, object], line: str) -> None:
    assert line in in_words(structs.replace(STATUS, **changes), NOW)


@pytest.mark.parametrize("changes", [{"running": 42}, {"urls": NONE | {"done": 5}}], ids=["running", "nothing left"])
def test_there_is_nothing_to_go_on_with(changes: dict[str, object]) -> None:
    assert "To go on" not in in_words(structs.replace(STATUS, **changes), NOW)


def host(name: str, standing: Standing = Standing.READY, **changes: object) -> HostLook:
    urls = NONE | {"queued": 12, "done": 3, "scheduled": 1, "failed": 2}
    look = HostLook(name, standing, NOW, urls, 1.5, "default", 0.75, 9, 8, 1, NOW, None)
    return structs.replace(look, **changes)


def test_the_table_of_hosts() -> None:
    shown = [
        host("a.org"),
        host("b.org", Standing.ASLEEP, next_at=NOW + 90, delay_because="back-off"),
        host("c.org", Standing.PAUSED, next_at=None),
    ]
    assert as_table(shown, NOW, limit=0, is_running=True).splitlines() == [
        "host   queued  done  failed  skipped  dead           delay  health  next",
        "a.org      12     4       2        0     0           1.5 s    0.75  now",
        "b.org      12     4       2        0     0  1.5 s (slowed)    0.75  in 1 min 30 s, asleep",
        "c.org      12     4       2        0     0           1.5 s    0.75  paused",
    ]


def test_a_host_of_a_crawl_at_rest_has_its_turn_when_that_is_started() -> None:
    assert as_table([host("a.org")], NOW, limit=0, is_running=False).endswith("when the crawl is started")


def test_the_table_says_what_it_leaves_out() -> None:
    shown = as_table([host(f"{number}.org") for number in range(5)], NOW, limit=2, is_running=True)
    assert len(shown.splitlines()) == 4
    assert shown.endswith("… and 3 more: --limit 0 shows all, --json gives all.")


@pytest.mark.parametrize(
    ("last_fetched", "had"), [(None, ""), (NOW - 3600, ", last to be had 1 h ago")], ids=["never", "once"]
)
def test_a_dead_url(last_fetched: float | None, had: str) -> None:
    failure = Failure(Kind.SERVER_ERROR, "HTTP 500")
    one = Dead("http://a.org/x", "a.org", 5, failure, NOW - 60, 500, last_fetched, None)
    assert dead_in_words(one, NOW) == (
        f"http://a.org/x\n    the server broke while it made the page (HTTP 500); 5 tries, given up 1 min ago{had}"
    )


def test_the_commands_to_try_can_be_pasted_into_a_shell() -> None:
    told = next_steps(Path("/tmp/my demo"), {State.DEAD: "http://a.org/?a=1&b=2"})  # noqa: S108
    assert "skitter why '/tmp/my demo' 'http://a.org/?a=1&b=2'  # why this URL was given up" in told
