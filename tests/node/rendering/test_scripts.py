from __future__ import annotations

from skitter.messages import Errand, Fetched, Headers, Lease
from skitter.node.rendering.scripts import LONGEST, USUAL, Scripts, kept_for
from skitter.ports import Given

LEASE = Lease("http://a.test/a.js", "a.test", Errand.PART, 0.0)


def fetched(headers: Headers = ()) -> Fetched:
    return Fetched(LEASE, 9.0, 10.0, status=200, headers=headers)


def control(value: str) -> float:
    return kept_for(fetched([("Cache-Control", value)]))


def test_how_long_a_script_is_kept() -> None:
    assert kept_for(fetched()) == USUAL
    assert control("public, max-age=60") == 60
    assert control("max-age=31536000, immutable") == LONGEST
    assert control("max-age=60, no-store") == control("no-cache") == control("max-age=0") == 0


def test_a_script_is_given_again_until_it_is_too_old() -> None:
    scripts, given = Scripts(100), Given(200, body=b"x" * 10)
    scripts.keep("a", given, fetched([("cache-control", "max-age=60")]))
    assert scripts.get("a", 69.0) is given
    assert scripts.get("a", 70.0) is None
    assert scripts.get("b", 0.0) is None
    assert scripts.hits == 1


def test_what_is_kept_is_bounded_and_those_wanted_last_stay() -> None:
    scripts = Scripts(30)
    for name in "abc":
        scripts.keep(name, Given(200, body=b"x" * 10), fetched())
    assert scripts.get("a", 11.0) is not None
    scripts.keep("d", Given(200, body=b"x" * 10), fetched())
    assert [name for name in "abcd" if scripts.get(name, 11.0)] == ["a", "c", "d"]
    scripts.keep("e", Given(200, body=b"x" * 31), fetched())
    scripts.keep("f", Given(404, body=b"x"), fetched())
    assert scripts.get("e", 11.0) is scripts.get("f", 11.0) is None
