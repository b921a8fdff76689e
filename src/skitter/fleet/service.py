"""A node of a fleet as a service: beside crawling it tells how it is, and hears what the operator wants."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import msgspec

from skitter.bus.kafka import KafkaBroker
from skitter.bus.table import Table, brokers_time
from skitter.bus.topics import CRAWL, NODES, check_topics
from skitter.clock import Clock, lasting_clock
from skitter.config.running import taken
from skitter.errors import MachineError, OperatorError
from skitter.fleet.alone import NoInbox
from skitter.fleet.bucket import claim_for_fleet
from skitter.fleet.build import Plan, built
from skitter.fleet.facts import Facts, drained_at, exported_in, facts_in, places_in, require_same, routes_in, spread_in
from skitter.fleet.file import FleetFile, client_of
from skitter.fleet.report import NodeReport, ShardReport
from skitter.fleet.run import FleetNode, run_node
from skitter.folder.atomic import keep_whole
from skitter.folder.crawlfile import CRAWL_FILE, CrawlFile
from skitter.folder.crawlfile import VERSION as FOLDER_VERSION
from skitter.folder.locks import locked, nodes_at_work
from skitter.folder.routesfile import write_routes
from skitter.node.node import Node
from skitter.node.status import Command, NodeStatus
from skitter.settings import Settings
from skitter.supervisor.begin import keep_settings

TELL_EVERY = 2.0
LOOK_EVERY = 1.0
CLOCK_OFF = 60.0
"""Seconds that the clocks of a node and of the brokers may be apart: hosts would rest, and pages be due, by that much
too late or too early when a shard moves on."""


class Service:
    """One node, from its start to its end."""

    def __init__(
        self,
        file: FleetFile,
        name: str,
        directory: Path,
        say: Callable[[str], None],
        serve: Callable[[Node, Settings], AbstractAsyncContextManager[str]] | None = None,
    ) -> None:
        self._file = file
        self._name = name
        self._directory = directory
        self._say = say
        self._serve_api = serve
        self._client: Mapping[str, Any] = client_of(file)
        self._clock: Clock = lasting_clock()
        self._started = self._clock()
        self._inbox = NoInbox()
        self._last: NodeStatus | None = None
        self._held = -1
        self._is_away = False  # Kafka
        self._drained = 0.0  # when it was told to leave before it was started

    async def run(self) -> None:
        """Returns when the node was told to stop and has released its shards. MachineError if Kafka or a disk broke."""
        with locked(self._directory):
            await self._run(self._clock())

    async def _run(self, locked_at: float) -> None:
        fleet = self._file.fleet
        known = (fleet.name, fleet.shards, fleet.replication, fleet.days_of_pages)
        await asyncio.to_thread(check_topics, self._client, *known)
        await self._require_time()
        table, nodes = Table(self._client, fleet.name, CRAWL), Table(self._client, fleet.name, NODES)
        with contextlib.closing(table), contextlib.closing(nodes):
            facts = await self._facts(table)
            self._drained = drained_at(table, self._name)
            has_desk = self._serve_api is not None
            plan = Plan(self._name, self._directory, facts, routes_in(table), fleet, locked_at, has_desk)
            self._make_folder(plan)
            await claim_for_fleet(plan.directory, fleet.name, facts)
            async with KafkaBroker(self._client, fleet.name, self._name) as broker:
                async with built(plan, broker, self._inbox, self._clock, self._note) as (one, notes):
                    for note in notes:
                        self._say(note)
                    async with contextlib.AsyncExitStack() as stack:
                        if self._serve_api is not None:
                            api = self._serve_api(one.node, facts.settings)
                            self._say(f"workers may ask at {await stack.enter_async_context(api)}")
                        await self._serve(one, notes, broker, (table, nodes), facts)
                broker.publish(NODES, self._name, None)

    async def _serve(
        self,
        one: FleetNode,
        notes: Sequence[str],
        broker: KafkaBroker,
        tables: tuple[Table, Table],
        facts: Facts,
    ) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, one.node.obey, Command(stop=True))
        async with asyncio.TaskGroup() as group:
            others = [
                group.create_task(self._keep_telling(one, broker)),
                group.create_task(self._keep_listening(one, *tables, facts)),
            ]
            await run_node(one, notes)
            for other in others:
                other.cancel()

    async def _require_time(self) -> None:
        """Returns if our clock is about that of the brokers: the times in a shard are of whoever wrote them."""
        began = self._clock()
        theirs = await asyncio.to_thread(brokers_time, self._client, self._file.fleet.name, NODES, self._name)
        ahead = max(began - theirs, theirs - self._clock(), 0.0)
        if ahead > CLOCK_OFF:
            how = "ahead of" if began > theirs else "behind"
            right = f"must be within {CLOCK_OFF:.0f} s of theirs: set it, here or there, and let it be kept (NTP)"
            raise OperatorError("clock", f"{ahead:.0f} s {how} the brokers'", right)

    async def _facts(self, table: Table) -> Facts:
        await asyncio.to_thread(table.refresh)
        facts = facts_in(table)
        if facts is None:
            raise OperatorError("fleet.name", self._file.fleet.name, "has no crawl yet: `skitter fleet init` makes one")
        require_same(facts, self._file.fleet.shards)
        if (exported := exported_in(table)) is not None:
            right = (
                f"its crawl has gone to {exported.to}: crawl on from there, or `skitter fleet grow` it under a new name"
            )
            raise OperatorError("fleet.name", self._file.fleet.name, right)
        return facts

    def _make_folder(self, plan: Plan) -> None:
        """Makes the node's folder one that `status`, `why` and `audit` can look into."""
        nodes_at_work(self._directory)  # which makes what nodes need there
        write_routes(self._directory, plan.routes)
        crawl = CrawlFile(FOLDER_VERSION, plan.facts.created, plan.facts.seeds)
        keep_whole(self._directory / CRAWL_FILE, msgspec.json.encode(crawl))
        keep_settings(self._directory, plan.facts.settings)

    # How the node is

    def _note(self, status: NodeStatus) -> None:
        self._last = status

    async def _keep_telling(self, one: FleetNode, broker: KafkaBroker) -> None:
        while True:
            broker.publish(NODES, self._name, msgspec.json.encode(self._report(one)))
            self._say_whether_kafka_answers(one)
            held = len(one.journal.tenancies)
            if held != self._held:
                self._say(f"{self._name} holds {held} of {self._file.fleet.shards} shards")
                self._held = held
            await asyncio.sleep(TELL_EVERY)

    def _say_whether_kafka_answers(self, one: FleetNode) -> None:
        now, tenancies = self._clock(), one.journal.tenancies.values()
        is_away = bool(tenancies) and all(tenancy.tenure.until() < now for tenancy in tenancies)
        if is_away != self._is_away:
            self._is_away = is_away
            what = "does not answer: nothing is fetched until it does" if is_away else "answers again"
            self._say(f"Kafka {what}")

    def _report(self, one: FleetNode) -> NodeReport:
        now, status = self._clock(), self._last
        shards = [
            ShardReport(store.shard, tenancy.tenure.until() - now, store.position.next, store.links_read)
            for store, tenancy in one.journal.tenancies.items()
        ]
        report = NodeReport(self._name, now, self._started, sorted(shards, key=lambda shard: shard.shard))
        if one.losses is not None:
            report = msgspec.structs.replace(report, disk=one.losses.disk.hex(), again=one.holdings.again)
        if status is None:
            return report
        return msgspec.structs.replace(
            report,
            states=status.frontier.states,
            pages=status.counted.pages,
            requests=status.counted.requests,
            lost=one.holdings.lost,
            in_flight=status.in_flight,
            trouble=status.trouble,
        )

    # What the operator wants

    async def _keep_listening(self, one: FleetNode, table: Table, nodes: Table, known: Facts) -> None:
        settings = known.settings  # in force, which need not be all that was asked for
        while True:
            await asyncio.sleep(LOOK_EVERY)
            with contextlib.suppress(MachineError):  # Kafka is away: it is asked again
                await asyncio.to_thread(table.refresh)
                if one.losses is not None:
                    one.losses.hear(await asyncio.to_thread(nodes.refresh))
            one.moving.hear_spread(dict(spread_in(table)))
            told = dict(places_in(table))
            one.moving.hear(told)
            one.moving.correct(told)
            facts = facts_in(table) or known
            if facts.settings != known.settings:
                settings = self._take_settings(one.node, settings, facts.settings)
            if facts.seeds != known.seeds:
                self._inbox.changed = facts.seeds
            known = facts
            if drained_at(table, self._name) != self._drained:  # by no clock: nobody knows how far two are apart
                one.node.obey(Command(stop=True))

    def _take_settings(self, node: Node, before: Settings, asked: Settings) -> Settings:
        """Has a node go on with what can be taken of other settings while it runs. Returns those in force."""
        found = taken(before, asked)
        if found.changed:
            keep_settings(self._directory, found.settings)
            node.obey(Command(settings=found.settings))
        for sentence in found.sentences():
            self._say(f"settings: {sentence}")
        return found.settings
