"""`skitter tools schedule`: what a number of visits a day gives, on pages whose changes are known.

The first line says how many visits there are, for which time, and by which policy; each further line is a page.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from msgspec import Struct, field

from skitter.schedule.rehearsal import Course, Rehearsal, Subject
from skitter.schedule.rules import POLICIES
from skitter.tools.lines import BadLine, Refused, question, read_line, refused

T = TypeVar("T")

MOST_VISITS = 100_000_000
"""In all. Nobody waits for more: that is half an hour."""


class CourseQuestion(Struct):
    budget: float
    until: float
    begins: float = field(name="from")
    policy: str = "optimal"


class PageQuestion(Struct):
    host: str
    known_at: float
    changes: list[float]
    weight: float = 1.0
    signals: list[float] = []


def rehearsed(lines: Iterable[bytes]) -> Iterator[str]:
    """Yields one line of JSON for each page: when it is visited, or why it can't be."""
    read = [read_line(line) for line in lines if line.strip()]
    if not read:
        return
    course = _asked(read[0], _course)
    if isinstance(course, Refused):
        yield json.dumps(course.answer)
        return
    pages = [_asked(line, _page) for line in read[1:]]
    usable = [page for page in pages if not isinstance(page, Refused)]
    visits = iter(Rehearsal(course.course, [page.subject for page in usable], POLICIES[course.policy]()).run())
    for page in pages:
        yield json.dumps(page.answer if isinstance(page, Refused) else {"id": page.id, "visits": next(visits)})


class Histories(Struct, frozen=True):
    """What a file of that form asks for."""

    course: Course
    policy: str
    pages: list[Subject]


def histories(lines: Iterable[bytes]) -> Histories:
    """Returns what the lines ask for; BadLine if one can't be read."""
    read = [read_line(line) for line in lines if line.strip()]
    asked = _asked(read[0], _course) if read else None
    if not isinstance(asked, _Asked):
        raise BadLine(_complaint(1, asked) if asked is not None else "there is no line in it")
    pages = [_asked(line, _page) for line in read[1:]]
    for number, page in enumerate(pages, start=2):
        if isinstance(page, Refused):
            raise BadLine(_complaint(number, page))
    return Histories(asked.course, asked.policy, [page.subject for page in pages if isinstance(page, _Page)])


def _complaint(number: int, line: Refused) -> str:
    return f"line {number}: {line.answer['error']}"


class _Asked(Struct, frozen=True):
    course: Course
    policy: str


class _Page(Struct, frozen=True):
    id: object
    subject: Subject


def _asked(read: dict[str, object] | Refused, ask: Callable[[dict[str, object]], T]) -> T | Refused:
    if isinstance(read, Refused):
        return read
    try:
        return ask(read)
    except BadLine as error:
        return refused(read.get("id"), error)


def _course(line: dict[str, object]) -> _Asked:
    try:
        asked: CourseQuestion = question(line, CourseQuestion)
    except BadLine as error:
        raise BadLine(f"the first line says what the budget is: {error}") from None
    _number(asked.budget, "budget")
    if asked.budget <= 0:
        raise BadLine(f"budget = {asked.budget}: must be more than 0")
    if not _number(asked.begins, "from") < _number(asked.until, "until"):
        raise BadLine(f"until = {asked.until}: must be later than from, {asked.begins}")
    if asked.policy not in POLICIES:
        raise BadLine(f"policy = {asked.policy!r}: must be one of {', '.join(POLICIES)}")
    course = Course(asked.budget, asked.begins, asked.until)
    if course.visits > MOST_VISITS:
        raise BadLine(f"budget = {asked.budget}: {course.visits} visits in all, at most {MOST_VISITS} can be rehearsed")
    return _Asked(course, asked.policy)


def _page(line: dict[str, object]) -> _Page:
    asked: PageQuestion = question(line, PageQuestion)
    if _number(asked.weight, "weight") < 0:
        raise BadLine(f"weight = {asked.weight}: must be at least 0")
    changes = sorted([_number(at, "changes") for at in asked.changes])
    signals = sorted([_number(at, "signals") for at in asked.signals])
    known_at = _number(asked.known_at, "known_at")
    return _Page(line.get("id"), Subject(asked.host, known_at, changes, asked.weight, signals))


def _number(value: float, name: str) -> float:
    if not math.isfinite(value):
        raise BadLine(f"{name} = {value}: must be a number")
    return value
