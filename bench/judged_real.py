"""What does the judgement cost honest sites? Real documentation, several versions side by side: `make judge KIND=real`

Each family of documentation is a site of its own, with all its versions: thousands of pages that say nearly the same,
in templates of many makes. The files are walked by a program that shares no code with the crawler; nginx's access log
is the judge. Lost is what can be reached and was not asked for; false is what is there and was called a soft 404.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import nginx
import pyarrow.parquet as pq
from pages import ROOT, unpacked
from report import machine
from spread import DOMAIN, NETWORK, Spread
from walk import PAGES, key, walk

CACHE = ROOT / ".cache" / "versions"
FAMILIES = {
    "boost": ("libboost1.74-doc", "libboost1.81-doc"),
    "stdcxx": ("libstdc++-11-doc", "libstdc++-12-doc"),
    "llvm": ("llvm-14-doc", "llvm-15-doc", "llvm-16-doc"),
    "clang": ("clang-14-doc", "clang-15-doc", "clang-16-doc"),
    "gtk": ("libgtk-4-doc",),
    "django": ("python-django-doc",),
    "sqlite": ("sqlite3-doc",),
}
FOLDERS = {
    **{f"gcc-{number}-base": "stdcxx" for number in (11, 12)},
    **{f"clang-{number}": "clang" for number in (14, 15, 16)},
    "sqlite3": "sqlite",
}
"""Folders that are not called as their package is."""
STRAY = re.compile("%(?![0-9A-Fa-f]{2})")
"""What links to `operator%.html` have: browsers ask for it as it is written, and nginx answers 400, whoever asks."""
LOST = 0.001
ENOUGH = 20_000


class Families(Spread):
    """The same files with a site for each family of packages, and all of them open."""

    def named(self, _count: int) -> list[str]:
        """Returns the names of the sites, each a domain of its own."""
        self._of = {package: family for family, packages in FAMILIES.items() for package in packages} | FOLDERS
        return [f"{family}-{DOMAIN}" for family in FAMILIES]

    def owners(self) -> dict[str, str]:
        """Returns nothing: no site sends anybody to another, and whatever is asked for is shown."""
        return {}

    def fronts(self) -> list[str]:
        """Returns the front page of each package: the index of the highest folder that has one."""
        shown = {file for file in self.files if file.endswith("/index.html")}
        highest = [file for file in sorted(shown) if not shown.intersection(_above(file))]
        return [self.url(self._owner(file), file) for file in highest]

    def _owner(self, file: str) -> str:
        pieces = [piece for piece in file.split("/") if piece in self._of]
        return f"{self._of[pieces[0]]}-{DOMAIN}" if pieces else self.names[0]

    def robots(self, _number: int) -> str:
        """Returns a robots.txt that forbids nothing."""
        return "User-agent: *\nDisallow:\n"


def main() -> None:
    """Crawls, walks, compares; exit code 1 if too much is lost or anything is called what it is not."""
    print(machine())
    root = unpacked(CACHE, [package for packages in FAMILIES.values() for package in packages]) / "usr" / "share"
    with tempfile.TemporaryDirectory(prefix="skitter-judged-") as scratch:
        sys.exit(not _compare(Path(scratch), Families(root, len(FAMILIES), nginx.free_port("127.30.0.1"))))


def _compare(folder: Path, spread: Families) -> bool:
    seeds = spread.fronts()
    began = time.monotonic()
    wanted = walk(spread, seeds)
    print(f"the walk finds {len(wanted)} URLs from {len(seeds)} front pages in {time.monotonic() - began:.0f} s")
    robots = folder / "robots.txt"
    robots.write_text(spread.robots(0), encoding="utf-8")
    sites = [nginx.Site(name, spread.address(name), robots) for name in spread.names]
    with nginx.served(folder, spread.root, sites, spread.owners(), spread.port) as log:
        told = _crawl(folder, spread, seeds)
    print(f"the crawl ended with {json.dumps(told['urls'])} in {told['seconds']:.0f} s, {told['ended']}")
    return _judge(folder, {key(line.url) for line in nginx.read_log(log)}, wanted, spread)


def _above(file: str) -> list[str]:
    """Returns the index of every folder that a page's own folder is in."""
    folders = file.split("/")[:-2]
    return [f"{'/'.join(folders[:end])}/index.html" for end in range(2, len(folders) + 1)]


def _crawl(folder: Path, spread: Families, seeds: list[str]) -> dict[str, object]:
    hosts = folder / "hosts"
    hosts.write_text("".join(f"{spread.address(name)} {name}\n" for name in spread.names), encoding="utf-8")
    (folder / "seeds").write_text("\n".join(seeds), encoding="utf-8")
    limits = ("--max-depth", "1000", "--set", "parse.max_links=100000", "--set", "politeness.address_rate=100000")
    ended = subprocess.run(
        [
            *(sys.executable, "-m", "skitter", "crawl", "--seeds", folder / "seeds", "--out", folder / "out"),
            *("--hosts-file", hosts, "--allow-net", NETWORK, "--delay", "0", "--quiet", "--json"),
            *("--set", "node.linger=0", *limits),
        ],
        stdout=subprocess.PIPE,
        check=False,
    )
    told: dict[str, object] = json.loads(ended.stdout.splitlines()[-1])
    return told


def _judge(folder: Path, asked: set[str], wanted: dict[str, tuple[str, str]], spread: Families) -> bool:
    pages = {name: url for name, (url, _) in wanted.items() if _is_page(url, spread)}
    lost = [url for name, url in pages.items() if name not in asked]
    by_site, lost_by_site = Counter(map(_site, pages.values())), Counter(map(_site, lost))
    flags = {reason: _flagged(folder / "out", reason) & set(pages) for reason in ("soft_404", "near_duplicate", "trap")}
    print(f"\n{'site':10}{'pages':>8}{'lost':>8}  such as")
    for site, count in by_site.items():
        example = next((url for url in lost if _site(url) == site), "")
        print(f"{site:10}{count:8}{lost_by_site[site]:8}  {example}")
    share = len(lost) / len(pages)
    print(f"\n{len(pages)} pages there (wanted: {ENOUGH}), lost {len(lost)}, {share:.3%} (wanted: {LOST:.1%})")
    print("\n".join(f"{len(found)} called {reason}" for reason, found in flags.items()))
    return len(pages) >= ENOUGH and len(lost) <= LOST * len(pages) and not flags["soft_404"]


def _site(url: str) -> str:
    return url.split("/")[2].partition("-")[0]


def _is_page(url: str, spread: Families) -> bool:
    if STRAY.search(url):
        return False
    host, _, rest = url.split("/", 2)[2].partition("/")
    answer = spread.answer(host.partition(":")[0], f"/{rest}".partition("?")[0], {})
    return answer.file is not None and answer.file.suffix in PAGES


def _flagged(out: Path, reason: str) -> set[str]:
    """Returns the keys of the pages that the crawler gave a reason."""
    tables = (pq.read_table(file, columns=["url", "reasons"]) for file in out.glob("parquet/captures/**/*.parquet"))
    rows = [row for table in tables for row in table.to_pylist()]
    return {key(row["url"]) for row in rows if reason in (row["reasons"] or ())}


if __name__ == "__main__":
    main()
