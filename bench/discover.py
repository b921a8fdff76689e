"""How many links can be offered to a frontier in a second of CPU time, nine in ten of them seen before?"""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

from frontiers import opened_frontier
from skitter.clock import steady_clock
from skitter.messages import Discovered
from skitter.settings import Settings
from skitter.url.keys import fingerprint

LINKS, A_PAGE, HOSTS = 200_000, 60, 1000
SEEN = 0.9
WARM = 50_000
"""Links that are known when the measuring begins."""

PAGES_A_COMMIT = 3


def links_a_second() -> float:
    """Returns how many links discover takes in a second of CPU time, commits and the store's threads included."""
    pages = _pages()
    settings = Settings()
    with tempfile.TemporaryDirectory(prefix="skitter-discover-") as folder:
        frontier = opened_frontier(Path(folder), settings, range(settings.frontier.shards), steady_clock())
        frontier.discover(_link(number) for number in range(WARM))
        frontier.committer.commit()
        began = time.process_time()
        for turn, page in enumerate(pages):
            frontier.discover(page)
            if turn % PAGES_A_COMMIT == 0:
                frontier.committer.commit()
        frontier.committer.commit()
        spent = time.process_time() - began
        frontier.close()
    return sum(map(len, pages)) / spent


def _pages() -> list[list[Discovered]]:
    dice = random.Random(1)
    pages, known = [], WARM
    for _ in range(LINKS // A_PAGE):
        numbers = []
        for _ in range(A_PAGE):
            is_new = dice.random() >= SEEN
            numbers.append(known if is_new else dice.randrange(known))
            known += is_new
        pages.append([_link(number) for number in numbers])
    return pages


def _link(number: int) -> Discovered:
    host = f"host-{number % HOSTS}.example"
    href = f"http://{host}/section-{number % 7}/page-{number}-with-a-name-of-usual-length.html"
    return Discovered(href, host, fingerprint(href), 2, 0.2 + 0.6 * (number % 97) / 97, f"http://{host}/")


if __name__ == "__main__":
    print(f"{links_a_second():.0f} links/s")
