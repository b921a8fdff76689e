"""Making a fleet, giving it more seeds, and telling nodes to leave: what the operator does with it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import structs

from skitter.bus.table import Table
from skitter.bus.topics import CRAWL, check_topics, make_topics
from skitter.config.beside import plugins_folder
from skitter.config.load import load
from skitter.config.suffixes import newest_list
from skitter.errors import OperatorError
from skitter.fleet.facts import (
    Facts,
    facts_in,
    keep_facts,
    make_facts,
    post_seeds,
    require_same,
    routes_in,
    tell_to_leave,
)
from skitter.fleet.file import FleetFile, client_of
from skitter.fleet.standing import fleet_standing
from skitter.messages import Discovered
from skitter.schedule.priority import SEED_PRIORITY
from skitter.settings import Settings
from skitter.supervisor.begin import canonical_seeds, require_allowed, require_contact, require_usable
from skitter.url.domains import Domains
from skitter.url.keys import fingerprint
from skitter.url.routes import Routes


def make_fleet(
    file: FleetFile,
    beside: Path,
    texts: Sequence[str],
    environ: Mapping[str, str],
    pairs: Mapping[str, object],
    now: float,
) -> Iterator[str]:
    """Makes what is not there yet, and yields what was done. OperatorError names what would lose records."""
    fleet, client = file.fleet, client_of(file)
    settings = _settings(file, beside, environ, pairs)
    urls = canonical_seeds(texts, settings)
    require_usable(settings)
    require_contact([url.href for url in urls], settings)
    if urls:
        require_allowed([url.href for url in urls], settings)
    for name in make_topics(client, fleet.name, fleet.shards, fleet.replication, fleet.days_of_pages):
        yield f"made topic {name}"
    check_topics(client, fleet.name, fleet.shards, fleet.replication, fleet.days_of_pages)
    with contextlib.closing(Table(client, fleet.name, CRAWL)) as table:
        table.refresh()
        facts = facts_in(table)
        if facts is None:
            routes = Routes(Domains.from_list(newest_list(), settings.scope.suffixes), fleet.shards)
            facts = Facts(created=now, shards=fleet.shards, settings=settings)
            make_facts(client, fleet.name, facts, routes)
            yield f"made the crawl {fleet.name}: {fleet.shards} shards"
        else:
            require_same(facts, fleet.shards)
            routes = routes_in(table)
            settings = settings if pairs or fleet.config else facts.settings  # who names none means those of before
    seeds = [Discovered(url.href, url.host, fingerprint(url.key), 0, SEED_PRIORITY) for url in urls]
    # The scope first: nodes read it before they take the seeds, and so follow their links.
    more = [seed.href for seed in seeds if seed.href not in facts.seeds]
    keep_facts(client, fleet.name, structs.replace(facts, settings=settings, seeds=[*facts.seeds, *more]))
    post_seeds(client, fleet.name, seeds, routes)
    yield f"{len(seeds)} seeds posted; start nodes with `skitter fleet node --fleet FILE`"


def _settings(file: FleetFile, beside: Path, environ: Mapping[str, str], pairs: Mapping[str, object]) -> Settings:
    """Returns the settings of the crawl: with as many shards as the fleet has."""
    files = [beside / file.fleet.config] if file.fleet.config else []
    given = load(files, environ, pairs)
    frontier, dns = given.settings.frontier, given.settings.dns
    if given.origins["frontier.shards"] != "default" and frontier.shards != file.fleet.shards:
        raise OperatorError("frontier.shards", frontier.shards, f"must be fleet.shards, which is {file.fleet.shards}")
    if dns.hosts_file:
        dns = structs.replace(dns, hosts_file=str(Path(dns.hosts_file).absolute()))
    frontier = structs.replace(frontier, shards=file.fleet.shards)
    plugins = structs.replace(given.settings.plugins, folder=plugins_folder(given, files))
    return structs.replace(given.settings, frontier=frontier, dns=dns, plugins=plugins)


def drain_nodes(file: FleetFile, names: Sequence[str], now: float) -> Iterator[str]:
    """Tells nodes to leave, and yields what was said. OperatorError names one that is not there."""
    known = {node.name for node in fleet_standing(file, now).nodes}
    for name in names:
        if name not in known:
            there = ", ".join(sorted(known)) or "it has none"
            raise OperatorError("NODE", name, f"is not one of this fleet's nodes: {there}")
    tell_to_leave(client_of(file), file.fleet.name, names, now)
    yield f"told {', '.join(names)} to leave"
