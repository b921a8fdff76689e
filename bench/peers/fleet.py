"""Nodes of a fleet until they have nothing more to do: `fleet.py FLEET.toml NODES ACCESS.LOG`

The fleet is made, and its broker is up: neither is counted. The nodes are told to stop when the server's log has not
grown for a while. Nothing is imported here that is not needed: this process is counted with them.
"""

import signal
import subprocess
import sys
import time
from pathlib import Path

QUIET = 4.0


def main() -> None:
    """Exits as the last node did."""
    file, nodes, log = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    line = [sys.executable, "-m", "skitter", "fleet", "node", "--fleet", file, "--quiet"]
    started = [
        subprocess.Popen([*line, "--name", f"n{number}", "--directory", f"{Path(file).parent}/n{number}"])
        for number in range(nodes)
    ]
    size, since = 0, time.monotonic() + 15.0
    while time.monotonic() - since < QUIET:
        time.sleep(0.5)
        now = log.stat().st_size if log.exists() else 0
        if now != size:
            size, since = now, time.monotonic()
    for node in started:
        node.send_signal(signal.SIGTERM)
    sys.exit(max(node.wait() for node in started))


if __name__ == "__main__":
    main()
