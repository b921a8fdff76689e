"""What a crawl may use beside itself: a browser, a broker, a bucket."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from pathlib import Path

from skitter.config.buckets import parse_address
from skitter.doctor.finding import Finding, Level
from skitter.errors import MachineError, OperatorError, SkitterError
from skitter.ports import Blobs
from skitter.render.finding import Found, find
from skitter.settings import Settings

PROBE = "skitter-doctor-"


def of_browser(settings: Settings) -> Finding:
    """Returns whether there is a browser for pages that need one."""
    found = find(settings.render.browser)
    if isinstance(found, Found):
        return Finding("browser", Level.GOOD, found.path)
    said, _, advice = found.partition(": ")
    level = Level.BAD if settings.render.browser else Level.POOR
    return Finding("browser", level, said, advice or "pages that need one are kept as they are read without it")


def of_fleet(file: Path) -> Iterator[Finding]:
    """Yields whether the broker of a fleet answers, and whether its topics keep what is written to them."""
    from skitter.bus.topics import check_topics, partitions_of
    from skitter.fleet.file import client_of, read_fleet

    fleet = read_fleet(file)
    servers = str(fleet.kafka.get("bootstrap.servers", ""))
    try:
        client = client_of(fleet)
        shards = partitions_of(client, fleet.fleet.name) or fleet.fleet.shards
        check_topics(client, fleet.fleet.name, shards, fleet.fleet.replication, fleet.fleet.days_of_pages)
    except OperatorError as error:
        yield Finding("Kafka", Level.BAD, str(error), "`skitter fleet init` makes what is missing")
    except SkitterError as error:
        yield Finding("Kafka", Level.BAD, f"{servers}: {error}", "see that it runs, and that this machine may reach it")
    else:
        yield Finding("Kafka", Level.GOOD, f"{servers}: {shards} shards, whose topics keep what is written to them")


def of_bucket(address: str) -> Finding:
    """Returns whether a bucket takes an object, gives it back and removes it."""
    from skitter.store.blobs.opening import open_blobs

    try:
        asyncio.run(_there_and_back(open_blobs(parse_address(address, "--bucket"))))
    except MachineError as error:
        return Finding("bucket", Level.BAD, str(error), "see its address, the credentials and what they may do")
    return Finding("bucket", Level.GOOD, f"{address} took an object, gave it back and removed it")


async def _there_and_back(blobs: Blobs) -> None:
    key, content = PROBE + secrets.token_hex(8), secrets.token_bytes(32)
    await blobs.put(key, content)
    try:
        if await blobs.get(key) != content:
            raise MachineError("The bucket gives back another object than it was given", key, "choose another bucket")
    finally:
        await blobs.delete(key)
