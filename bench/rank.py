"""How long the nightly look takes, and how much memory: on links made up, as the tables of a crawl hold them.

python bench/rank.py 10 100      millions of links; each size in a folder of its own, which is removed
python bench/rank.py 10 --duckdb  the pairs of hosts alone, by the kernel and by DuckDB

The web is made up: a power law of hosts, 80 links a page of which one in four leaves its host, three hosts in ten on a
domain that has others. What a crawl does not know yet is linked to: there are more hosts than pages are from.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from skitter.folder.crawlfile import VERSION
from skitter.folder.routesfile import read_routes, write_routes
from skitter.rank.rows import LINKS
from skitter.rank.survey.quick import new_survey
from skitter.rank.tables import batches
from skitter.store.index.parquet import SCHEMAS, Table
from skitter.store.index.paths import tables_of
from skitter.url.domains import Domains
from skitter.url.routes import Routes

LINKS_A_PAGE, LEAVING = 80, 0.25
LINKS_A_FILE = 4_000_000
HOSTS_A_MILLION = 20_000
"""Hosts that a million links lead to: 2 million of 100 million links."""

COMMON = 20
"""Links that all pages of a host have: its menu, and its friends."""

KINDS = ["navigation"] * 8 + ["embed"] * 2
WORDS = (
    "new",
    "page",
    "great",
    "archive",
    "with",
    "many",
    "long",
    "articles",
    "on",
    "what",
    "was",
    "found",
    "in",
    "the",
    "wide",
    "world",
)
ENDS = ("com", "org", "net", "de", "co.uk", "com.br")


class Web:
    """A web of so many millions of links."""

    def __init__(self, millions: float, seed: int = 1) -> None:
        self.links = int(millions * 1_000_000)
        self.hosts = max(100, int(millions * HOSTS_A_MILLION))
        self._dice = random.Random(seed)

    def host(self, number: int) -> str:
        """Returns the name of a host: three in ten have their domain from the one before the last ten."""
        if number % 10 < 3 and number > 10:
            return f"sub-{number}.{self.host(number // 20 * 10 + 7)}"
        return f"{'www.' if number % 3 else ''}site-{number * 7919}.{ENDS[number % len(ENDS)]}"

    def popular(self) -> int:
        """Returns a host drawn by a power law: the first ones are drawn the most."""
        return int(self.hosts ** self._dice.random()) - 1

    def pages(self) -> Iterator[tuple[int, str, list[str]]]:
        """Yields pages: the number of their host, their URL and where they link."""
        made = 0
        while made < self.links:
            number = self._dice.randrange(self.hosts // 5) if self._dice.random() < 0.7 else self.popular()
            name = self.host(number)
            known = [self._url(name) for _ in range(int(COMMON * (1 - LEAVING)))]
            known += [self._url(self.host(self.popular())) for _ in range(int(COMMON * LEAVING))]
            for page in range(min(20, 1 + (self.links - made) // LINKS_A_PAGE)):
                own = LINKS_A_PAGE - len(known)
                away = sum(self._dice.random() < LEAVING for _ in range(own))
                links = known + [self._url(name) for _ in range(own - away)]
                links += [
                    self._url(self.host(self.popular() if way % 4 else self._dice.randrange(self.hosts)))
                    for way in range(away)
                ]
                yield number, f"https://{name}/a-section/page-{page}-{made}.html", links
                made += len(links)

    def _url(self, name: str) -> str:
        bits = self._dice.getrandbits(56)
        return f"https://{name}/{WORDS[bits & 15]}/{WORDS[bits >> 4 & 15]}-{WORDS[bits >> 8 & 15]}-{bits:x}.html"


def write(directory: Path, web: Web) -> None:
    """Writes the folder of a crawl with the tables of a web."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "crawl.json").write_text(f'{{"version": {VERSION}, "created": 0, "seeds": ["https://site-0.com/"]}}')
    write_routes(directory, Routes(Domains(["com", "org", "net", "de", "uk", "co.uk", "br", "com.br"]), 64))
    for name in ("links", "captures", "failures"):
        (directory / "parquet" / name).mkdir(parents=True, exist_ok=True)
    dice = random.Random(2)
    tables: dict[str, Table] = {}
    rows = file = 0
    for number, url, links in web.pages():
        if not tables or rows >= LINKS_A_FILE:
            _close(tables)
            file, rows = file + 1, 0
            tables = {
                name: Table(directory / "parquet" / name / f"made-{file:04d}.parquet", SCHEMAS[name])
                for name in ("links", "captures")
            }
        many = len(links)
        rows += many
        kinds = dice.choices(KINDS, k=many)
        nofollow = [dice.random() < 0.05 for _ in range(many)]
        tables["links"].extend_columns(
            [url] * many, links, ["a"] * many, kinds, nofollow, ["a word or two"] * many, [None] * many
        )
        tables["captures"].extend([_capture(number, url, web)])
    _close(tables)


