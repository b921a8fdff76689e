"""When a host is taken for another name of its original."""

from __future__ import annotations

import pytest
from msgspec import structs

from skitter.judge.dust import ENOUGH, SAMPLED, SAMPLES
from skitter.judge.mirror import Mirror, after_look, at_original, holds, is_sample

ALIAS = Mirror("https://www.b.org", ENOUGH)


@pytest.mark.parametrize(
    ("mirror", "is_alias"),
    [
        (ALIAS, True),
        (structs.replace(ALIAS, agreed=ENOUGH - 1), False),
        (structs.replace(ALIAS, is_broken=True), False),
        (structs.replace(ALIAS, is_refused=True), False),
    ],
)
def test_what_makes_an_alias(mirror: Mirror, *, is_alias: bool) -> None:
    assert holds(mirror) is is_alias


def test_a_url_moves_with_its_path_and_query() -> None:
    assert at_original(ALIAS, "http://a.org:81/x/y?q=/z") == "https://www.b.org/x/y?q=/z"
    assert at_original(ALIAS, "http://a.org/") == "https://www.b.org/"


def test_some_urls_are_fetched_until_many_paths_have_agreed() -> None:
    marks = [bytes([number]) for number in range(256)]
    assert sum(is_sample(ALIAS, mark) for mark in marks) == 256 // SAMPLED
    assert not any(is_sample(structs.replace(ALIAS, agreed=SAMPLES), mark) for mark in marks)


def test_what_looks_make_of_a_mirror() -> None:
    first = after_look(None, "http://b.org", 5, 0)
    assert first == Mirror("http://b.org", 5)
    assert after_look(first, "http://b.org", 12, 0) == Mirror("http://b.org", 12)
    broken = after_look(first, "http://b.org", 12, 1)
    assert broken is not None
    assert not holds(broken)
    assert after_look(broken, "http://b.org", 40, 0) == Mirror("http://b.org", 40, is_broken=True), "for good"
    assert after_look(broken, "http://c.org", 12, 0) == Mirror("http://c.org", 12), "but for another original"
    refused = structs.replace(ALIAS, is_refused=True)
    assert after_look(refused, "http://c.org", 12, 0) == Mirror("http://c.org", 12, is_refused=True)


def test_a_mirror_that_is_not_found_any_more_is_none_until_it_is() -> None:
    gone = after_look(ALIAS, "", 0, 0)
    assert gone is not None
    assert not holds(gone)
    assert after_look(gone, ALIAS.original, ENOUGH, 0) == ALIAS
    assert after_look(None, "", 0, 0) is None
