"""Links between nodes: delivered at least once, acknowledged only when durable."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.bus import codec
from skitter.bus.local import LocalBus, receiver
from skitter.messages import Discovered, Errand
from skitter.ports import Frame, Links, Release, Reserve

LINKS = [
    Discovered("http://a.org/x", "a.org", b"0" * 16, 3, 0.25, "http://b.org/"),
    Discovered("http://a.org/s.xml", "a.org", b"1" * 16, 0, 1.0, None, Errand.SITEMAP, 12.5, ("http://c.org/",)),
]


def test_a_batch_comes_back_as_it_was() -> None:
    assert codec.decode_batch(msgspec.msgpack.encode(LINKS)) == LINKS


FRAMES = [Links(3, [b"x", b""]), Reserve("a.org"), Release("a.org", 12.5)]


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: type(frame).__name__)
def test_a_frame_comes_back_as_it_was(frame: Frame) -> None:
    raw = codec.encode_frame(frame)
    assert codec.length_of(raw[:4]) == len(raw) - 4
    assert codec.decode_frame(raw[4:]) == frame


@given(st.binary(max_size=200))
def test_any_bytes_are_a_batch_or_a_value_error(raw: bytes) -> None:
    for decode in (codec.decode_batch, codec.decode_frame):
        try:
            decode(raw)
        except ValueError:
            continue


def test_a_frame_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="a frame of 4294967295 bytes"):
        codec.length_of(b"\xff\xff\xff\xff")


def test_a_frame_is_answered_once_that_is_done(tmp_path: Path) -> None:
    arrived: list[Frame] = []
    done = asyncio.Event()

    async def answer(frame: Frame) -> float:
        arrived.append(frame)
        await done.wait()
        return 0.5 * len(arrived) - 0.5

    async def main() -> None:
        async with receiver(tmp_path / "s", answer), LocalBus(0, lambda _: tmp_path / "s") as bus:
            sending = asyncio.create_task(bus.send(1, FRAMES[0]))
            while not arrived:
                await asyncio.sleep(0)
            assert not sending.done()
            done.set()
            assert await sending == 0
            assert await bus.send(1, FRAMES[1]) == 0.5

    asyncio.run(main())
    assert arrived == FRAMES[:2]


def test_a_node_that_is_away_is_no_error_and_found_again(tmp_path: Path) -> None:
    arrived: list[Frame] = []

    async def answer(frame: Frame) -> float:
        arrived.append(frame)
        return 0.0

    async def main() -> None:
        async with LocalBus(0, lambda _: tmp_path / "s") as bus:
            assert await bus.send(1, FRAMES[0]) is None
            for _ in range(2):
                async with receiver(tmp_path / "s", answer):
                    while await bus.send(1, FRAMES[0]) is None:  # a connection of before is found dead first
                        await asyncio.sleep(0)
            assert await bus.send(1, FRAMES[0]) is None

    asyncio.run(main())
    assert arrived == FRAMES[:1] * 2


def test_an_answer_that_is_not_waited_for_is_not_taken_for_the_next(tmp_path: Path) -> None:
    async def answer(frame: Frame) -> float:
        await asyncio.sleep(0.01)
        return 7.0 if isinstance(frame, Reserve) else 0.0

    async def main() -> None:
        async with receiver(tmp_path / "s", answer), LocalBus(0, lambda _: tmp_path / "s") as bus:
            given_up = asyncio.create_task(bus.send(1, FRAMES[1]))
            await asyncio.sleep(0.002)
            given_up.cancel()
            await asyncio.wait([given_up])
            assert await bus.send(1, FRAMES[0]) == 0

    asyncio.run(main())


def test_garbage_ends_the_connection_and_nothing_else(tmp_path: Path) -> None:
    async def answer(frame: Frame) -> float:
        raise AssertionError(frame)

    async def main() -> None:
        async with receiver(tmp_path / "s", answer):
            for garbage in (b"\xff\xff\xff\xff", b"\0\0\0\1\xc1", b"\0\0\0\5hello"):
                reader, writer = await asyncio.open_unix_connection(tmp_path / "s")
                writer.write(garbage)
                assert await reader.read() == b""
                writer.close()

    asyncio.run(main())
