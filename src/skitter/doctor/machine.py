"""The machine itself: Python, the kernel, limits, memory, the clock."""

from __future__ import annotations

import os
import platform
import resource
import sys
from collections.abc import Iterator
from pathlib import Path

from skitter.doctor.finding import Finding, Level
from skitter.fetch import rustls
from skitter.frontier.ceiling import ceiling
from skitter.kernel import IS_NATIVE
from skitter.settings import Settings

SPARE_FILES = 256
"""Files of a node beside its connections: stores, WARC files, sockets to other nodes."""
FILES_OF_A_SHARD = 16
"""That its store has open: log, manifest, and the tables that were read of late."""
OTHER_MEMORY = 400e6
"""Of a node, beside its frontier: docs/memory.md."""
SYNCHRONISED = Path("/run/systemd/timesync/synchronized")


def of_machine(settings: Settings, nodes: int) -> Iterator[Finding]:
    """Yields what is to say of the machine, for so many nodes."""
    yield Finding("Python", Level.GOOD, f"{platform.python_version()} on {platform.machine()}, {sys.platform}")
    yield _kernel("kernel", "reads pages", IS_NATIVE, "several times the CPU time a page")
    yield _kernel("TLS", "speaks TLS", rustls.IS_NATIVE, "two to ten times the memory of a connection")
    yield _files(settings, nodes)
    yield _memory(settings, nodes)
    yield _clock()


def _kernel(what: str, does: str, is_there: bool, costs: str) -> Finding:
    if is_there:
        return Finding(what, Level.GOOD, f"native code {does}")
    return Finding(what, Level.POOR, f"Python {does}: {costs}", "install Rust and a C compiler, and Skitter again")


def _files(settings: Settings, nodes: int) -> Finding:
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = settings.fetch.max_connections + -(-settings.frontier.shards // nodes) * FILES_OF_A_SHARD + SPARE_FILES
    if allowed == resource.RLIM_INFINITY or allowed >= wanted:
        return Finding("open files", Level.GOOD, f"enough are allowed for a node, which may need some {wanted:,}")
    advice = f"`ulimit -n {wanted}` (up to {most:,} are yours to take), or a lower fetch.max_connections"
    return Finding("open files", Level.BAD, f"{allowed:,} are allowed, and a node may need some {wanted:,}", advice)


def _memory(settings: Settings, nodes: int) -> Finding:
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    of_node = sum(ceiling(settings, -(-settings.frontier.shards // nodes)).values()) + OTHER_MEMORY
    words = f"{there / 1e9:.1f} GB; {of_node * nodes / 1e9:.1f} GB at the worst for {nodes} nodes"
    if there >= of_node * nodes:
        return Finding("memory", Level.GOOD, words)
    return Finding("memory", Level.POOR, words, "fewer --workers, or a smaller frontier.window_hosts: docs/memory.md")


def _clock() -> Finding:
    if SYNCHRONISED.exists():
        return Finding("clock", Level.GOOD, "kept by systemd-timesyncd")
    advice = "let chrony, ntpd or systemd-timesyncd keep it: captures are dated by it"
    return Finding("clock", Level.POOR, "nobody is seen to keep it right", advice)
