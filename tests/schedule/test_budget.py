"""What a domain may have of a crawl: tables of cases, and what no domain can bring about by itself."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from skitter.schedule.budget import (
    EARNED,
    EARNED_BY_LITTLE,
    ENOUGH_SUPPORT,
    ESTABLISHED,
    FARM_HOSTS,
    FIRST_PAGES,
    MOST_SUPPORTERS,
    NAMES,
    SINGLES,
    DomainFlag,
    DomainRecord,
    Name,
    PageOfDomain,
    after_page,
    after_single,
    allowed,
    blocked,
    class_of_host,
    is_proven,
    looks_like_a_farm,
    may_bring_single,
    name_after,
    pages_left,
    quota,
    room_for_hosts,
    trust_of,
    weight,
    with_supporter,
    with_use,
    without_use,
)

NEW = DomainRecord("a.test", 1.0)
SEED = structs.replace(NEW, flags=DomainFlag.SEED)
GOOD = PageOfDomain(is_good=True, abroad=1, links=20)
BAD = PageOfDomain(is_good=False, is_poor=True, abroad=1, links=20)
THIN = PageOfDomain(is_good=False, abroad=1, links=20)
LIST = PageOfDomain(is_good=True, abroad=30, links=40, fresh=10)
SPREAD = structs.replace(NEW, hosts=NAMES + 1)


def after(record: DomainRecord, *pages: PageOfDomain) -> DomainRecord:
    for page in pages:
        record = after_page(with_use(record, 100.0), page)
    return record


def supported(*trusts: float) -> DomainRecord:
    record = NEW
    for mark, trust in enumerate(trusts):
        record = with_supporter(record, mark, trust)
    return record


LEFT = {
    "a new one": (NEW, FIRST_PAGES),
    "after its first page, which was good": (after(NEW, GOOD), FIRST_PAGES + EARNED - 1),
    "after one that was not": (after(NEW, BAD), FIRST_PAGES - 1),
    "after one that says hardly anything": (after(NEW, THIN), FIRST_PAGES + EARNED_BY_LITTLE - 1),
    "after one that leads to more hosts abroad than at home": (after(NEW, LIST), FIRST_PAGES),
    "after two that do": (after(NEW, LIST, LIST), FIRST_PAGES - 1),
    "with more names than anybody vouches for": (after(SPREAD, GOOD), FIRST_PAGES + 0.2 - 1),
    "a seed's": (after(SEED, BAD, BAD, LIST), math.inf),
    "vouched for": (supported(1.0, 1.0, 0.6), math.inf),
    "linked to by two that are trusted": (supported(1.0, 1.0), FIRST_PAGES),
    "established": (after(NEW, *[GOOD] * ESTABLISHED), math.inf),
    "blocked by the operator": (blocked(SEED), 0.0),
    "allowed by the operator": (allowed(blocked(NEW)), math.inf),
}


@pytest.mark.parametrize(("record", "left"), LEFT.values(), ids=LEFT)
def test_how_many_pages_a_domain_may_have_today(record: DomainRecord, left: float) -> None:
    assert pages_left(record, day=0) == pytest.approx(left)


def test_what_was_used_yesterday_is_not_counted_today_and_what_gave_nothing_is_not_counted_at_all() -> None:
    record = with_use(NEW, 100.0)
    assert pages_left(record, day=0) == 0
    assert pages_left(record, day=1) == FIRST_PAGES
    assert pages_left(without_use(record), day=0) == FIRST_PAGES


@given(st.lists(st.integers(0, 5), max_size=40))
def test_a_domain_that_is_unknown_vouches_for_nobody(links: list[int]) -> None:
    """However unknown domains link to one another, none of them is trusted by it."""
    farm = [DomainRecord(f"f{number}.test", 1.0) for number in range(6)]
    for place, source in enumerate(links):
        target = place % len(farm)
        farm[target] = with_supporter(farm[target], source, trust_of(farm[source]))
    assert not any(map(is_proven, farm))


def test_trust_fades_from_hand_to_hand() -> None:
    near = supported(1.0, 1.0, 1.0)
    assert 0 < trust_of(near) < 0.5
    far = supported(*[trust_of(near)] * 5)
    assert far.support < ENOUGH_SUPPORT
    assert trust_of(far) == 0


def test_a_domain_counts_once_as_a_supporter_with_the_most_trust_it_had() -> None:
    record = with_supporter(with_supporter(with_supporter(NEW, 1, 0.2), 1, 1.0), 1, 0.5)
    assert record.support == 1.0
    many = supported(*[number / 100 for number in range(100)])
    assert len(many.supporters) == MOST_SUPPORTERS
    assert many.supporters[0].trust > 0.7
    assert [one.trust for one in many.supporters] == sorted((one.trust for one in many.supporters), reverse=True)
    assert many.support == pytest.approx(sum(one.trust for one in many.supporters))


def test_one_more_supporter_of_many_counts_if_it_is_trusted_twice_as_much_as_the_last() -> None:
    full = supported(*[0.1] * MOST_SUPPORTERS)
    assert with_supporter(full, 99, 0.2) is full
    assert with_supporter(full, 99, 0.3).supporters[0].mark == 99


def test_what_the_name_of_a_host_is_worth_after_its_pages() -> None:
    assert name_after(Name.KNOWN, names=9, new=9) is Name.KNOWN
    assert name_after(Name.SINGLE, names=0, new=0) is Name.SPOKE
    assert name_after(Name.SPOKE, names=9, new=9) is Name.SPRING
    assert name_after(Name.SPRING, names=0, new=0) is Name.SPRING
    assert name_after(Name.SPRING, names=9, new=3) is Name.SPRING
    assert name_after(Name.SINGLE, names=9, new=3) is Name.SPOKE


def test_hosts_that_a_single_one_leads_to_are_few_unless_they_lead_to_no_more() -> None:
    full = structs.replace(SEED, singles=SINGLES)
    assert not may_bring_single(full)
    assert may_bring_single(after_single(full, Name.SINGLE, Name.SPOKE))
    spring = after_single(after_single(full, Name.SINGLE, Name.SPOKE), Name.SPOKE, Name.SPRING)
    assert (spring.spokes, spring.springs, may_bring_single(spring)) == (0, 1, False)
    assert may_bring_single(structs.replace(spring, known=1))


def test_a_farm_is_told_by_all_of_its_marks_and_never_if_somebody_vouches_for_it() -> None:
    farm = structs.replace(NEW, hosts=FARM_HOSTS, pages=2, outward=2)
    assert any("50 hosts" in mark for mark in looks_like_a_farm(farm))
    for other in ({"hosts": FARM_HOSTS - 1}, {"outward": 0}, {"pages": 0, "outward": 0}, {"flags": DomainFlag.SEED}):
        assert not looks_like_a_farm(structs.replace(farm, **other)), other


def test_the_quota_of_a_host_follows_its_worth_and_health_below_the_operators_ceiling() -> None:
    poor, rich = structs.replace(NEW, worth=0.1), structs.replace(NEW, worth=1.0)
    assert quota(1000, None, 0.5) == 1000
    assert quota(1000, poor, 1.0) == 100
    assert quota(1000, rich, 1.0) == 1000
    assert quota(1000, rich, 0.5) == 500
    assert quota(10, structs.replace(NEW, worth=0.0), 0.0) == 1
    assert quota(1000, rich, 1.0, worth=0.3) == 300, "what the host itself is worth counts more than its domain"
    assert quota(1000, NEW, 1.0, worth=0.3) == 300
    assert quota(1000, SEED, 1.0, worth=0.3) == 1000, "what the operator named has no quota but the ceiling"


def test_the_class_of_a_host_follows_its_worth() -> None:
    rich = structs.replace(NEW, worth=1.0)
    assert [class_of_host(rich, 0.5, worth) for worth in (None, 0.9, 0.1, 0.01, 0.001)] == [0, 0, 1, 2, 3]
    assert class_of_host(structs.replace(rich, boosted=9), 0.5, 0.001) == 0, "what the operator boosts comes first"


def test_the_best_have_their_turn_most_often() -> None:
    ladder = [NEW, structs.replace(NEW, worth=0.6), SEED, structs.replace(SEED, boosted=5)]
    weights = [weight(record) for record in ladder]
    assert weights == sorted(weights)
    assert len(set(weights)) == len(weights)


def test_an_unknown_domain_has_one_host_in_memory_until_it_has_earned_more() -> None:
    assert room_for_hosts(NEW, 0, 100) == 1
    assert room_for_hosts(NEW, 1, 100) == 0
    assert room_for_hosts(after(NEW, GOOD), 1, 100) == 1
    assert room_for_hosts(SEED, 0, 100) == 50
