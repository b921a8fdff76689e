"""A crawl is over when nobody is at work, and not before; whoever asks need not wait for the next report."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from skitter.node.status import NodeStatus
from skitter.settings import Settings
from skitter.supervisor.ending import EndDetector, Ending
from skitter.supervisor.progress import NOTHING
from tests.metrics.reports import EMPTY, frontier, report

NOW = 1_800_000_000.0
DONE = Ending("done", is_done=True)


def idle(node: int, asked: int, requests: int = 7, **held: object) -> NodeStatus:
    counted = structs.replace(NOTHING, requests=requests)
    return report(node, counted, frontier(**held), idle=True, asked=asked)


def settings(**said: dict[str, object]) -> Settings:
    return msgspec.convert(said, Settings)


def test_a_question_with_the_answer_that_was_known_ends_it() -> None:
    quiet = EndDetector(Settings())
    assert [quiet.heard([idle(0, asked), idle(1, asked)], NOW) for asked in range(2)] == [1, DONE]


def test_what_was_said_before_the_question_is_no_answer() -> None:
    quiet = EndDetector(Settings())
    assert quiet.heard([idle(0, 0), idle(1, 0)], NOW) == 1
    assert [quiet.heard([idle(0, 1), idle(1, 0)], NOW) for _ in range(3)] == [1, 1, 1]
    assert quiet.heard([idle(0, 1), idle(1, 1)], NOW) == DONE


def test_work_between_two_answers_is_noticed() -> None:
    quiet = EndDetector(Settings())
    assert quiet.heard([idle(0, 0)], NOW) == 1
    assert quiet.heard([idle(0, 1, requests=8)], NOW) == 2
    assert quiet.heard([report(0, asked=2)], NOW) == 2, "it is at work, and is not asked while it is"
    assert quiet.heard([idle(0, 2, requests=8)], NOW) == 3, "as before, but it was at work in between"
    assert quiet.heard([idle(0, 3, requests=8)], NOW) == DONE


def test_a_node_that_was_started_again_is_asked_again() -> None:
    quiet = EndDetector(Settings())
    assert quiet.heard([idle(0, 0)], NOW) == 1
    assert quiet.heard([idle(0, 0)], NOW) == 1
    assert quiet.heard([idle(0, 1)], NOW) == DONE


LEFT = EMPTY | {"failed": 1}
NEAR: dict[str, tuple[Settings, dict[str, object]]] = {
    "a host rests": (Settings(), {"stages": {"rest": 1}, "next_at": NOW + 10_000}),
    "a host wakes soon": (Settings(), {"next_at": NOW + 50}),
    "a retry is due soon": (Settings(), {"next_due": NOW + 50, "states": LEFT}),
    "pages are visited again": (settings(schedule={"recrawl": True}), {"states": EMPTY | {"scheduled": 1}}),
}
FAR: dict[str, tuple[Settings, dict[str, object], str]] = {
    "a host wakes later": (Settings(), {"next_at": NOW + 70}, "done"),
    "a retry is due later": (Settings(), {"next_due": NOW + 70, "states": LEFT}, "waiting"),
    "pages are due, and nobody wants them": (Settings(), {"states": EMPTY | {"scheduled": 1}}, "done"),
    "something is queued": (Settings(), {"states": EMPTY | {"queued": 1}}, "waiting"),
}


@pytest.mark.parametrize(("said", "held"), NEAR.values(), ids=NEAR)
def test_what_comes_soon_is_waited_for_and_nobody_is_asked(said: Settings, held: dict[str, object]) -> None:
    quiet = EndDetector(said)
    assert [quiet.heard([idle(0, 0, **held), idle(1, 0)], NOW) for _ in range(5)] == [0] * 5


@pytest.mark.parametrize(("said", "held", "why"), FAR.values(), ids=FAR)
def test_what_comes_late_is_left(said: Settings, held: dict[str, object], why: str) -> None:
    quiet = EndDetector(said)
    heard = [quiet.heard([idle(0, asked, **held), idle(1, asked)], NOW) for asked in range(2)]
    assert heard == [1, Ending(why, is_done=why == "done")]


class Worker:
    """A node as far as its supervisor can tell: told a question, it answers with how things stood then."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.work = self.requests = self.asked = 0
        self.said = [self.status()]

    def status(self) -> NodeStatus:
        counted = structs.replace(NOTHING, requests=self.requests)
        return report(self.number, counted, idle=not self.work, asked=self.asked)


@given(st.data())
def test_it_never_ends_while_someone_is_at_work(data: st.DataObject) -> None:
    """Work goes from node to node, a piece of it at a time, and reports lie around before they are read."""
    workers = [Worker(number) for number in range(data.draw(st.integers(1, 3)))]
    workers[0].work = data.draw(st.integers(0, 3))
    quiet = EndDetector(Settings())
    last = [worker.said[0] for worker in workers]
    pending: list[tuple[Worker, int]] = []
    for _ in range(60):
        worker = data.draw(st.sampled_from(workers))
        match data.draw(st.sampled_from(["work", "report", "hear", "ask"])):
            case "work" if worker.work:
                worker.work -= 1
                worker.requests += 1
                if data.draw(st.booleans()):
                    data.draw(st.sampled_from(workers)).work += 1
            case "report":
                worker.said.append(worker.status())
            case "ask" if pending:
                asked, question = pending.pop(0)
                asked.asked = question
                asked.said.append(asked.status())
            case "hear" if worker.said:
                last[worker.number] = worker.said.pop(0)
                found = quiet.heard(last, NOW)
                if isinstance(found, Ending):
                    assert not any(one.work for one in workers)
                    return
                pending += [(one, found) for one in workers if found > one.asked and (one, found) not in pending]
            case _:
                pass


def test_a_service_ends_when_it_is_told_to_and_not_when_it_is_idle() -> None:
    service = EndDetector(Settings(), is_service=True)
    assert [service.heard([idle(0, 0)], NOW + day * 86400) for day in range(3)] == [0, 0, 0]
