"""Every mistake in a body is told by its field, its value and what would be right."""

from __future__ import annotations

import json

import pytest

from skitter.api.problems import Problem, decoded
from skitter.work.messages import Failed, Offered, Result, Wanted

CASES = {
    "no JSON": (Wanted, b"{", "body", "{", "a JSON object"),
    "not UTF-8": (Wanted, b'{"region":"\xff"}', "body", "", "a JSON object"),
    "no object": (Wanted, b"[1]", "body", "[1]", "Expected `object`"),
    "a text for a number": (Wanted, b'{"count":"many"}', "count", '"many"', "Expected `int`"),
    "too many": (Wanted, b'{"count":501}', "count", "501", "`int` <= 500"),
    "too few": (Wanted, b'{"count":0}', "count", "0", "`int` >= 1"),
    "a region that is none": (Wanted, b'{"region":"e u"}', "region", '"e u"', "matching regex"),
    "a field that there is not": (Wanted, b'{"cuont":1}', "body", '{"cuont":1}', "unknown field `cuont`"),
    "a field that is missing": (Result, b"{}", "body", "{}", "missing required field `status`"),
    "deep inside": (
        Result,
        b'{"status":200,"began_ago":1,"ended_ago":1,"page":{"links":[["u","a","navigation",false,""],["u"]]}}',
        "page.links[1]",
        '["u"]',
        "Expected `array` of length 5",
    ),
    "a kind that is none": (Failed, b'{"kind":"bored"}', "kind", '"bored"', "Invalid enum value"),
    "time that runs backwards": (Result, b'{"status":200,"began_ago":-1,"ended_ago":0}', "began_ago", "-1", ">= 0"),
    "no URLs": (Offered, b'{"urls":[]}', "urls", "[]", "length >= 1"),
    "nested without end": (Wanted, b"[" * 5000, "body", "[" * 20, "a JSON object"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_mistake_is_named(name: str) -> None:
    wanted, raw, field, value, right = CASES[name]
    with pytest.raises(Problem) as caught:
        decoded(raw, wanted)  # type: ignore[type-var]
    told = json.loads(caught.value.body())
    assert told["status"] == 400
    assert told["title"] == "Bad Request"
    assert told["field"] == field
    assert value in told["value"]
    assert right in told["right"]
