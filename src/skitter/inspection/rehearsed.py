"""What budgets give on pages whose changes are known: the real scheduler, in virtual time, once for each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec import structs

from skitter.inspection.plan import Planned
from skitter.schedule.planning import Plan
from skitter.schedule.recrawl import HostClass, class_of
from skitter.schedule.rehearsal import Rehearsal
from skitter.schedule.replayed import fresh_time
from skitter.schedule.rules import POLICIES
from skitter.settings import DAY
from skitter.tools.schedule import Histories

TIMES = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Of the budget in the file: the budgets that are told if none is asked for. Each is a rehearsal of its own."""


def planned_for(asked: Histories, budgets: Sequence[float]) -> Planned:
    """Returns what so many visits a day would have given."""
    pages = len(asked.pages)
    wanted = list(budgets) or [times * asked.course.budget for times in TIMES]
    plans = [_plan(asked, budget) for budget in wanted] if pages else []
    return Planned(pages, pages, pages, asked.course.budget, plans)


def _plan(asked: Histories, budget: float) -> Plan:
    course = structs.replace(asked.course, budget=budget)
    made = Rehearsal(course, asked.pages, POLICIES[asked.policy]())
    visits = made.run()
    even = Rehearsal(course, asked.pages, POLICIES["uniform"]()).run()
    fresh, there = defaultdict[str, float](float), defaultdict[str, float](float)
    for page, own, other in zip(asked.pages, visits, even, strict=True):
        time, whole = fresh_time(course, page, own)
        name = class_of(made.place(page.host).votes, HostClass.GENERIC).value
        uniform = fresh_time(course, page, other)[0]
        for key, weight, gained in ((name, 1.0, time), ("all", 1.0, time), ("important", page.weight, time)):
            fresh[key] += weight * gained
            there[key] += weight * whole
        fresh["uniform"] += uniform
        there["uniform"] += whole
    shares = {name: fresh[name] / there[name] if there[name] else 0.0 for name in there}
    days = (course.ends - course.begins) / DAY
    used = sum(map(len, visits)) / days
    by_class: dict[str, float] = {name.value: shares[name.value] for name in HostClass if name.value in shares}
    every = len(asked.pages) * DAY / budget
    return Plan(budget, used, every, shares["all"], shares["important"], shares["uniform"], by_class)
