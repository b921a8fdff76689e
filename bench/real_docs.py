"""Does a crawl fetch exactly what there is? `make real`

Thousands of real documentation pages behind nginx, spread over many hosts, are crawled by `skitter crawl`; the same
files are walked by a program that shares no code with it. nginx's access log is the judge: nothing missed, nothing
twice, nothing that robots.txt forbids, and the archive's own table says the same.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from pathlib import Path

import nginx
import pyarrow.parquet as pq
from pages import CACHE, real_pages
from report import machine
from spread import NETWORK, Spread
from walk import key, walk

MADE_UP = 0.01
"""Probes and soundings, at most, of all requests."""
FRONT_PAGES = (
    "/cppreference/doc/html/en/index.html",
    "/doc/postgresql-doc-15/html/index.html",
    "/doc/python3.11/html/index.html",
)


def main() -> None:
    """Crawls, walks, compares; exit code 1 if the sets differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts", type=int, default=64)
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--keep", type=Path, help="a folder that is to be kept")
    options = parser.parse_args()
    print(machine())
    real_pages(1)  # downloads them if need be
    with tempfile.TemporaryDirectory(prefix="skitter-real-") as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        sys.exit(0 if _compare(folder, options.hosts, options.delay) else 1)


def _compare(folder: Path, hosts: int, delay: float) -> bool:
    spread = Spread(CACHE / "usr" / "share", hosts, nginx.free_port("127.30.0.1"))
    owners = spread.owners()
    seeds = [form for page in FRONT_PAGES if page in owners for form in _forms(spread.url(owners[page], page))]
    began = time.monotonic()
    wanted = walk(spread, seeds)
    print(f"the walk finds {len(wanted)} URLs on {hosts} hosts in {time.monotonic() - began:.0f} s")
    with nginx.served(folder, spread.root, _sites(spread, folder), owners, spread.port) as log:
        told = _crawl(folder, spread, seeds, delay)
    print(f"the crawl ended with {json.dumps(told['urls'])} in {told['seconds']:.0f} s, {told['ended']}")
    lines = nginx.read_log(log)
    statuses = Counter(line.status for line in lines)
    print(f"the server answered {len(lines)} requests: {dict(sorted(statuses.items()))}\n")
    return _judge(lines, wanted, spread, _made_up(folder / "out")) & _judge_archive(folder / "out", lines)


def _forms(url: str) -> list[str]:
    """Returns three forms of a front page that are one page: without a slash it redirects to the one with."""
    folder = url.removesuffix("/index.html")
    return [folder, f"{folder}/", url]


def _sites(spread: Spread, folder: Path) -> list[nginx.Site]:
    sites = []
    for number, name in enumerate(spread.names):
        robots = folder / f"robots-{number}.txt"
        robots.write_text(spread.robots(number), encoding="utf-8")
        sites.append(nginx.Site(name, spread.address(name), robots))
    return sites


def _crawl(folder: Path, spread: Spread, seeds: list[str], delay: float) -> dict[str, object]:
    """Runs `skitter crawl` to its end and returns what it says of itself."""
    hosts = folder / "hosts"
    hosts.write_text("".join(f"{spread.address(name)} {name}\n" for name in spread.names), encoding="utf-8")
    # All that a page links to counts here, however far from the seeds; by default there are limits for the wild.
    limits = ("--max-depth", "1000", "--set", "parse.max_links=100000", "--set", "politeness.address_rate=10000")
    ended = subprocess.run(
        [
            *(sys.executable, "-m", "skitter", "crawl", *seeds, "--out", folder / "out", "--hosts-file", hosts),
            *("--allow-net", NETWORK, "--delay", str(delay), "--quiet", "--json", "--set", "node.linger=0", *limits),
        ],
        stdout=subprocess.PIPE,
        check=False,
    )
    told: dict[str, object] = json.loads(ended.stdout.splitlines()[-1])
    return told


def _judge(lines: list[nginx.Line], wanted: dict[str, tuple[str, str]], spread: Spread, made_up: set[str]) -> bool:
    pages = [line for line in lines if line.path not in ("/robots.txt", "/sitemap.xml")]  # of both, only asking tells
    asked = {key(line.url): line.url for line in pages}
    robots = Counter(line.host for line in lines if line.path == "/robots.txt")
    visited = {line.host for line in pages}
    same = f"{len(wanted)} reachable and allowed"
    return all(
        [
            _verdict(
                f"missed, of {same}", [f"{url} from {by}" for name, (url, by) in wanted.items() if name not in asked]
            ),
            _verdict(
                f"fetched, but not reachable, beside {len(made_up)} made-up names that asked what is said of them",
                [url for name, url in asked.items() if name not in wanted and url not in made_up],
            ),
            _verdict("too many names made up", sorted(made_up) if len(made_up) > MADE_UP * len(pages) else []),
            _verdict("fetched twice", _twice(pages)),
            _verdict("forbidden by robots.txt", [line.url for line in pages if not _allows(spread, line)]),
            _verdict("robots.txt asked for twice", [host for host, count in robots.items() if count > 1]),
            _verdict("hosts visited before robots.txt", _before_robots(lines)),
            _verdict("hosts visited without robots.txt", visited - set(robots)),
        ]
    )


def _twice(pages: Iterable[nginx.Line]) -> list[str]:
    """Returns what was fetched twice. A folder's redirect to itself with a slash is no second time."""
    forms: dict[str, list[str]] = defaultdict(list)
    for line in pages:
        forms[key(line.url)].append(line.url)
    return [" ".join(urls) for urls in forms.values() if len(urls) > 1 and urls[1:] != [f"{urls[0]}/"]]


def _before_robots(lines: list[nginx.Line]) -> list[str]:
    first: dict[str, str] = {}
    for line in lines:
        first.setdefault(line.host, line.path)
    return [host for host, path in first.items() if path != "/robots.txt"]


def _allows(spread: Spread, line: nginx.Line) -> bool:
    return spread.allows(line.url, line.host.partition(":")[0])


def _made_up(out: Path) -> set[str]:
    """Returns the probes and soundings, by the archive's own word."""
    tables = [pq.read_table(file, columns=["url", "errand"]) for file in out.glob("parquet/captures/**/*.parquet")]
    rows = [row for table in tables for row in table.to_pylist()]
    return {row["url"] for row in rows if row["errand"] in ("probe", "sounding")}


def _judge_archive(out: Path, lines: list[nginx.Line]) -> bool:
    files = out.glob("parquet/captures/**/*.parquet")
    rows = [row for file in files for row in pq.read_table(file, columns=["url"])[0]]
    kept, served = Counter(row.as_py() for row in rows), Counter(line.url for line in lines)
    return all(
        [
            _verdict(f"served, but not in the table of {len(rows)} captures", (served - kept).keys()),
            _verdict("in the table, but not served", (kept - served).keys()),
        ]
    )


def _verdict(what: str, found: Collection[str]) -> bool:
    print(f"{len(found):8} {what}")
    for one in sorted(found)[:20]:
        print(f"{'':8}   {one}")
    return not found


if __name__ == "__main__":
    main()
