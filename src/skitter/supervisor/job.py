"""From what was asked for to a job: the one way, for whoever types a command and whoever writes Python."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct, structs

from skitter.config.beside import plugins_folder
from skitter.config.load import Loaded, load
from skitter.folder.crawlfile import settings_file
from skitter.settings import Settings
from skitter.sinks.address import absolute


class Job(Struct, frozen=True):
    """What is to be crawled, and where to stop."""

    directory: Path
    settings: Settings
    seeds: Sequence[str]  # as written; none: only those that the folder has
    nodes: int
    max_pages: int | None = None
    max_seconds: float | None = None
    is_service: bool = False  # it ends when it is told to
    has_desk: bool = False  # workers elsewhere may have leases


class Plan(Struct, frozen=True):
    """A crawl as it was asked for. Its folder is not yet known if it is to be a temporary one."""

    directory: Path | None
    given: Loaded
    seeds: Sequence[str]
    workers: int | None = None
    max_pages: int | None = None
    max_seconds: float | None = None
    is_service: bool = False

    def job(self, directory: Path) -> Job:
        """Returns what is to be run in `directory`: a node for each core unless said otherwise."""
        settings = self.given.settings
        nodes = min(self.workers or len(os.sched_getaffinity(0)), settings.frontier.shards)
        return Job(directory, settings, self.seeds, nodes, self.max_pages, self.max_seconds, self.is_service)


def settings_for(directory: Path | None, files: Sequence[Path], flags: Mapping[str, object]) -> Loaded:
    """Returns what an earlier run in the folder had, then `files`, the environment and `flags`: the later wins."""
    earlier = None if directory is None else settings_file(directory)
    given = load([*files] if earlier is None else [earlier, *files], os.environ, flags)
    # The folder keeps its settings: they must hold wherever the crawl is taken up again.
    dns, sinks = given.settings.dns, given.settings.sinks
    dns = structs.replace(dns, hosts_file=_absolute(dns.hosts_file))
    sinks = structs.replace(
        sinks,
        urls=tuple(absolute(text, str(Path.cwd())) for text in sinks.urls),
        secret_file=_absolute(sinks.secret_file),
        kafka_file=_absolute(sinks.kafka_file),
    )
    plugins = structs.replace(given.settings.plugins, folder=plugins_folder(given, files, earlier))
    return structs.replace(given, settings=structs.replace(given.settings, dns=dns, sinks=sinks, plugins=plugins))


def _absolute(file: str) -> str:
    return str(Path(file).absolute()) if file else ""
