"""A simulated web of plain hosts in a process of its own, for figures that need many of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from skitter.simweb.log import Request, read_log

NETWORK = "127.20.0.0/16"


class PlainWeb:
    """Serves while it is open. Hosts have robots.txt, pages and links, and nothing goes wrong."""

    def __init__(self, folder: Path, hosts: int, *more: str) -> None:
        self.folder, self.hosts_file, self.seeds = folder, folder / "hosts", folder / "seeds"
        self._log = folder / "web.log"
        self._command = [
            *(sys.executable, "-m", "skitter.simweb", "--world", "plain", "--hosts", str(hosts), "--port", "0"),
            *("--pages-per-host", "100", "--links-per-page", "20", "--page-bytes", "10000", *more),
            *("--log", str(self._log), "--hosts-file", str(self.hosts_file)),
        ]

    def __enter__(self) -> PlainWeb:
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        self.port: int = json.loads(self._process.stdout.readline())["port"]
        rows = (line.split() for line in self.hosts_file.read_text(encoding="utf-8").splitlines())
        self.addresses = {row[1]: row[0] for row in rows if not row[1].startswith("www.")}
        self.seeds.write_text("".join(f"http://{name}:{self.port}/\n" for name in self.addresses), encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def requests(self) -> list[Request]:
        """Returns what was asked so far."""
        return read_log(self._log)
