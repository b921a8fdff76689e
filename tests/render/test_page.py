"""What a page comes to in a real browser: settled by its own clock, with all that is in it, and within bounds."""

from __future__ import annotations

import asyncio

import pytest

from skitter.messages import Failure
from skitter.ports import Given, Rendered, Wanted
from tests.render.conftest import HOME, Browsing, Web

pytestmark = pytest.mark.slow
SETTINGS = {"max_requests": 12, "max_bytes": 100_000, "max_dom": 50_000}
SAY = "const say = (text) => document.body.append(text);"


def test_timers_take_no_time_of_ours_and_answers_are_waited_for(browsing: Browsing) -> None:
    script = (
        f"{SAY} setTimeout(async () => {{ const answer = await fetch('/a.json');"
        "const text = await answer.json(); setTimeout(() => say(text), 1500) }, 3000)"
    )

    async def hold(wanted: Wanted) -> None:
        if wanted.url.endswith("json"):
            await asyncio.sleep(0.2)

    web = Web({"": f"<body><script>{script}</script>", "a.json": '"late"'}, hold=hold)
    rendered = browsing.of(web)
    assert isinstance(rendered, Rendered)
    assert (rendered.is_settled, b"late" in rendered.dom) == (True, True)


def test_open_and_closed_shadow_roots_are_in_it(browsing: Browsing) -> None:
    text = browsing.text(
        "<body><p></p><div></div><script>const attach = (where, mode) =>"
        "  document.querySelector(where).attachShadow({mode});"
        "for (const [where, mode] of [['p', 'open'], ['div', 'closed']])"
        "  attach(where, mode).innerHTML = `<a href=/${mode}>${mode}</a><b></b>`;"
        "document.querySelector('p').shadowRoot.querySelector('b').attachShadow({mode: 'open'}).innerHTML = 'deep'"
        "</script>"
    )
    assert '<template shadowrootmode="open"><a href="/open">open</a>' in text
    assert '<a href="/closed">' in text
    assert "deep" in text


def test_no_script_of_the_page_changes_what_we_see(browsing: Browsing) -> None:
    text = browsing.text(
        "<html lang=en><body><p>true</p><script>Element.prototype.getHTML = () => 'false';"
        "Object.defineProperty(Element.prototype, 'outerHTML', {get: () => 'false'}); document.createTreeWalker = 0;"
        "String.prototype.slice = () => 'false'; document.__defineGetter__('documentElement', () => null)</script>"
    )
    assert '<html lang="en">' in text
    assert "<p>true</p>" in text


def test_odd_signs_do_no_harm(browsing: Browsing) -> None:
    text = browsing.text(
        f"<body>ä€😀<script>{SAY} say('\\ud800|\\0|\\u2028'); alert('\\ud800'); location.hash = '\\udfff'</script>"
    )
    assert "ä€😀" in text
    assert "|" in text


def test_the_page_is_told_that_it_is_online_and_who_we_are(browsing: Browsing) -> None:
    assert "Mozilla/5.0 (compatible; skitter) true" in browsing.text(
        f"<body><script>{SAY} say(navigator.userAgent + ' ' + navigator.onLine)</script>"
    )


@pytest.mark.parametrize(
    "move",
    ["location.href = '/refused'", "setTimeout(() => location.replace('/refused'), 100)", "document.forms[0].submit()"],
)
def test_a_page_that_may_not_move_on_stays(browsing: Browsing, move: str) -> None:
    assert "<p>here</p>" in browsing.text(f"<body><p>here</p><form action=/refused></form><script>{move}</script>")


def test_a_page_that_moves_on_is_followed_and_gets_its_time(browsing: Browsing) -> None:
    rendered = browsing.render(
        "<body><script>setTimeout(() => { location.href = '/next.html' }, 4000)</script>",
        next_html=f"<body><script>{SAY} setTimeout(() => say('there'), 4000)</script>",
    )
    assert isinstance(rendered, Rendered)
    assert (rendered.url, rendered.is_settled, b"there" in rendered.dom) == (f"{HOME}next.html", True, True)


