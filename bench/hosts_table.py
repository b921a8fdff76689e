"""A page of the table of hosts, for a million of them: how long the first one by a column takes, and the next ones.

python -m bench.hosts_table [--hosts 1000000]
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]

from skitter.console.table import COLUMNS, SCHEMA, TYPES, HostTable


def made(file: Path, hosts: int) -> None:
    """Writes a table of made-up hosts."""
    dice = random.Random(1)
    numbers, words = dice.choices(range(1000), k=hosts), dice.choices(("ready", "asleep", "idle"), k=hosts)
    columns: dict[str, list[object]] = {"host": [f"h{number:09d}.example" for number in range(0, 777 * hosts, 777)]}
    for name in COLUMNS[1:]:
        columns[name] = [*words] if pa.types.is_string(TYPES[name]) else [*numbers]
    with pa.ipc.new_file(str(file), SCHEMA) as writer:
        writer.write_table(pa.table(columns, SCHEMA))


def main() -> None:
    """Makes a table, walks it by some columns, and prints CPU seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=1_000_000)
    hosts = parser.parse_args().hosts
    pa.set_cpu_count(1)
    with tempfile.TemporaryDirectory(prefix="skitter-hosts-") as folder:
        file = Path(folder) / "hosts.arrow"
        made(file, hosts)
        began = time.process_time()
        table = HostTable(file, 0.0)
        size = file.stat().st_size / 1e6
        print(f"{hosts} hosts, {size:.0f} MB; opened in {(time.process_time() - began) * 1000:.1f} ms CPU")
        for sort, search in (("queued", ""), ("host", ""), ("standing", ""), ("queued", "77")):
            times, cursor = [], ""
            for _ in range(20):
                began = time.process_time()
                page = table.page(search, sort, descending=True, cursor=cursor, limit=50)
                times.append(time.process_time() - began)
                cursor = page.cursor or ""
            first, rest = times[0] * 1000, sum(times[1:]) / 19 * 1000
            print(f"by {sort:8} search {search!r:4}: first page {first:.0f} ms CPU, the next ones {rest:.2f} ms each")
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
