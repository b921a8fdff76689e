"""Links between nodes: delivered at least once, acknowledged only when durable."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.bus import codec
from skitter.bus.local import Peer, Receiver
from skitter.messages import Discovered, Errand

LINKS = [
    Discovered("http://a.org/x", "a.org", b"0" * 16, 3, 0.25, "http://b.org/"),
    Discovered("http://a.org/s.xml", "a.org", b"1" * 16, 0, 1.0, None, Errand.SITEMAP, 12.5, ("http://c.org/",)),
]


def test_a_batch_comes_back_as_it_was() -> None:
    assert codec.decode_batch(codec.encode_batch(LINKS)) == LINKS


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


def test_links_arrive_and_are_acknowledged_once_durable(tmp_path: Path) -> None:
    arrived: list[Discovered] = []
    durable = asyncio.Event()

    async def deliver(links: Sequence[Discovered]) -> None:
        arrived.extend(links)
        await durable.wait()

    async def main() -> None:
        async with Receiver(tmp_path / "s", deliver), Peer(tmp_path / "s") as peer:
            sending = asyncio.create_task(peer.send([codec.encode_batch(LINKS), codec.encode_batch(LINKS[:1])]))
            while not arrived:
                await asyncio.sleep(0)
            assert not sending.done()
            durable.set()
            assert await sending
            assert await peer.send([codec.encode_batch(LINKS)])

    asyncio.run(main())
    assert arrived == [*LINKS, *LINKS[:1], *LINKS]


def test_a_node_that_is_away_is_no_error_and_found_again(tmp_path: Path) -> None:
    arrived: list[Discovered] = []

    async def deliver(links: Sequence[Discovered]) -> None:
        arrived.extend(links)

    async def main() -> None:
        batch = [codec.encode_batch(LINKS)]
        async with Peer(tmp_path / "s") as peer:
            assert not await peer.send(batch)
            for _ in range(2):
                async with Receiver(tmp_path / "s", deliver):
                    while not await peer.send(batch):  # a connection of before is found dead first
                        await asyncio.sleep(0)
            assert not await peer.send(batch)

    asyncio.run(main())
    assert arrived == LINKS * 2


def test_garbage_ends_the_connection_and_nothing_else(tmp_path: Path) -> None:
    async def deliver(links: Sequence[Discovered]) -> None:
        raise AssertionError(links)

    async def main() -> None:
        async with Receiver(tmp_path / "s", deliver):
            for garbage in (b"\xff\xff\xff\xff", b"\0\0\0\1\xc1", b"\0\0\0\5hello"):
                reader, writer = await asyncio.open_unix_connection(tmp_path / "s")
                writer.write(garbage)
                assert await reader.read() == b""
                writer.close()

    asyncio.run(main())