def test_dialogs_are_answered(browsing: Browsing) -> None:
    assert "true" in browsing.text(f"<body><script>{SAY} alert(1); say(String(confirm('?'))); prompt('?')</script>")


def test_requests_are_bounded(browsing: Browsing) -> None:
    web = Web({"": "<body><script>for (let i = 0; i < 50; i++) fetch('/' + i)</script>"})
    rendered = browsing.of(web)
    assert isinstance(rendered, Rendered)
    assert (rendered.asked, rendered.refused, len(web.asked)) == (51, 50, SETTINGS["max_requests"])


def test_bytes_are_bounded(browsing: Browsing) -> None:
    web = Web({"": "<body><script src=a.js></script><script src=b.js></script>", "a.js": " " * 200_000, "b.js": ""})
    rendered = browsing.of(web)
    assert isinstance(rendered, Rendered)
    assert (web.paths(), rendered.refused) == (["", "a.js"], 1)


def test_the_document_is_cut(browsing: Browsing) -> None:
    text = browsing.text(f"<body><script>{SAY} say('x'.repeat(1e6))</script>")
    assert len(text) == SETTINGS["max_dom"]


def test_what_is_not_needed_is_not_asked_for(browsing: Browsing) -> None:
    page = (
        "<body><img src=a.png><video src=b.mp4></video><link rel=prefetch href=c><link rel=icon href=d>"
        "<link rel=stylesheet href=e.css onload=\"document.body.append('styled')\">"
        "<script>new EventSource('/f'); navigator.sendBeacon('/g'); new WebSocket('ws://a.test/h')</script>"
    )
    web = Web({"": page})
    rendered = browsing.of(web)
    assert isinstance(rendered, Rendered)
    assert web.paths() == [""]
    assert b"styled" in rendered.dom


def test_a_preflight_is_allowed_and_the_answer_decides(browsing: Browsing) -> None:
    asked: list[tuple[str, str]] = []

    async def give(wanted: Wanted) -> Given:
        asked.append((wanted.method, wanted.url))
        if wanted.url == HOME:
            script = f"{SAY} fetch('http://b.test/open', {{headers: {{'X-A': 'b'}}}}).then(a => a.text()).then(say);"
            closed = "fetch('http://b.test/closed', {headers: {'X-A': 'b'}}).catch(() => say('closed'))"
            return Given(200, (("Content-Type", "text/html"),), f"<body><script>{script}{closed}</script>".encode())
        headers = [("Access-Control-Allow-Origin", "*")] if wanted.url.endswith("open") else []
        return Given(200, tuple(headers), b"opened")

    rendered = browsing.runner.run(browsing.pool.render(HOME, give))
    assert isinstance(rendered, Rendered)
    assert {b"opened" in rendered.dom, b"closed" in rendered.dom} == {True}
    assert {method for method, _ in asked} == {"GET"}


def test_no_document_is_a_failure_and_the_browser_lives_on(browsing: Browsing) -> None:
    launches = browsing.pool.statistics().launches
    failure = browsing.of(Web({}))
    assert isinstance(failure, Failure)
    assert "x" in browsing.text("<p>x")
    assert browsing.pool.statistics().launches == launches


def test_what_giving_raises_is_raised(browsing: Browsing) -> None:
    async def give(_: Wanted) -> Given:
        raise LookupError("ours")

    with pytest.raises(LookupError, match="ours"):
        browsing.runner.run(browsing.pool.render(HOME, give))
    assert "x" in browsing.text("<p>x")


def test_pages_share_nothing(browsing: Browsing) -> None:
    script = f"{SAY} say('was ' + localStorage.a + document.cookie); localStorage.a = 'b'; document.cookie = 'c=d'"
    for _ in range(2):
        assert "was undefined" in browsing.text(f"<body><script>{script}</script>")
