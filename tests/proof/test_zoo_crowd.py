"""All animals at once, beside a hundred good hosts: the node lives, keeps to its memory, and serves the good ones.

The zoo and the good hosts are two servers, so that what the animals cost their own server is not laid at our door.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec import structs

from skitter.messages import LinkKind
from skitter.settings import ScopeSettings, Settings
from skitter.simweb.judge import judge
from skitter.simweb.log import Request
from skitter.simweb.settings import PLAIN
from skitter.simweb.truth import Habits, expected
from skitter.simweb.world import World
from skitter.simweb.zoo import ANIMALS
from tests.proof.zoo import Watched, Zoo, crawl_command, served, watched

GOOD, PAGES, DELAY = 100, 20, 0.5
SECONDS = 50.0
FIRST_BYTE = 15.0
"""Seconds that an animal which never answers is waited for. How quick good hosts are beside it all: `bench/zoo.py`."""
ZOO_NETWORK = "127.21.0.0/16"

LIMITS = Settings()
HEAVY_AT_ONCE = 16
"""Animals that send as much as is taken: all may be held at once, each as sent, as unpacked and as it is written."""
CEILING = (
    150 * 1024**2  # Python and the libraries
    + LIMITS.frontier.store_memory
    + LIMITS.frontier.seen_cache * 8
    + HEAVY_AT_ONCE * 3 * LIMITS.fetch.max_body
)

HABITS = Habits(scope=ScopeSettings(reach="any"), kinds=frozenset(LinkKind) - {LinkKind.EMBED}, patient=False)
WORLD = structs.replace(PLAIN, hosts=GOOD, pages_per_host=PAGES)


class Run(NamedTuple):
    """A crawl of the good hosts beside the zoo."""

    web: Zoo
    requests: list[Request]  # to good hosts
    met: set[str]  # animals
    silent: list[Request]  # to the one that never answers
    watched: Watched
    out: Path


def run(folder: Path, animals: Iterable[str]) -> Run:
    """Crawls the good hosts, and with them these animals."""
    good, bad = folder / "good", folder / "bad"
    good.mkdir(parents=True)
    bad.mkdir()
    size = ("--hosts", str(GOOD), "--pages-per-host", str(PAGES))
    with served(good, (), *size) as web, served(bad, animals, "--hosts", "1", "--network", ZOO_NETWORK) as zoo:
        (folder / "hosts").write_text((bad / "hosts").read_text() + (good / "hosts").read_text())
        seeds = [*web.good(GOOD), *(zoo.url(animal) for animal in animals)]
        limits = ("--delay", str(DELAY), "--workers", "1", "--max-seconds", str(SECONDS), "--allow-net", ZOO_NETWORK)
        times = ("--set", f"fetch.first_byte_timeout={FIRST_BYTE:g}", "--set", "fetch.total_timeout=25")
        both = Zoo(folder, web.port)
        seen = watched(crawl_command(both, folder / "out", seeds, *limits, *times))
        met = {request.host.partition(".zoo.")[0] for request in zoo.requests() if ".zoo." in request.host}
        silent = [request for request in zoo.requests() if request.host.startswith("never-answers.")]
        return Run(web, web.requests(), met, silent, seen, folder / "out")


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run(tmp_path_factory.mktemp("crowd") / "run", ANIMALS)


@pytest.mark.slow
def test_the_node_survives_all_animals_at_once(crowd: Run) -> None:
    assert len(crowd.watched.nodes) == 1, "a node died and was started again"
    failures = crowd.watched.ended["failures"]
    assert isinstance(failures, dict)
    assert not {"our_bug", "crashed_us", "lease_expired"} & set(failures)
    logs = "".join(path.read_text() for path in (crowd.out / "run").glob("*.log"))
    assert "Traceback" not in logs
    assert crowd.met == set(ANIMALS)


@pytest.mark.slow
def test_every_page_of_the_good_hosts_is_fetched_once(crowd: Run) -> None:
    world = World(structs.replace(WORLD, port=crowd.web.port))
    found = judge(crowd.requests, world)
    truth = expected(world, crowd.web.good(GOOD), HABITS)
    assert found.missed(truth) == frozenset()
    assert max(found.pages.values()) == 1
    assert found.most_at_once == 1
    assert not found.too_early(DELAY, tolerance=0.1)


@pytest.mark.slow
def test_memory_stays_within_what_the_settings_allow(crowd: Run) -> None:
    assert crowd.watched.peak < CEILING


@pytest.mark.slow
def test_good_hosts_are_served_while_an_animal_never_answers(crowd: Run) -> None:
    began = min(request.began_wall for request in crowd.silent)
    served = {request.host for request in crowd.requests if began < request.began_wall < began + FIRST_BYTE}
    assert len(served) == GOOD