def _capture(number: int, url: str, web: Web) -> tuple[object, ...]:
    said = dict.fromkeys(SCHEMAS["captures"].names)
    said |= {"url": url, "host": web.host(number).removeprefix("www."), "errand": "page", "status": 200}
    said |= {"mime": "text/html", "content_bytes": 30_000, "digest": f"sha256:{hash(url):x}", "fetched_at": 1}
    return tuple(said.values())


def _close(tables: dict[str, Table]) -> None:
    for table in tables.values():
        table.close()


def measure(directory: Path) -> str:
    """Returns what one look in a process of its own took."""
    began = time.monotonic()
    command = [sys.executable, "-m", "skitter", "rank", str(directory), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        told = process.stdout.read().decode().strip()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - began
    cpu = used.ru_utime + used.ru_stime
    return f"{seconds:.1f} s, {cpu:.1f} s of CPU, {used.ru_maxrss / 1024**2:.2f} GB at the most: {told}"


def by_kernel(directory: Path) -> str:
    """Returns what the kernel took to gather the pairs of hosts alone."""
    began, cpu = time.monotonic(), time.process_time()
    survey = new_survey(read_routes(directory).domains)
    for batch in batches(LINKS, tables_of(directory, "links")):
        survey.links(batch)
    return f"kernel: pairs of hosts in {time.monotonic() - began:.1f} s, {time.process_time() - cpu:.1f} s of CPU"


def by_duckdb(directory: Path) -> str:
    """Returns what DuckDB took to find the pairs of hosts alone."""
    import duckdb

    began, cpu = time.monotonic(), time.process_time()
    host = "regexp_replace(split_part({}, '/', 3), '^www[.]', '')"
    query = f"""
        select count(*) from (
            select distinct {host.format("source")} as s, {host.format("target")} as t, nofollow
            from '{directory}/parquet/links/**/*.parquet' where kind = 'navigation' and s <> t)
    """  # noqa: S608 (our own folder)
    with duckdb.connect(config={"threads": 2, "memory_limit": "3GB"}) as connection:
        (pairs,) = connection.execute(query).fetchone() or (0,)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    seconds = time.monotonic() - began
    return (
        f"DuckDB: {pairs:,} pairs of hosts in {seconds:.1f} s, {time.process_time() - cpu:.1f} s of CPU, {most:.2f} GB"
    )


def main() -> None:
    """Makes, measures and removes each size that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("millions", nargs="+", type=float)
    parser.add_argument("--duckdb", action="store_true")
    parser.add_argument("--keep", type=Path, help="a folder to make, or to use again")
    options = parser.parse_args()
    for millions in options.millions:
        folder = options.keep or Path(tempfile.mkdtemp(prefix="skitter-rank-"))
        try:
            if not (folder / "crawl.json").exists():
                began = time.monotonic()
                write(folder, Web(millions))
                size = sum(path.stat().st_size for path in folder.rglob("*.parquet")) / 1e9
                print(f"{millions:g} M links: made in {time.monotonic() - began:.0f} s, {size:.2f} GB", flush=True)
            for taken in (by_kernel, by_duckdb) if options.duckdb else (measure,):
                print(f"{millions:g} M links: {taken(folder)}", flush=True)
        finally:
            if options.keep is None:
                shutil.rmtree(folder)


if __name__ == "__main__":
    main()
