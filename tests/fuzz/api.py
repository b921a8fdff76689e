"""Targets for what workers elsewhere send: the bodies of the API, and what a node makes of them."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from skitter.api.problems import Problem, decoded
from skitter.messages import Errand, Lease, Url
from skitter.parse.outlinks import nothing_known
from skitter.reading.meaning import Rules
from skitter.settings import ScopeSettings, Settings
from skitter.url.canon import Canon
from skitter.url.scope import Scope
from skitter.work.meaning import carried
from skitter.work.messages import Asked, Beat, Failed, Offered, Result, Told, Wanted

BODIES: tuple[Any, ...] = (Wanted, Beat, Result, Failed, Offered)
RULES = Rules(Settings(), Canon(), Scope(ScopeSettings(reach="any")))
LEASE = Lease("http://a.test/p", "a.test", Errand.PAGE, 9e9)
GIVEN, TOLD = 100.0, 200.0


def fuzz_api(data: bytes) -> None:
    """A body is what it should be, or a problem that names field and remedy; what it means stays within its lease."""
    wanted = BODIES[data[0] % len(BODIES)] if data else Wanted
    try:
        body = decoded(data[1:], wanted)
    except Problem as problem:
        told = json.loads(problem.body())
        assert told["status"] == 400
        assert told["field"]
        assert told["right"]
        return
    question = body if not isinstance(body, Result | Failed) else _told(body)
    raw = msgspec.msgpack.encode(Asked("w", question))
    assert msgspec.msgpack.encode(msgspec.msgpack.decode(raw, type=Asked)) == raw
    if isinstance(body, Result | Failed):
        seen = carried(LEASE, body, GIVEN, TOLD, RULES, nothing_known)
        assert GIVEN <= seen.fetched.began <= seen.fetched.ended <= TOLD
        for link in seen.reading.found:
            url = RULES.canon(link.href)
            assert isinstance(url, Url)
            assert url.host == link.host


def _told(body: Result | Failed) -> Told:
    return Told("id", body, None) if isinstance(body, Result) else Told("id", None, body)


TARGETS = {"api": fuzz_api}
SEEDS = {
    "api": [
        b'\x00{"count":5,"region":"eu","wait":3}',
        b'\x01{"leases":["0.a","1.b"]}',
        b'\x02{"status":200,"began_ago":1.5,"ended_ago":1,"headers":[["content-type","text/html"]],"page":'
        b'{"links":[["http://a.test/x","a","navigation",false,"x"],["/y","a","feed",true,""]],'
        b'"canonical":"http://a.test/q","said":{"words":3,"simhash":5,"sample":"AAAA"}},'
        b'"stored":{"digest":"d","file":"f","offset":1,"length":2}}',
        b'\x02{"status":302,"began_ago":1,"ended_ago":1,"headers":[["location","//b.test/?a=%41"]]}',
        b'\x02{"status":200,"began_ago":1,"ended_ago":1,"listing":{"kind":"urlset","entries":'
        b'[["http://a.test/z",1.0,"daily"],["::",null,""]]}}',
        b'\x02{"status":429,"began_ago":1,"ended_ago":1,"headers":[["retry-after","9"]]}',
        b'\x03{"kind":"reset","asked":true,"began_ago":2,"ended_ago":1}',
        b'\x04{"urls":["http://a.test/"],"depth":1,"priority":0.3}',
    ]
}
