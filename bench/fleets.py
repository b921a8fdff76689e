"""A fleet as a contender: on a broker of its own, which is not counted with it, but told of."""

from __future__ import annotations

import atexit
import itertools
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
FLEET = """\
[fleet]
name = "bench{number}"
shards = 64
replication = 1
pages = false
[kafka]
"bootstrap.servers" = "{servers}"
"""
_numbers = itertools.count()


def made(seed: str, folder: Path) -> tuple[Path, dict[str, str]] | None:
    """Returns the file of a new fleet with a crawl that begins at `seed`, None where no broker can be had."""
    broker = _broker()
    if broker is None:
        return None
    no_waits = ("politeness.delay=0", "politeness.address_rate=100000", "politeness.load_factor=0")
    settings = ("dns.allow_nets=127.0.0.0/8", "scope.reach=any", *no_waits)
    file = folder / "fleet.toml"
    file.write_text(FLEET.format(number=next(_numbers), servers=broker.bootstrap), encoding="utf-8")
    words = [text for pair in settings for text in ("--set", pair)]
    line = [sys.executable, "-m", "skitter", "fleet", "init", "--fleet", str(file), seed, *words]
    subprocess.run(line, check=True, capture_output=True)
    return file, {}


@cache
def _broker():  # type: ignore[no-untyped-def]
    sys.path.insert(0, str(ROOT))
    from skitter.servers.child import Unavailable
    from tests.servers.kafka import Broker

    try:
        broker = Broker(Path(tempfile.mkdtemp(prefix="skitter-bench-kafka-")))
    except Unavailable as why:
        print(f"bench: no fleet: {why}", file=sys.stderr)
        return None
    broker.start()
    atexit.register(broker.kill)
    return broker


def broker_seconds() -> float:
    """Returns the CPU seconds of the broker so far; 0 if there is none."""
    if not _broker.cache_info().currsize or (broker := _broker()) is None:
        return 0.0
    fields = Path(f"/proc/{broker._child.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
