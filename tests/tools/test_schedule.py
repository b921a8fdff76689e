"""`skitter tools schedule`: a budget and pages in, visits out."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.settings import DAY
from skitter.tools.schedule import rehearsed

COURSE = {"budget": 2, "from": 0, "until": 10 * DAY}
PAGE = {"id": "a", "host": "a.org", "known_at": 0, "changes": [DAY]}


def ask(*lines: object) -> list[dict[str, object]]:
    given = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    return [json.loads(answer) for answer in rehearsed(given)]


@pytest.mark.parametrize("policy", ["optimal", "uniform"])
def test_pages_are_answered_in_their_order_with_their_visits(policy: str) -> None:
    other = PAGE | {"id": 7, "known_at": 4 * DAY, "changes": []}
    first, second = ask(COURSE | {"policy": policy}, PAGE, other)
    assert (first["id"], second["id"]) == ("a", 7)
    both = sorted([*first["visits"], *second["visits"]])  # type: ignore[misc]
    assert both == [(number + 0.5) * DAY / 2 for number in range(20)]
    assert min(second["visits"]) > 4 * DAY  # type: ignore[call-overload]


def test_the_same_lines_give_the_same_visits() -> None:
    pages = [PAGE | {"id": number, "host": f"h{number % 3}", "signals": [2 * DAY]} for number in range(30)]
    assert ask(COURSE, *pages) == ask(COURSE, *pages)


def test_blank_lines_and_changes_out_of_order_are_no_matter() -> None:
    backward = PAGE | {"changes": [3 * DAY, DAY], "signals": [3 * DAY, DAY]}
    forward = PAGE | {"changes": [DAY, 3 * DAY], "signals": [DAY, 3 * DAY]}
    assert ask(COURSE, b" \n", backward) == ask(COURSE, forward)
    assert ask() == []


BAD_PAGES = [
    (b"{", "not a line of JSON"),
    (b"[1]", "a line must be one JSON object"),
    ({"id": 1, "host": "a"}, "missing required field `known_at`"),
    (PAGE | {"weight": -1}, "weight = -1.0: must be at least 0"),
    (PAGE | {"changes": [math.inf]}, "changes = inf: must be a number"),
    (PAGE | {"known_at": "today"}, "Expected `float`, got `str`"),
]


@pytest.mark.parametrize(("line", "told"), BAD_PAGES)
def test_a_page_that_can_not_be_used_is_answered_and_the_others_go_on(line: object, told: str) -> None:
    bad, good = ask(COURSE, line, PAGE | {"id": "good"})
    assert told in str(bad["error"])
    assert good == ask(COURSE, PAGE | {"id": "good"})[0]


BAD_COURSES = [
    (PAGE, "the first line says what the budget is: Object missing required field `budget`"),
    (COURSE | {"budget": 0}, "budget = 0.0: must be more than 0"),
    (COURSE | {"until": 0}, "until = 0.0: must be later than from, 0.0"),
    (COURSE | {"policy": "best"}, "policy = 'best': must be one of optimal, adaptive, uniform"),
    (COURSE | {"budget": 1e12}, "visits in all, at most 100000000 can be rehearsed"),
    (COURSE | {"budget": math.nan}, "budget = nan: must be a number"),
]


@pytest.mark.parametrize(("line", "told"), BAD_COURSES)
def test_without_a_budget_there_is_one_answer_that_says_why(line: object, told: str) -> None:
    (only,) = ask(line, PAGE)
    assert told in str(only["error"])


@pytest.mark.parametrize("budget", [0.3, 1.7, 50])
def test_no_week_has_more_than_its_share_and_none_is_left_over(budget: float) -> None:
    pages = [PAGE | {"id": number, "host": f"h{number}", "changes": [number * DAY]} for number in range(12)]
    answers = ask({"budget": budget, "from": 0, "until": 100 * DAY}, *pages)
    times = sorted(at for answer in answers for at in answer["visits"])  # type: ignore[attr-defined]
    assert len(times) == int(budget * 100)
    weeks = [sum(at // (7 * DAY) == week for at in times) for week in range(14)]
    assert max(weeks) <= max(1.5 * budget * 7, 3)


TIMES = st.lists(st.floats(-20 * DAY, 60 * DAY), max_size=12)
PAGES = st.fixed_dictionaries(
    {
        "id": st.one_of(st.none(), st.integers(0, 3), st.text(max_size=3)),  # also the same for several pages
        "host": st.sampled_from(["a.org", "b.org", ""]),
        "known_at": st.floats(-1e4 * DAY, 80 * DAY),  # long before the beginning, or after the end
        "changes": TIMES,
        "weight": st.sampled_from([0, 1e-300, 0.3, 1, 5, 1e300]),
        "signals": TIMES,  # unsorted, and also before the page is known
    }
)


@given(
    st.lists(PAGES, max_size=8),
    st.floats(0.2, 20),
    st.floats(0.01, 50),
    st.sampled_from(["optimal", "uniform", "adaptive"]),
)
@settings(deadline=None)
def test_the_contract_holds_whatever_is_asked(
    pages: list[dict[str, Any]], budget: float, days: float, policy: str
) -> None:
    course = {"budget": budget, "from": 3 * DAY, "until": (3 + days) * DAY, "policy": policy}
    answers = ask(course, *pages)
    assert [answer["id"] for answer in answers] == [page["id"] for page in pages]
    assert ask(course, *pages) == answers
    every = list[float]()
    for page, answer in zip(pages, answers, strict=True):
        assert isinstance(answer["visits"], list)
        assert answer["visits"] == sorted(set(answer["visits"]))
        first = max(page["known_at"], course["from"])
        assert all(first < at <= course["until"] for at in answer["visits"]), "the first fetch is free, and not listed"
        every += answer["visits"]
    assert len(every) <= budget * days + 1e-6
    shares = Counter(int((at - 3 * DAY) // (7 * DAY)) for at in every)
    assert all(many <= max(1.5 * 7 * budget, math.ceil(7 * budget)) for many in shares.values())
    if policy != "adaptive" and any(page["known_at"] <= 3 * DAY for page in pages):
        assert len(every) == int(budget * days + 1e-9), "nothing is left over"


@pytest.mark.slow
def test_thirty_thousand_pages_are_answered() -> None:
    pages = [
        json.dumps({"id": number, "host": f"h{number % 999}", "known_at": 0, "changes": [number * 60.0]}).encode()
        for number in range(30_000)
    ]
    course = json.dumps({"budget": 1000, "from": 0, "until": 20 * DAY}).encode()
    answers = [json.loads(line)["visits"] for line in rehearsed([course, *pages])]
    assert len(answers) == 30_000
    assert sum(map(len, answers)) == 20_000


def test_as_a_program() -> None:
    given = f"{json.dumps(COURSE)}\n{json.dumps(PAGE)}\n"
    command = [sys.executable, "-m", "skitter", "tools", "schedule"]
    run = subprocess.run(command, input=given, capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(run.stdout) == ask(COURSE, PAGE)[0]
