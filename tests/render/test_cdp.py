"""The pipe to a browser: what is half said, rubbish, too long, declined or never answered."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from skitter.render.cdp import OVERHEAD, Cdp, Declined, Event, Gone


class Pipe(asyncio.StreamReader):
    """Both ends: what is written is remembered."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []

    def write(self, message: bytes) -> None:
        self.written.append(message)


def talk(story: Callable[[Cdp, Pipe, list[Event]], Awaitable[Any]]) -> Any:
    async def whole() -> Any:
        pipe, events = Pipe(), list[Event]()
        cdp = Cdp(pipe, pipe, events.append, heard=frozenset({"A.b"}), longest=100)  # type: ignore[arg-type]
        async with asyncio.TaskGroup() as tasks:
            reading = tasks.create_task(cdp.run())
            try:
                return await story(cdp, pipe, events)
            finally:
                reading.cancel()

    return asyncio.run(whole())


def test_answers_find_who_asked_in_whatever_pieces_they_come() -> None:
    async def story(cdp: Cdp, pipe: Pipe, events: list[Event]) -> None:
        async with asyncio.TaskGroup() as tasks:
            first = tasks.create_task(cdp.call("X.one", {"a": 1}, seconds=9))
            second = tasks.create_task(cdp.call("X.two", session="s", seconds=9))
            await asyncio.sleep(0)
            said = (
                b'{"id":2,"result":{"b":2}}\0{"method":"A.b","params":{"c":3},"sessionId":"s"}\0{"id":1,"result":{}}\0'
            )
            for byte in said:
                pipe.feed_data(bytes([byte]))
                await asyncio.sleep(0)
        assert (first.result(), second.result()) == ({}, {"b": 2})
        assert events == [Event("A.b", {"c": 3}, "s")]
        assert pipe.written == [
            b'{"id":1,"method":"X.one","params":{"a":1}}\0',
            b'{"id":2,"method":"X.two","sessionId":"s"}\0',
        ]

    talk(story)


def test_what_it_declines_is_told() -> None:
    async def story(cdp: Cdp, pipe: Pipe, _: list[Event]) -> None:
        pipe.feed_data(b'{"id":1,"error":{"code":-1,"message":"no such page"}}\0')
        with pytest.raises(Declined, match="no such page"):
            await cdp.call("X.one", seconds=9)

    talk(story)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"", "ended"),
        (b"x" * (OVERHEAD + 200), "longer"),
    ],
)
def test_a_browser_that_ends_or_says_what_it_must_not_is_gone(said: bytes, why: str) -> None:
    async def story(cdp: Cdp, pipe: Pipe, _: list[Event]) -> None:
        pipe.feed_data(said)
        pipe.feed_eof()
        for _ in range(2):
            with pytest.raises(Gone, match=why):
                await cdp.call("X.one", seconds=9)

    talk(story)


def test_every_call_has_a_deadline() -> None:
    async def story(cdp: Cdp, _: Pipe, __: list[Event]) -> None:
        with pytest.raises(Gone, match=r"no answer to X\.one"):
            await cdp.call("X.one", seconds=0.01)

    talk(story)


@pytest.mark.parametrize(
    "rubbish", [b"rubbish", b"[]", b'{"method":"A.b","params":"\xff"}', b'{"method":"A.b","params":"\\ud800"}']
)
def test_what_can_not_be_read_is_passed_over(rubbish: bytes) -> None:
    async def story(_: Cdp, pipe: Pipe, events: list[Event]) -> None:
        pipe.feed_data(rubbish + b'\0{"method":"A.c","params":{}}\0{"method":"A.b","params":{}}\0')
        for _ in range(3):
            await asyncio.sleep(0)
        assert events == [Event("A.b", {})]

    talk(story)
