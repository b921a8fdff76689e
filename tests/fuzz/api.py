"""Targets for what is sent to the API: by workers elsewhere, by operators and by browsers."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from skitter.api.endpoints import Nothing
from skitter.api.looking import HostsQuery, LastQuery, PrefixQuery, SeriesQuery, UrlQuery
from skitter.api.problems import Problem, converted, decoded
from skitter.api.session import who_in
from skitter.api.tokens import Role, Who
from skitter.console.acts import Act
from skitter.console.series import series_of
from skitter.console.table import read, written
from skitter.errors import OperatorError
from skitter.messages import Errand, Lease, Url
from skitter.parse.outlinks import nothing_known
from skitter.reading.meaning import Rules
from skitter.settings import ScopeSettings, Settings
from skitter.supervisor.series import decoded_points, thinned
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


ACTS: tuple[Any, ...] = tuple(Act.__args__)
QUERIES: tuple[Any, ...] = (HostsQuery, UrlQuery, PrefixQuery, SeriesQuery, LastQuery, Nothing)
KEYED = {"ann": (Who("ann", Role.OPERATOR), b"secret")}


def fuzz_console(data: bytes) -> None:
    """What operators and browsers send is what it should be, or a problem that names field and remedy."""
    kind, which, rest = data[:1], data[1] if len(data) > 1 else 0, data[2:]
    text = rest.decode("utf-8", "replace")
    try:
        if kind == b"q":
            converted(dict(parse_qsl(text, keep_blank_values=True)), QUERIES[which % len(QUERIES)])
        elif kind == b"c":
            assert written(read(text))
        elif kind == b"s":
            assert who_in(text, KEYED, 0.0) is None
        elif kind == b"p":
            series_of(thinned(decoded_points(rest), 1e9), 5.0)
        else:
            decoded(rest, ACTS[which % len(ACTS)])
    except Problem as problem:
        told = json.loads(problem.body())
        assert told["status"] == 400
        assert told["field"]
        assert told["right"]
    except OperatorError as error:
        assert error.key == "cursor"


TARGETS = {"api": fuzz_api, "console": fuzz_console}
SEEDS = {
    "console": [
        *(
            b'b%c{"host":"a.org","domain":"a.org","urls":["http://a/"],"set":{"a.b":1},"text":"x"}' % n
            for n in range(11)
        ),
        b"q\x00search=a&sort=pages&order=asc&limit=5&cursor=kgEC",
        b"q\x01url=http://a/",
        b"q\x03span=60",
        b"c\x00kgu0aDAwMDIuc2ltLnRlc3Q6NDAwMjk",
        b"s\x00ann~1795001117~00ff",
        b'p\x00[5.0,0.0,1,1,0,10,1,1,[0,0,0,0,0,0,0]]\n[10.0,0.0,2,2,0,20,1,1,[1],null,0.1,2.0,3,{"reset":1}]\n',
    ],
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
    ],
}
