"""The webs with a known truth: what can be reached is what the truth says, and a seed tells one story."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from skitter.simweb.judged.honest.table import HONEST
from skitter.simweb.judged.prose import Prose
from skitter.simweb.judged.sheet import PORT, What
from skitter.simweb.judged.site import Site
from skitter.simweb.judged.web import JudgedWeb
from skitter.simweb.judged.webs import dust_web, farm_web, honest_web, trap_web
from skitter.simweb.judged.wild import Farm
from skitter.url.domains import Domains
from tests.simweb.judged.walker import HONEST as FOLLOWED
from tests.simweb.judged.walker import asked, key_of, walk


def site_of(kind: str, seed: int = 1) -> JudgedWeb:
    name = f"{kind}.test"
    return JudgedWeb([Site(name, [HONEST[kind](name, Prose(seed, name))], seed)])


def check_walk(web: JudgedWeb) -> None:
    reached = walk(web, web.seeds(), lambda url: web.fact(url).what in FOLLOWED)
    good = {key for key, (url, _) in reached.items() if web.fact(url).what is What.GOOD}
    wanted = [key_of(url) for url, _ in web.good()]
    assert len(set(wanted)) == len(wanted)
    assert good == set(wanted)


@pytest.mark.slow
@pytest.mark.parametrize("kind", HONEST)
def test_every_page_of_an_honest_site_can_be_reached_and_is_there(kind: str) -> None:
    web = site_of(kind)
    check_walk(web)
    assert all(asked(web, url).status == 200 for url, _ in web.good())


@pytest.mark.slow
@pytest.mark.parametrize(
    "web",
    [trap_web(2, ["tarpit", "wildcard"]), farm_web(2, hosts=50, domains=5, honest=12, new=4), dust_web(2, size=30)],
    ids=["traps", "farm", "dust"],
)
def test_what_can_be_reached_is_what_the_truth_says(web: JudgedWeb) -> None:
    check_walk(web)


@pytest.mark.parametrize("kind", HONEST)
def test_a_seed_always_makes_the_same_site_and_another_seed_another(kind: str) -> None:
    first, again, other = site_of(kind), site_of(kind), site_of(kind, seed=2)
    urls = [url for url, _ in first.good()][:10]
    assert [asked(first, url) for url in urls] == [asked(again, url) for url in urls]
    assert [asked(first, url).body for url in urls] != [asked(other, url).body for url in urls]


def test_there_may_be_a_million_articles_and_none_is_kept() -> None:
    web = honest_web(articles=1_000_000)
    assert asked(web, "http://numbered0.test/article/999999").status == 200
    assert asked(web, "http://numbered0.test/article/1000000").status == 404
    assert web.fact("http://numbered0.test/article/1000000").what is What.MISSING


def test_each_site_is_a_domain_and_hosts_of_a_farm_share_theirs() -> None:
    web, domain_of = farm_web(hosts=500, domains=5, honest=12, new=4), Domains().domain_of
    assert {domain_of(f"{name}:8080") for name in web.sites} == set(web.sites)
    farm = next(one for one in web.wild.values() if isinstance(one, Farm))
    hosts = [urlsplit(href.replace(PORT, "")).hostname or "" for href, _ in farm.links("w1.offers1.test", "/")[:10]]
    assert {domain_of(host) for host in hosts} <= set(web.wild)
    assert all(web.fact(f"http://{host}/").what is What.FARM for host in hosts)


def test_links_to_other_hosts_have_the_port_that_was_asked_at() -> None:
    web = farm_web(honest=12, new=4)
    assert b'href="http://site1.test:8080/"' in asked(web, "http://site0.test:8080/").body
    assert b'href="http://site1.test/"' in asked(web, "http://site0.test/").body


def test_versions_say_nearly_the_same_and_the_truth_knows_of_what() -> None:
    web = site_of("docs")
    near = [(url, fact.of) for url, _ in web.good() if (fact := web.fact(url)).of]
    assert len(near) > 100
    for url, of in near[:10]:
        assert web.fact(of).what is What.GOOD
        mine, theirs = (set(asked(web, one).body.decode().split()) for one in (url, of))
        assert len(mine & theirs) / len(mine | theirs) > 0.6
