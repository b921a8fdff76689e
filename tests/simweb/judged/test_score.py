"""What a crawl comes to: lost, wasted, fetched again, rightly and wrongly told."""

from __future__ import annotations

import pytest

from skitter.simweb.judged.score import SOFT_404, Judged, NearScore, bare, near_score, soft_score, tally, total
from skitter.simweb.judged.webs import dust_web, farm_web, soft_web, trap_host, trap_web
from tests.simweb.judged.test_webs import site_of
from tests.simweb.judged.walker import links


def test_a_perfect_crawl_loses_and_wastes_nothing() -> None:
    web = trap_web(1, ["search"])
    found = tally(web, [url for url, _ in web.good()])
    assert all(one.got == one.good and not one.waste and not one.lost for one in found.values())


def test_what_was_not_asked_for_is_lost_and_corners_are_waste() -> None:
    web, name = trap_web(1, ["search"]), trap_host("search", "alone")
    corner = max(links(web, f"http://{name}/"), key=len)
    found = tally(web, [f"http://{name}:8080/robots.txt", corner, f"{corner}?q=a"])[name]
    assert (found.good, found.got, found.requests, found.waste) == (1, 0, 2, 2)
    assert found.lost == [f"http://{name}/"]


def test_names_of_a_domain_count_against_their_site() -> None:
    web, name = trap_web(1, ["wildcard"]), trap_host("wildcard", "alone")
    found = tally(web, [f"http://{name}/", f"http://x1.{name}/", f"http://x2.{name}/a"])
    assert (found[name].got, found[name].waste) == (1, 2)
    assert tally(farm_web(hosts=100, honest=12, new=4), ["http://w1.offers1.test/"])["offers1.test"].waste == 1


def test_any_form_of_a_page_will_do_and_more_of_them_are_again() -> None:
    web = dust_web(size=10)
    fact = web.fact("http://parameter-holds.test/")
    page = next(url for url, name in web.good() if name == "parameter-holds.test" and url[-1].isdigit())
    found = tally(web, [f"{page}?ref=menu", page])["parameter-holds.test"]
    assert fact.what == "good"
    assert (found.got, found.again) == (1, 1)


@pytest.mark.slow
def test_soft_404s_are_scored_by_what_the_crawler_says() -> None:
    web = soft_web(1, variants=1)
    told = [
        Judged("http://fixed0.test:8080/", [SOFT_404]),  # wrong
        Judged("http://fixed0.test:8080/nothing-1", [SOFT_404]),
        Judged("http://fixed0.test:8080/nothing-2", []),
        Judged("http://to-error0.test/nothing", []),  # told by what it leads to
        Judged("http://to-error0.test/error/404.html", [SOFT_404]),
    ]
    scores = soft_score(web, told)
    fixed = scores["fixed0.test"]
    assert (fixed.dead, fixed.told, fixed.precision, fixed.recall) == (2, 1, 0.5, 0.5)
    assert (scores["to-error0.test"].recall, scores["to-error0.test"].precision) == (1.0, 1.0)
    assert (total(scores).dead, total(scores).told) == (4, 3)


def test_near_duplicates_are_scored_whichever_comes_first() -> None:
    web = site_of("docs")
    near, of = next((url, fact.of) for url, _ in web.good() if (fact := web.fact(url)).of)
    told = [Judged(near, []), Judged(of, [], duplicate_of=near), Judged("http://docs.test/", [], duplicate_of=near)]
    assert near_score(web, told)["docs.test"] == NearScore(1, 1, ["http://docs.test/"])


def test_the_truth_knows_no_port() -> None:
    assert bare("http://a.test:8080/x?y=1") == "http://a.test/x?y=1"
