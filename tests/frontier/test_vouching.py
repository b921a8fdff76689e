"""A link says something for the host that it leads to, once from each host, be it known or not."""

from __future__ import annotations

from msgspec import structs

from skitter.frontier.vouching import PAIRS, Vouching
from skitter.messages import Discovered, Errand, Lease, Verdict
from skitter.parse.links import MAX_ABROAD
from skitter.reading.answered import absent
from skitter.reading.meaning import Reading, Rules
from skitter.reading.read import read
from skitter.settings import UrlSettings
from skitter.url.canon import Canon
from tests.reading.test_read import HTML, answer, rules

LEASE = Lease("http://a.org/dir/page", "a.org", Errand.PAGE, 0.0, depth=1)


def reading_of(*links: str, are_known: bool = True, by: Rules | None = None) -> Reading:
    body = "".join(f"<a href={link}>x</a>" for link in links).encode()
    return read(answer(200, body, HTML), by or rules(), lambda _: are_known)


def supported(vouching: Vouching, reading: Reading, trust: float = 0.5, lease: Lease = LEASE) -> list[Discovered]:
    return [one for one in vouching.vouched(lease, trust, reading).found if one.supports]


def vouching(wants: bool = True, at_hand: frozenset[str] = frozenset()) -> Vouching:
    return Vouching(Canon(UrlSettings()), lambda names, _: set(names) if wants else set(), at_hand.__contains__)


def test_a_known_link_is_offered_once_for_what_it_says() -> None:
    one, reading = vouching(), reading_of("http://b.org/1", "http://c.org/", "http://b.org/2", "here")
    assert [(link.href, link.supports, link.depth, link.parent) for link in supported(one, reading)] == [
        ("http://b.org/1", 0.5, 2, LEASE.href),
        ("http://c.org/", 0.5, 2, LEASE.href),
    ]
    assert supported(one, reading) == []
    other = structs.replace(LEASE, href="http://z.a.org/", host="z.a.org")
    assert [link.host for link in supported(one, reading, lease=other)] == ["b.org", "c.org"]


def test_of_a_host_at_hand_the_name_is_enough_unless_its_link_is_refused() -> None:
    reading, at_hand = reading_of("http://b.org/1", "http://c.org/", "http://d.org/"), frozenset({"b.org", "d.org"})
    judged = vouching(at_hand=at_hand).vouched(LEASE, 0.5, structs.replace(reading, refused={2: "out_of_scope"}))
    assert list(judged.vouched) == ["b.org"]
    assert [(link.host, link.supports) for link in judged.found] == [("c.org", 0.5)]
    assert absent(judged, "it says so").vouched == ()


def test_a_new_link_is_offered_once_not_twice() -> None:
    reading = reading_of("http://b.org/1", "here", are_known=False)
    found = vouching().vouched(LEASE, 0.5, reading).found
    assert sorted((link.href, link.supports) for link in found) == [
        ("http://a.org/dir/here", 0.0),
        ("http://b.org/1", 0.5),
    ]


def test_nothing_is_said_by_who_is_not_trusted_nor_where_it_makes_no_difference_or_is_refused() -> None:
    reading = reading_of("http://b.org/1")
    one = vouching()
    assert supported(one, reading, trust=0.0) == []
    assert supported(one, structs.replace(reading, verdict=Verdict(follow=False))) == []
    assert supported(one, structs.replace(reading, refused={0: "out_of_scope"})) == []
    assert supported(vouching(wants=False), reading) == []
    assert supported(vouching(), reading) != []


def test_so_many_pairs_are_remembered() -> None:
    one, reading = vouching(), reading_of(*[f"http://b{number}.org/" for number in range(MAX_ABROAD)])
    for number in range(PAIRS // MAX_ABROAD):
        one.vouched(structs.replace(LEASE, host=f"h{number}.org"), 0.5, reading)
    first = structs.replace(LEASE, host="h0.org")
    assert supported(one, reading, lease=first) == []
    assert supported(one, reading) != []
    assert supported(one, reading, lease=first) != [], "it began anew"
    assert supported(one, reading, lease=first) == []
