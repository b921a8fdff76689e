"""A real crawl of a small site: what it finds, what it refuses, and what can be told of both afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest

from tests.security.site import Said, Site, crawled, from_table, page, told

RSS = b"<rss><channel><item><link>/from-feed</link></item></channel></rss>"
URLSET = "<urlset><url><loc>{}/from-sitemap</loc></url><url><loc>http://far.test/listed</loc></url></urlset>"
ODD = "<a rel=nofollow href=/shy>x</a><a href=/report.pdf>x</a><a href=http://far.test/linked>x</a>"


class Crawl(NamedTuple):
    site: Site
    out: Path
    ended: dict[str, Any]

    def why(self, url: str) -> dict[str, Any]:
        story: dict[str, Any] = json.loads(told("why", str(self.out), url, "--json"))
        return story

    def rows(self, columns: str, table: str) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = duckdb.sql(
            f"select {columns} from '{self.out}/parquet/{table}/**/*.parquet' order by all"
        ).fetchall()
        return found


@pytest.fixture(scope="module", params=[True, False], ids=["with a sitemap", "without"])
def crawl(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawl]:
    answers = {
        "/": page("/feed", more=ODD),
        "/feed": Said(RSS, headers={"Content-Type": "application/rss+xml"}),
        "/report.pdf": Said(b"%PDF", headers={"Content-Type": "application/pdf", "X-Robots-Tag": "noindex"}),
        "/from-feed": page(),
        "/from-sitemap": page(),
    }
    with Site("127.2.0.1", from_table(answers)) as site:
        if request.param:
            listed = URLSET.format(site.root).encode()
            answers["/sitemap.xml"] = Said(listed, headers={"Content-Type": "text/xml"})
        out = tmp_path_factory.mktemp("crawl") / "out"
        # By host: to load the list of domains for the first name would make the first page a heavy one.
        ended, _ = crawled(f"{site.root}/", "--allow-net", "127.2.0.1/32", "--scope", "host", out=out)
        yield Crawl(site, out, ended)


def test_sitemap_and_feed_are_read_though_nobody_named_them(crawl: Crawl) -> None:
    has_sitemap = "/from-sitemap" in crawl.site.paths()
    paths = {"/robots.txt", "/sitemap.xml", "/", "/feed", "/report.pdf", "/from-feed"}
    assert crawl.site.paths() - {"/from-sitemap"} == paths
    asked = [one.path for one in crawl.site.requests]
    assert len(asked) == len(set(asked)), "nothing is asked for twice"
    guess = crawl.why(f"{crawl.site.root}/sitemap.xml")["found"]
    expected = ("done", None, 200) if has_sitemap else ("skipped", "no_sitemap", 404)
    assert (guess["state"], guess["reason"], guess["last_status"]) == expected


def test_that_there_is_no_sitemap_is_no_failure(crawl: Crawl) -> None:
    assert crawl.ended["urls"]["dead"] == crawl.ended["urls"]["failed"] == 0
    assert not crawl.ended["failures"]


def test_why_tells_where_a_link_was_found_that_was_not_followed(crawl: Crawl) -> None:
    home = {"page": f"{crawl.site.root}/", "kind": "navigation"}
    assert crawl.why("http://far.test/linked")["refused"] == [{**home, "reason": "out_of_scope"}]
    assert crawl.why(f"{crawl.site.root}/shy")["refused"] == [{**home, "reason": "nofollow"}]
    assert crawl.why("http://far.test/never")["refused"] == []
    listed = {"page": f"{crawl.site.root}/sitemap.xml", "kind": "listed", "reason": "out_of_scope"}
    assert crawl.why("http://far.test/listed")["refused"] == [listed] * ("/from-sitemap" in crawl.site.paths())


def test_the_tables_have_the_reasons(crawl: Crawl) -> None:
    links = crawl.rows("target, refused", "links")
    assert {target.rpartition("/")[2]: reason for target, reason in links if "listed" not in target} == {
        "feed": None,
        "report.pdf": None,
        "shy": "nofollow",
        "linked": "out_of_scope",
    }
    tagged = crawl.rows("url, reasons", "captures")
    assert [url for url, reasons in tagged if reasons == ["noindex"]] == [f"{crawl.site.root}/report.pdf"]
