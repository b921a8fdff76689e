"""A question about a host that has moved is handed on to whoever has it, and not for ever."""

from __future__ import annotations

import asyncio

from skitter.fleet.asking import MOST_HANDS, Asking
from skitter.fleet.fence import Fence
from skitter.ports import LINKS, Frame, Release, Reserve
from skitter.shard.log import links

HERE, THERE, BACK = 1, 2, 7
TOKEN = bytes(links.TOKEN)


class Sent:
    """A broker that takes whatever is sent."""

    def __init__(self) -> None:
        self.messages: list[tuple[int, links.LinkMessage]] = []

    async def append(self, topic: str, partition: int, record: bytes) -> int:
        assert topic == LINKS
        message = links.decode(record)
        assert isinstance(message, links.Question | links.Answer)
        self.messages.append((partition, message))
        return len(self.messages)


def answered(question: links.Question, *, is_in: int) -> tuple[list[tuple[int, links.LinkMessage]], list[Frame]]:
    """Returns what is sent, and what is done here, about a question that comes to shard HERE."""
    broker, done = Sent(), list[Frame]()
    asking = Asking(broker, lambda _: is_in, (HERE,), Fence({}, lambda _: is_in, lambda: 0.0), lambda: 5.0)  # type: ignore[arg-type]

    async def handle(frame: Frame) -> float:
        done.append(frame)
        return 0.5

    asyncio.run(asking.answer(question, handle))
    return broker.messages, done


def test_who_has_the_host_answers() -> None:
    question = links.Question(BACK, TOKEN, Reserve("a.test"))
    assert answered(question, is_in=HERE) == ([(BACK, links.Answer(TOKEN, 0.5))], [Reserve("a.test")])


def test_who_gets_it_back_takes_the_time_of_it_by_its_own_clock() -> None:
    assert answered(links.Question(0, b"", Release("a.test", 99.0)), is_in=HERE) == ([], [Release("a.test", 5.0)])


def test_a_host_that_has_moved_is_asked_for_where_it_is() -> None:
    for frame in (Reserve("a.test"), Release("a.test", 99.0)):
        sent, done = answered(links.Question(BACK, TOKEN, frame), is_in=THERE)
        assert (sent, done) == ([(THERE, links.Question(BACK, TOKEN, frame, handed=1))], [])


def test_nodes_that_each_think_that_the_other_has_it_do_not_go_on_for_ever() -> None:
    question = links.Question(BACK, TOKEN, Reserve("a.test"), handed=MOST_HANDS)
    assert answered(question, is_in=THERE) == ([], [])
