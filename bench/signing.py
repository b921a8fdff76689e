"""What does a request cost that is signed, and what does minding a host's load? CPU time, in turn within one run."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from skitter.fetch.request import request_head, target_of
from skitter.fetch.signing import make_key, signs_by
from skitter.politeness.load import load_wait, outlasts_a_restart
from skitter.settings import IdentitySettings, PolitenessSettings, Settings

AGENT = "Mozilla/5.0 (compatible; Skitter; +https://bot.example/)"
URL = "https://www.example.org/a/path?with=a&query=too"


def ways(folder: Path) -> dict[str, Callable[[], object]]:
    """Returns what is measured, by what it is."""
    make_key(folder / "key.pem")
    identity = IdentitySettings(contact="https://bot.example/", key_file=str(folder / "key.pem"))
    sign = signs_by(Settings(identity=identity), time.time)
    assert sign is not None
    politeness = PolitenessSettings()
    return {
        "a request": lambda: request_head(target_of(URL), AGENT, None, None),
        "a request that is signed": lambda: request_head(
            target_of(URL), AGENT, None, None, "", sign(target_of(URL).authority)
        ),
        "the load of a host, as a page asks for it": lambda: (
            load_wait(0.2, politeness) > 1.0,
            load_wait(0.2, politeness) > 1.0,
            outlasts_a_restart(0.2, 1.0, politeness),
        ),
    }


def main() -> None:
    """Prints a table: the least of all rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measured = ways(Path(folder))
        least = dict.fromkeys(measured, float("inf"))
        for _ in range(args.rounds):
            for name, way in measured.items():
                began = time.process_time()
                for _ in range(args.count):
                    way()
                least[name] = min(least[name], (time.process_time() - began) / args.count)
    sys.stdout.write("| what | µs of CPU |\n|---|---|\n")
    sys.stdout.writelines(f"| {name} | {seconds * 1e6:.1f} |\n" for name, seconds in least.items())


if __name__ == "__main__":
    main()
