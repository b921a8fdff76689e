"""The dashboard over HTTP: who sees what, what a button does, and that no page waits for all hosts."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

import pytest

from skitter.api.dashboard.acting import ACTS, act_of
from skitter.api.dashboard.frame import PAGES
from skitter.api.problems import Problem
from skitter.console.acts import RateHost, RecrawlPages
from skitter.console.surveying import Surveying
from skitter.folder.jsonlines import last_lines
from skitter.inspection.folder import Folder
from skitter.inspection.hosts import host_named
from tests.api.asking import Served
from tests.api.conftest import Ran

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def press(served: Served, act: str, role: str = "operator", **form: str) -> tuple[int, str]:
    answer = served.ask("POST", f"/do/{act}", urlencode(form).encode(), role=role, headers=FORM)
    return answer.status, str(answer.told)


def test_what_a_button_sends_is_an_act() -> None:
    assert act_of("rate", {"host": "a.org", "seconds": "", "back": "/"}) == RateHost("a.org", None)
    assert act_of("rate", {"host": "a.org", "seconds": "2.5", "sure": "yes"}) == RateHost("a.org", 2.5)
    assert act_of("recrawl", {"url": "http://a.org/"}) == RecrawlPages(url="http://a.org/")
    for name in ACTS:
        with pytest.raises(Problem):
            act_of(name, {"unknown": "1"})


@pytest.mark.slow
def test_every_page_is_for_who_may_look_and_for_nobody_else(looked: Served, made: Ran) -> None:
    url = urlencode({"url": f"http://{made.hosts[0]}/"})
    more = (
        f"/hosts/{made.hosts[0]}",
        "/hosts/unknown.example",
        f"/url?{url}",
        f"/url/visits?{url}",
        "/hosts?search=h0",
    )
    for place in (*(path for path, _ in PAGES), *more, f"/url?prefix={made.hosts[0]}"):
        page = looked.ask("GET", place, role="read")
        assert page.status == 200, (place, page.told)
        assert "default-src 'none'" in page.headers["content-security-policy"]
        nobody = looked.ask("GET", place, headers={"Authorization": ""})
        assert (nobody.status, nobody.headers["location"]) == (303, "/login")
        assert looked.ask("GET", place, role="worker").status == 403


@pytest.mark.slow
def test_what_is_asked_for_wrongly_is_told_on_a_page(looked: Served) -> None:
    assert b"matching regex" in looked.ask("GET", "/hosts?sort=nonsense").told
    assert b"unknown field" in looked.ask("GET", "/hosts?nonsense=1").told
    assert b"must be more than 0" in looked.ask("GET", "/plan?pages=-1").told
    assert b"Expected `float`" in looked.ask("GET", "/plan?pages=many").told
    assert b"none that could be crawled" in looked.ask("GET", "/url?url=mailto:a@example.org").told
    assert looked.ask("GET", "/static/nothing.js").status == 404
    assert looked.ask("GET", "/static/..%2froutes.py").status == 404


@pytest.mark.slow
def test_a_button_without_scripts_asks_on_a_page_and_tells_on_another(told: Served, made: Ran) -> None:
    host = made.hosts[1]
    status, asked = press(told, "pause", host=host, back=f"/hosts/{host}")
    assert (status, "Are you sure?" in asked) == (200, True)
    assert not _changes(told.folder), "nothing is done before it is said twice"
    status, done = press(told, "pause", host=host, back=f"/hosts/{host}", sure="yes")
    assert (status, "is left alone" in done) == (200, True)
    assert [(one["who"], one["what"], one["target"]) for one in _changes(told.folder)] == [
        ("operator", "PauseHost", host)
    ]
    with Folder(told.folder) as folder:
        assert host_named(folder, host, 0.0) is not None
    assert "Nothing was done." in press(told, "pause", host="unknown.example", sure="yes")[1]
    assert press(told, "pause", role="read", host=host, sure="yes")[0] == 403
    assert press(told, "nonsense", host=host, sure="yes")[0] == 400
    assert press(told, "pause", host="x" * 30_000)[0] == 400
    assert len(_changes(told.folder)) == 1


@pytest.mark.slow
def test_no_page_waits_for_all_hosts_to_be_counted(told: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    (told.folder / "run" / "survey.json").unlink(missing_ok=True)

    async def never(_: Surveying) -> None:
        raise AssertionError("it would wait for a table that may take minutes")

    monkeypatch.setattr(Surveying, "table", never)
    monkeypatch.setattr(told.console._surveying, "_survey", None)
    for place in ("/", "/hosts", "/judgement", "/freshness", "/fleet", "/render"):
        monkeypatch.setattr(told.console._surveying, "_survey", None)
        assert told.ask("GET", place).status == 200, place


def _changes(folder: Path) -> list[dict[str, object]]:
    return last_lines(folder / "api-log.jsonl", dict, 10)
