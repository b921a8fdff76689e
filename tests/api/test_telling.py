"""What a crawl can be told, each by a real request: done on disk, in the log of changes, answered the same again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from skitter.api.limits import Limits, Rate
from skitter.api.telling import TOLD
from skitter.console.acts import Act
from skitter.console.doing import HOW
from skitter.folder.inbox import FolderInbox
from skitter.inspection.folder import Folder
from skitter.ports import Allow, Block, Boost, Instruction, Pause, Recrawl, Resume, Revive, Seeds
from skitter.ports import Rate as RateOrder
from tests.api.asking import TOKENS, Served, served
from tests.api.conftest import Ran

pytestmark = pytest.mark.slow


def inbox(folder: Path) -> list[Instruction]:
    return [order for _, order in FolderInbox(folder).pending(range(4096))]


def test_every_act_can_be_told_and_is_done() -> None:
    assert set(Act.__args__) == HOW.keys() == {body for _, _, body, _ in TOLD}


def test_hosts_and_domains_are_told_what_the_command_line_tells_them(told: Served, made: Ran) -> None:
    host, domain = made.hosts[0], made.hosts[0].partition(":")[0]
    acts: list[tuple[str, dict[str, Any], Any, Any]] = [
        ("pause", {"host": host}, Pause(host), {"paused": True}),
        ("resume", {"host": f"http://{host}/p/1"}, Resume(host), {"paused": False}),
        ("rate", {"host": host, "seconds": 7}, RateOrder(host, 7.0), {"agreed_delay": 7.0}),
        ("block", {"domain": host}, Block(domain), {"blocked": True}),
        ("boost", {"domain": domain, "pages": 5}, Boost(domain, 5), {"boosted_pages": 5}),
        ("review/allow", {"domain": domain}, Allow(domain), {"blocked": False}),
        ("review/block", {"domain": domain}, Block(domain), {"blocked": True}),
    ]
    for name, body, order, after in acts:
        status, done, _ = told.ask("POST", f"/v1/{name}", body)
        assert status == 200, done
        assert done["after"] == after
        assert done["effect"] == "This takes effect when the crawl is next started."
        assert inbox(told.folder)[-1] == order
        for file in told.folder.glob("inbox/*/*.json"):
            file.unlink()
    log = told.get("/v1/changes")["changes"]
    assert [entry["what"] for entry in log][-1] == "PauseHost"
    assert [entry["after"] for entry in reversed(log)] == [after for *_, after in acts]
    assert {entry["who"] for entry in log} == {"operator"}
    assert (told.folder / "api-log.jsonl").stat().st_mode & 0o777 == 0o600


def test_pages_are_seen_again_and_tried_again(told: Served, made: Ran) -> None:
    host = made.hosts[0]
    assert told.ask("POST", "/v1/recrawl", {"url": f"http://{host}/"}).status == 200
    assert told.ask("POST", "/v1/recrawl", {"host": host}).status == 200
    first, second = inbox(told.folder)
    assert isinstance(first, Recrawl)
    assert first.fingerprint
    assert isinstance(second, Recrawl)
    assert second.host == host
    assert told.ask("POST", "/v1/recrawl", {"all": True}).status == 200
    assert len(inbox(told.folder)) > 2
    done = told.ask("POST", "/v1/retry", {"host": host})
    assert done.status == 200
    assert done.told["what"] == "None was given up."
    assert not [order for order in inbox(told.folder) if isinstance(order, Revive)]


def test_seeds_that_are_new_and_those_that_were_known_are_told_apart(told: Served, made: Ran) -> None:
    home, new = f"http://{made.hosts[0]}/", "http://127.0.0.1:9/new"
    body = {"urls": [home, new, new], "priority": 0.25}
    done = told.ask("POST", "/v1/seeds", body).told
    assert (done["accepted"], done["known"]) == (1, 2)
    assert done["seeds"] == [{"url": home, "state": "known"}, {"url": new, "state": "accepted"}]
    offered = [seed for order in inbox(told.folder) if isinstance(order, Seeds) for seed in order.seeds]
    assert {(seed.href, seed.priority) for seed in offered} == {(home, 0.25), (new, 0.25)}
    assert told.ask("POST", "/v1/seeds", body).told["accepted"] == 0


def test_settings_of_a_crawl_that_does_not_run_are_kept_for_its_next_start(told: Served) -> None:
    body = {"set": {"politeness.delay": 2, "scope.deny": ["/private"]}}
    done = told.ask("PATCH", "/v1/settings", body).told
    assert done["before"] == {"politeness.delay": 0.05, "scope.deny": []}
    with Folder(told.folder) as folder:
        assert folder.settings.politeness.delay == 2.0
        assert folder.settings.scope.deny == ("/private",)


def test_a_complaint_is_kept_and_slows_or_blocks_at_once(told: Served, made: Ran) -> None:
    host = made.hosts[0]
    for act in ("none", "slow", "block"):
        assert told.ask("POST", "/v1/complaints", {"host": host, "text": f"please {act}", "act": act}).status == 200
    assert inbox(told.folder) == [RateOrder(host, 0.1), Block(host.partition(":")[0])]
    kept = told.get("/v1/complaints")["complaints"]
    assert [(one["text"], one["host"]) for one in kept] == [(f"please {a}", host) for a in ("block", "slow", "none")]
    assert told.get("/v1/complaints?limit=1")["complaints"] == kept[:1]


WRONG: dict[str, tuple[str, str, Any, str]] = {
    "a host that is not known": ("POST", "/v1/pause", {"host": "nowhere.test"}, "host"),
    "no host at all": ("POST", "/v1/pause", {"host": "::"}, "host"),
    "a field that is none": ("POST", "/v1/pause", {"host": "a", "hots": 1}, "body"),
    "a rate that is none": ("POST", "/v1/rate", {"host": "a", "seconds": -1}, "seconds"),
    "a domain that is none": ("POST", "/v1/block", {"domain": " "}, "domain"),
    "nothing to see again": ("POST", "/v1/recrawl", {"all": False}, "url"),
    "two things to see again": ("POST", "/v1/recrawl", {"all": True, "host": "a"}, "url"),
    "a page that is not known": ("POST", "/v1/recrawl", {"url": "http://nowhere.test/x"}, "url"),
    "a seed that is none": ("POST", "/v1/seeds", {"urls": ["ftp://a/"]}, "urls"),
    "a priority that is none": ("POST", "/v1/seeds", {"urls": ["http://a/"], "priority": 2}, "priority"),
    "a seed of nobody whom its owner could ask": ("POST", "/v1/seeds", {"urls": ["http://far.example/"]}, "urls"),
    "a setting that is none": ("PATCH", "/v1/settings", {"set": {"politeness.dealy": 1}}, "politeness.dealy"),
    "a setting of another time": ("PATCH", "/v1/settings", {"set": {"frontier.shards": 1}}, "frontier.shards"),
    "a value that is none": ("PATCH", "/v1/settings", {"set": {"politeness.delay": "soon"}}, "politeness.delay"),
    "an act that is none": ("POST", "/v1/complaints", {"host": "a", "text": "", "act": "burn"}, "act"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_named_and_nothing_is_done(refusing: Served, case: str) -> None:
    method, path, body, field = WRONG[case]
    status, problem, headers = refusing.ask(method, path, body)
    assert (status, headers["content-type"]) == (400, "application/problem+json"), problem
    assert problem["field"] == field
    assert problem["right"]
    assert inbox(refusing.folder) == []
    assert not (refusing.folder / "api-log.jsonl").exists()


def test_the_same_key_is_done_once_and_answered_the_same(told: Served, made: Ran) -> None:
    key, body = {"Idempotency-Key": "k1"}, {"host": made.hosts[0]}
    first = told.ask("POST", "/v1/pause", body, headers=key)
    again = told.ask("POST", "/v1/pause", body, headers=key)
    assert (again.status, again.told) == (200, first.told)
    assert again.headers["idempotency-replayed"] == "true"
    assert len(inbox(told.folder)) == 1
    other = told.ask("POST", "/v1/pause", {"host": made.hosts[1]}, headers=key)
    assert (other.status, other.told["field"]) == (422, "Idempotency-Key")
    assert told.ask("POST", "/v1/resume", body, headers=key).status == 422
    assert told.ask("POST", "/v1/pause", body, headers={"Idempotency-Key": "k" * 201}).status == 400
    assert len(inbox(told.folder)) == 1


MAY = {
    ("read", "GET", "/v1/status"): 200,
    ("read", "POST", "/v1/pause"): 403,
    ("read", "GET", "/v1/work"): 403,
    ("worker", "GET", "/v1/status"): 403,
    ("worker", "POST", "/v1/pause"): 403,
    ("worker", "GET", "/v1/work"): 200,
    ("operator", "GET", "/v1/work"): 200,
    ("operator", "GET", "/openapi.json"): 200,
}


@pytest.mark.parametrize("case", MAY, ids=" ".join)
def test_a_token_may_do_what_its_role_is_for(looked: Served, case: tuple[str, str, str]) -> None:
    role, method, path = case
    body = {"host": "nowhere.test"} if method == "POST" else None
    assert looked.ask(method, path, body, role=role).status == MAY[case]


def test_who_asks_too_often_is_told_when_to_ask_again(made: Ran) -> None:
    with served(made.folder, made.tokens, Limits(Rate(1e-3, 3), Rate(1e-3, 1))) as api:
        assert [api.ask("GET", "/v1/settings").status for _ in range(4)] == [200, 200, 200, 429]
        late = api.ask("GET", "/v1/settings")
        assert int(late.headers["retry-after"]) > 1
        assert api.ask("GET", "/v1/settings", role="read").status == 200  # each has its own
        assert api.ask("POST", "/v1/pause", {"host": "::"}).status == 400
        assert api.ask("POST", "/v1/pause", {"host": "::"}).status == 429


def test_no_secret_is_ever_written(told: Served, made: Ran) -> None:
    told.ask("POST", "/v1/pause", {"host": made.hosts[0]}, headers={"Idempotency-Key": "k"})
    told.ask("POST", "/v1/pause", {"host": made.hosts[0]}, headers={"Authorization": "Bearer " + "x" * 30})
    told.ask("POST", "/v1/recrawl", {"url": f"http://me:hidden@{made.hosts[0]}/"})
    for file in told.folder.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            assert not any(token.encode() in content for token in TOKENS.values()), file
            assert b"hidden" not in content, file
    assert "hidden" not in json.dumps(told.get("/v1/changes"))
