"""The fleet file: where Kafka is, what the fleet is called, and where a node keeps what it has.

[fleet]
name = "news"                   # topics are called news.log, news.links …
shards = 64                     # can't be changed later
replication = 3                 # copies of each record, on as many brokers
directory = "/var/lib/skitter"  # of a node, on its own disk
config = "skitter.toml"         # the settings of the crawl, beside this file
checkpoints = "s3://bucket/news"  # where checkpoints of shards go; none: logs are kept whole
checkpoint_seconds = 300        # how often
lost_seconds = 900              # a node that is silent for so long has lost its disk, and what was only there
pages = true                    # an event for each page that was stored, in the topic `pages`
pages_days = 7                  # how long these are kept

[kafka]                         # settings of the client library (librdkafka)
"bootstrap.servers" = "k1:9092,k2:9092"
"security.protocol" = "SASL_SSL"
"sasl.password" = "env:KAFKA_PASSWORD"     # or file:PATH
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from skitter.errors import OperatorError

SERVERS = "bootstrap.servers"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


class FleetSection(Struct, frozen=True, forbid_unknown_fields=True):
    """What a fleet is."""

    name: str
    shards: Annotated[int, Meta(ge=1, le=4096)] = 64
    replication: Annotated[int, Meta(ge=1, le=32)] = 3
    directory: str = "skitter-node"
    config: str = ""
    checkpoints: str = ""
    checkpoint_seconds: Annotated[float, Meta(ge=1, le=86400)] = 300.0
    lost_seconds: Annotated[float, Meta(ge=1, le=30 * 86400)] = 900.0
    pages: bool = True
    pages_days: Annotated[float, Meta(gt=0, le=36500)] = 7.0

    @property
    def days_of_pages(self) -> float:
        """How long events of pages are kept; 0: there are none."""
        return self.pages_days if self.pages else 0.0


class FleetFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The file, read."""

    fleet: FleetSection
    kafka: Mapping[str, str | int | float | bool]


def read_fleet(file: Path) -> FleetFile:
    """Returns what the fleet file says; OperatorError names what is wrong with it."""
    try:
        found = msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), FleetFile)
    except OSError as error:
        raise OperatorError("--fleet", str(file), f"can't be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise OperatorError("--fleet", str(file), f"is no fleet file: {error}") from None
    if NAME.fullmatch(found.fleet.name) is None:
        raise OperatorError("fleet.name", found.fleet.name, "must be letters, digits, - and _: topics are called by it")
    if SERVERS not in found.kafka:
        raise OperatorError(f"kafka.{SERVERS}", "", f'must be there, as `"{SERVERS}" = "host:9092"`')
    return found


def client_of(fleet: FleetFile) -> dict[str, str | int | float | bool]:
    """Returns the settings of the client, secrets included: not to be shown."""
    return {key: _secret(f"kafka.{key}", value) for key, value in fleet.kafka.items()}


def _secret(key: str, value: str | float | bool) -> str | int | float | bool:
    if not isinstance(value, str):
        return value
    if value.startswith("env:"):
        name = value.removeprefix("env:")
        if name not in os.environ:
            raise OperatorError(key, value, f"the environment has no {name}")
        return os.environ[name]
    if value.startswith("file:"):
        try:
            return Path(value.removeprefix("file:")).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise OperatorError(key, value, f"can't be read ({error})") from None
    return value
