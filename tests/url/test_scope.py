"""Which URLs belong to a crawl."""

from __future__ import annotations

import pytest

from skitter.errors import OperatorError
from skitter.messages import Reason, Url
from skitter.settings import ScopeSettings
from skitter.url.canon import Canon
from skitter.url.domains import Domains
from skitter.url.scope import Scope


def url(text: str) -> Url:
    made = Canon()(text)
    assert isinstance(made, Url)
    return made


DOMAINS = Domains(["org", "com", "shops.example"])
SEEDS = [url("https://www.docs.example.org/start"), url("http://10.1.2.3:8080/")]

REACH = [
    ("host", "http://docs.example.org/x", None),
    ("host", "http://www.docs.example.org/x", None),
    ("host", "http://blog.example.org/", Reason.OUT_OF_SCOPE),
    ("host", "http://docs.example.org:81/", Reason.OUT_OF_SCOPE),
    ("domain", "http://blog.example.org/", None),
    ("domain", "http://example.org:81/", None),
    ("domain", "http://10.1.2.3/", None),
    ("domain", "http://10.1.2.4/", Reason.OUT_OF_SCOPE),
    ("domain", "http://notexample.org/", Reason.OUT_OF_SCOPE),
    ("domain", "http://example.org.evil.com/", Reason.OUT_OF_SCOPE),
    ("any", "http://anything.example/", None),
]


@pytest.mark.parametrize(("reach", "text", "refusal"), REACH, ids=[f"{reach} {text}" for reach, text, _ in REACH])
def test_reach(reach: str, text: str, refusal: Reason | None) -> None:
    assert Scope(ScopeSettings(reach=reach), SEEDS, DOMAINS).refusal(url(text)) == refusal  # type: ignore[arg-type]


def test_the_domains_are_those_of_the_crawl() -> None:
    inside = Scope(ScopeSettings(reach="domain"), [url("http://a.shops.example/")], DOMAINS)
    assert inside.refusal(url("http://x.a.shops.example/")) is None
    assert inside.refusal(url("http://b.shops.example/")) is Reason.OUT_OF_SCOPE
    with pytest.raises(AssertionError, match="whose domains"):
        Scope(ScopeSettings(reach="domain"), SEEDS)


PATTERNS = [
    (("/blog/",), (), "http://a.org/blog/1", None),
    (("/blog/", r"\.html$"), (), "http://a.org/x.html", None),
    (("/blog/",), (), "http://a.org/shop/1", Reason.OUT_OF_SCOPE),
    ((), (r"\.(pdf|zip)$",), "http://a.org/x.zip", Reason.DENIED_BY_PATTERN),
    ((), (r"\.(pdf|zip)$",), "http://a.org/zip", None),
    (("/blog/",), ("private",), "http://a.org/blog/private", Reason.DENIED_BY_PATTERN),
    (("a|b", "c"), (), "http://x.org/zzz", Reason.OUT_OF_SCOPE),
]


@pytest.mark.parametrize(("allow", "deny", "text", "refusal"), PATTERNS)
def test_patterns(allow: tuple[str, ...], deny: tuple[str, ...], text: str, refusal: Reason | None) -> None:
    assert Scope(ScopeSettings(reach="any", allow=allow, deny=deny)).refusal(url(text)) == refusal


def test_depth() -> None:
    scope = Scope(ScopeSettings(reach="any", max_depth=3))
    assert scope.refusal(url("http://a.org/"), depth=3) is None
    assert scope.refusal(url("http://a.org/"), depth=4) == Reason.TOO_DEEP


def test_a_pattern_cannot_hang() -> None:
    # In a backtracking engine this takes longer than the universe has existed.
    scope = Scope(ScopeSettings(reach="any", deny=(r"(a+)+(a+)+(a+)+$",)))
    assert scope.refusal(url("http://x.org/" + "a" * 2000 + "!")) is None


def test_a_bad_pattern_is_the_operators_mistake(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(OperatorError, match=r"scope\.deny\[1\] = '\(x'.*missing \)"):
        Scope(ScopeSettings(deny=("fine", "(x")))
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("path", "depth", "refusal"),
    [
        ("a/b/a/b/a/b/a/b", 1, Reason.TRAP),
        ("a/b/a/b/a/b", 1, None),
        ("a/b/a/b/a/b/a/b", 0, None),
        ("?q=/a/a/a/a/a/a", 1, None),
    ],
    ids=["goes round", "not yet", "a seed", "in the query"],
)
def test_paths_that_go_round(path: str, depth: int, refusal: Reason | None) -> None:
    scope = Scope(ScopeSettings(reach="any", max_repeats=3))
    assert scope.refusal(url(f"http://a.org/{path}"), depth) == refusal
