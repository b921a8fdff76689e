"""A browser turns a token into a session: what it may do with it, and that no other site can make it do anything."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from skitter.api.session import COOKIE, LASTS, session_of, who_in
from skitter.api.tokens import Role, Who
from tests.api.asking import TOKENS, Answer, Served
from tests.api.conftest import Ran

KEYED = {"ann": (Who("ann", Role.OPERATOR), b"secret"), "ben": (Who("ben", Role.READ), b"other")}
NOBODY = {"Authorization": ""}


def test_a_session_says_who_until_it_is_over_and_can_not_be_made_up() -> None:
    ann = KEYED["ann"][0]
    cookie = session_of(ann, b"secret", 1000)
    assert who_in(cookie, KEYED, 999.0) == ann
    assert who_in(cookie, KEYED, 1000.0) is None
    assert who_in(cookie.replace("ann", "ben"), KEYED, 999.0) is None
    assert who_in(cookie.replace("1000", "9999"), KEYED, 999.0) is None
    assert who_in(session_of(ann, b"guess", 1000), KEYED, 999.0) is None
    assert who_in(cookie, {"ben": KEYED["ben"]}, 999.0) is None  # her token was taken out of the file
    for text in ("", "~~", "ann~x~y", "ann~9~", "ann~" + "9" * 400 + "~", "ann~²~é"):
        assert who_in(text, KEYED, 0.0) is None


def sign_in(api: Served, token: str, headers: dict[str, str] | None = None) -> Answer:
    form = {"Content-Type": "application/x-www-form-urlencoded", **NOBODY, "Origin": f"http://{api.host}"}
    return api.ask("POST", "/login", urlencode({"token": token}).encode(), headers={**form, **(headers or {})})


def session(api: Served, role: str) -> dict[str, str]:
    answer = sign_in(api, TOKENS[role])
    assert (answer.status, answer.headers["location"]) == (303, "/")
    return {**NOBODY, "Cookie": answer.headers["set-cookie"].partition(";")[0]}


@pytest.mark.slow
def test_the_cookie_is_for_the_browser_alone(looked: Served) -> None:
    answer = sign_in(looked, TOKENS["read"])
    words = answer.headers["set-cookie"].split("; ")
    assert words[0].startswith(f"{COOKIE}=read~")
    assert {"HttpOnly", "SameSite=strict", "Path=/", f"Max-Age={LASTS}"} <= set(words)
    assert TOKENS["read"] not in answer.headers["set-cookie"]


@pytest.mark.slow
def test_a_token_that_may_not_look_is_no_way_in(looked: Served) -> None:
    for token in ("x" * 30, "", TOKENS["worker"]):
        answer = sign_in(looked, token)
        assert answer.status == 401
        assert "set-cookie" not in answer.headers
        assert b"That is no token" in answer.told


@pytest.mark.slow
def test_the_page_has_nothing_in_it_that_runs_and_nothing_from_elsewhere(looked: Served) -> None:
    page = looked.ask("GET", "/login", headers=NOBODY)
    assert page.status == 200
    assert page.told.count(b"<script") == page.told.count(b'<script src="/static/') == 1
    assert b"style=" not in page.told
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert looked.ask("GET", "/static/dashboard.css", headers=NOBODY).status == 200


@pytest.mark.slow
def test_a_session_looks_and_tells_from_our_own_pages_only(refusing: Served, made: Ran) -> None:
    ours = {"Origin": f"http://{refusing.host}"}
    operator, reader = session(refusing, "operator"), session(refusing, "read")
    body = {"host": "::"}  # refused for what it says, when it may be said
    write = [
        ({**operator, **ours}, 400),
        ({**operator, "Sec-Fetch-Site": "same-origin"}, 400),
        (operator, 403),  # no browser of today says neither
        ({**operator, "Origin": "http://evil.example"}, 403),
        ({**operator, "Origin": "null"}, 403),
        ({**operator, "Sec-Fetch-Site": "cross-site"}, 403),
        ({**operator, "Sec-Fetch-Site": "same-site"}, 403),
        ({**operator, **ours, "Sec-Fetch-Site": "cross-site"}, 403),
        ({**operator, **ours, "Host": "evil.example"}, 421),
        ({**reader, **ours}, 403),
        ({**NOBODY, **ours}, 401),
        ({**NOBODY, **ours, "Cookie": f"{COOKIE}=operator~99999999999~00"}, 401),
    ]
    for headers, status in write:
        assert refusing.ask("POST", "/v1/pause", body, headers=headers).status == status, headers
    assert refusing.ask("GET", "/v1/status", headers=reader).status == 200
    assert refusing.ask("GET", "/v1/status", headers={**reader, "Sec-Fetch-Site": "cross-site"}).status == 403
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert refusing.ask("GET", "/login", headers={**NOBODY, **link}).status == 200  # a link in a mail
    assert not (refusing.folder / "api-log.jsonl").exists()


@pytest.mark.slow
def test_nobody_is_signed_in_or_out_by_another_site(looked: Served) -> None:
    for headers in ({"Origin": "http://evil.example"}, {"Origin": ""}, {"Sec-Fetch-Site": "cross-site"}):
        answer = sign_in(looked, TOKENS["operator"], headers)
        assert answer.status == 403
        assert "set-cookie" not in answer.headers
    mine = session(looked, "read")
    assert looked.ask("POST", "/logout", headers=mine).status == 403
    out = looked.ask("POST", "/logout", headers={**mine, "Origin": f"http://{looked.host}"})
    assert (out.status, out.headers["location"]) == (303, "/login")
    assert f'{COOKIE}="";' in out.headers["set-cookie"]
    assert sign_in(looked, "t" * 3000).status == 413


def test_the_page_about_us_is_for_everybody_and_loads_nothing(looked: Served) -> None:
    status, told, headers = looked.ask("GET", "/about", headers=NOBODY)
    assert status == 200
    assert "robots.txt" in str(told)
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert looked.ask("GET", "/about", headers={**NOBODY, "Host": "evil.example"}).status == 421
