"""The canonical form: what is fetched, and what counts as one."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.messages import Reason, Url
from skitter.settings import UrlSettings
from skitter.url.canon import Canon
from skitter.url.dedup import SESSIONS, TRACKING

canon = Canon()


def made(text: str, base: str | None = None, settings: UrlSettings | None = None) -> Url:
    url = Canon(settings)(text, base)
    assert isinstance(url, Url), f"{text}: {url}"
    return url


FETCHED = [
    ("HTTP://WWW.Example.ORG:80/a", "http://www.example.org/a"),
    ("https://example.org:443", "https://example.org/"),
    ("https://example.org:8443/", "https://example.org:8443/"),
    ("http://example.org/a/./b/../c#frag", "http://example.org/a/c"),
    ("http://example.org/%7euser/%41%2f%c3%a9", "http://example.org/~user/A%2F%C3%A9"),
    ("http://example.org/?q=%7e%2b+", "http://example.org/?q=~%2B+"),
    ("http://example.org/%", "http://example.org/%"),
    ("http://example.org/%2", "http://example.org/%2"),
    ("http://example.org/%zz%41", "http://example.org/%zzA"),
    ("http://example.org/%2541", "http://example.org/%2541"),
    ("http://example.org/%4%41", "http://example.org/%4%41"),
    ("http://example.org/%%41%%7e", "http://example.org/%%41%~"),
    ("http://example.org/%%34%31", "http://example.org/%%341"),
    ("http://user:secret@example.org/x", "http://example.org/x"),
    ("http://user@example.org@host.example/", "http://host.example/"),
    ("http://a:b@[::1]:8080/?x@y", "http://[::1]:8080/?x@y"),
    ("http://example.org/a@b", "http://example.org/a@b"),
    ("http://example.org/a//b/?b=2&a=1&utm_source=x", "http://example.org/a//b/?b=2&a=1&utm_source=x"),
    ("http://example.org?", "http://example.org/?"),
    ("http://2130706433/", "http://127.0.0.1/"),
    ("http://ПРИМЕР.рф/", "http://xn--e1afmkfd.xn--p1ai/"),
]


@pytest.mark.parametrize(("text", "href"), FETCHED, ids=[case[0] for case in FETCHED])
def test_what_is_fetched(text: str, href: str) -> None:
    assert made(text).href == href


ONE = [
    ("drop_www", "http://www.example.org/a", "http://example.org/a"),
    ("drop_trailing_slash", "http://example.org/a/", "http://example.org/a"),
    ("drop_trailing_slash", "http://example.org/a/?x=1", "http://example.org/a?x=1"),
    ("drop_index", "http://example.org/a/index.html", "http://example.org/a/"),
    ("drop_index", "http://example.org/INDEX.HTM", "http://example.org/"),
    ("drop_index", "http://example.org/Default.aspx?x=1", "http://example.org/?x=1"),
    ("drop_index", "http://example.org/a/default.htm", "http://example.org/a/"),
    ("collapse_slashes", "http://example.org/a///b", "http://example.org/a/b"),
    ("sort_query", "http://example.org/?b=2&a=1", "http://example.org/?a=1&b=2"),
    ("sort_query", "http://example.org/?a=2&a=1", "http://example.org/?a=1&a=2"),
    ("sort_query", "http://example.org/?a&b=1", "http://example.org/?a=&b=1"),
    ("sort_query", "http://example.org/?a=x+y", "http://example.org/?a=x%20y"),
    ("sort_query", "http://example.org/?&a=1&&b=2&", "http://example.org/?a=1&b=2"),
    ("drop_empty_query", "http://example.org/a?", "http://example.org/a"),
    ("drop_tracking", "http://example.org/a?utm_source=x&UTM_medium=y&fbclid=1", "http://example.org/a"),
    ("drop_tracking", "http://example.org/a?x=1&gclid=7", "http://example.org/a?x=1"),
    ("drop_sessions", "http://example.org/a?sid=1&PHPSESSID=2", "http://example.org/a"),
    ("drop_sessions", "http://example.org/a;jsessionid=1A2B?x=1", "http://example.org/a?x=1"),
    ("drop_sessions", "http://example.org/a;JSESSIONID=1/b", "http://example.org/a/b"),
    ("drop_sessions", "http://example.org/(S(4hqa0555fwsecu455xqckv45))/a.aspx", "http://example.org/a.aspx"),
    ("fold_escapes", "http://example.org/?q=[a]|^`", "http://example.org/?q=%5Ba%5D%7C%5E%60"),
    ("fold_escapes", "http://example.org/a|b", "http://example.org/a%7Cb"),
]


@pytest.mark.parametrize(("rule", "left", "right"), ONE, ids=[f"{rule} {left}" for rule, left, _ in ONE])
def test_bold_rules_merge_and_can_be_switched_off(rule: str, left: str, right: str) -> None:
    assert made(left).key == made(right).key
    off = msgspec.structs.replace(UrlSettings(), **{rule: False})
    assert made(left, settings=off).key != made(right, settings=off).key


def test_every_rule_is_tried_above() -> None:
    rules = {field.name for field in msgspec.structs.fields(UrlSettings) if field.type is not int} - {
        "max_length",
        "merge_schemes",
        "tracking_parameters",
        "session_parameters",
    }
    assert {rule for rule, _, _ in ONE} == rules


TWO = [
    ("http://example.org/a", "https://example.org/a"),
    ("http://example.org/a", "http://example.org/A"),
    ("http://example.org/a", "http://example.org:8080/a"),
    ("http://example.org/a%2Fb", "http://example.org/a/b"),
    ("http://example.org/?a=1", "http://example.org/?a=2"),
    ("http://example.org/?url=a%26b", "http://example.org/?url=a&b"),
    ("http://example.org/index", "http://example.org/"),
    ("http://example.org/myindex.html", "http://example.org/"),
    ("http://example.org/keyword/default.html", "http://example.org/keyword/"),
    ("http://example.org/a?page=1", "http://example.org/a"),
    ("http://www.com/", "http://com/"),
    ("http://wwww.example.org/", "http://example.org/"),
    ("http://example.org/;v=1", "http://example.org/"),
    ("http://example.org/?residence=1", "http://example.org/"),
]


@pytest.mark.parametrize(("left", "right"), TWO)
def test_what_differs_stays_apart(left: str, right: str) -> None:
    assert made(left).key != made(right).key


def test_http_and_https_are_one_only_if_asked() -> None:
    merged = UrlSettings(merge_schemes=True)
    assert made("http://a.org/x", settings=merged).key == made("https://a.org/x", settings=merged).key


def test_the_operator_adds_parameters() -> None:
    own = UrlSettings(tracking_parameters=("from", "trk_*"), session_parameters=("Ticket",))
    assert made("http://a.org/?from=x&TRK_1=y&ticket=z", settings=own).key == made("http://a.org/").key
    assert made("http://a.org/?from=x").key != made("http://a.org/").key


@pytest.mark.parametrize("name", sorted(TRACKING | SESSIONS))
def test_names_in_the_tables_are_lower_case(name: str) -> None:
    assert name == name.lower()
    assert made(f"http://a.org/?{name}=1").key == made("http://a.org/").key


REFUSED = [
    ("javascript:void(0)", Reason.NOT_HTTP),
    ("mailto:a@b.org", Reason.NOT_HTTP),
    ("ftp://a.org/", Reason.NOT_HTTP),
    ("data:text/html,<a>", Reason.NOT_HTTP),
    ("httpx://a.org/", Reason.NOT_HTTP),
    ("http://", Reason.BAD_URL),
    ("http:// /", Reason.BAD_URL),
    ("http://a.org:70000/", Reason.BAD_URL),
    ("http://[::1/", Reason.BAD_URL),
    ("http://256.256.256.256/", Reason.BAD_URL),
    ("/relative", Reason.BAD_URL),
    ("http://a.org/" + "x" * 2048, Reason.URL_TOO_LONG),
    ("http://a.org/" + "é" * 500, Reason.URL_TOO_LONG),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED, ids=[text[:30] for text, _ in REFUSED])
def test_what_is_refused_and_why(text: str, reason: Reason) -> None:
    assert canon(text) == reason


def test_the_longest_url_that_passes() -> None:
    assert len(made("http://a.org/" + "x" * (2048 - 13)).href) == 2048


def test_the_host_owns_both_schemes_and_www() -> None:
    assert {made(text).host for text in ("http://www.a.org/", "https://a.org/x", "http://a.org.:80/")} == {"a.org"}
    assert made("http://a.org:8080/").host == "a.org:8080"


SIGNS = st.text(
    alphabet=st.sampled_from("aZ09-._~%/?#&=;:@[]|^`{}\\\"'<>+ é\ud800\x00\t\nsid(S)utm_index.html"), max_size=60
)


@given(
    st.one_of(st.text(max_size=100), SIGNS.map(lambda text: f"http://www.a.org/{text}")),
    st.sampled_from([None, "https://b.org/x/"]),
)
def test_the_canonical_form_is_a_fixed_point(text: str, base: str | None) -> None:
    url = canon(text, base)
    if isinstance(url, Url):
        assert canon(url.href) == url
        assert "#" not in url.href
        assert "@" not in url.href.split("/")[2]
