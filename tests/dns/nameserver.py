"""A small name server on loopback: it answers from a table, counts what it is asked, and can misbehave."""

from __future__ import annotations

import asyncio
import ipaddress
import struct
from collections import Counter
from dataclasses import dataclass, field
from types import TracebackType

A, CNAME, AAAA = 1, 5, 28
TYPES = {A: "A", AAAA: "AAAA"}
SERVFAIL, NXDOMAIN = 2, 3
UDP_ROOM = 1200


@dataclass
class Record:
    """What the server says about one name and type; `rcode` 0 with no values is an empty answer."""

    values: tuple[str, ...] = ()
    ttl: int = 300
    rcode: int = 0
    drop: bool = False
    hold: asyncio.Event | None = None  # the answer waits for it


@dataclass
class NameServer(asyncio.DatagramProtocol):
    """Answers (name, type) from `table`; whatever is not in it does not exist."""

    table: dict[tuple[str, str], Record] = field(default_factory=dict)
    asked: Counter[tuple[str, str]] = field(default_factory=Counter)
    address: str = ""

    async def __aenter__(self) -> NameServer:
        loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self._tcp = await asyncio.start_server(self._serve_stream, "127.0.0.1", 0)
        port = self._tcp.sockets[0].getsockname()[1]
        self._udp, _ = await loop.create_datagram_endpoint(lambda: self, local_addr=("127.0.0.1", port))
        self.address = f"127.0.0.1:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._udp.close()
        self._tcp.close()
        await self._tcp.wait_closed()

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        task = asyncio.create_task(self._answer_datagram(data, addr))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer_datagram(self, question: bytes, peer: tuple[str, int]) -> None:
        answer = await self._answer(question)
        if answer is not None:
            self._udp.sendto(answer if len(answer) <= UDP_ROOM else truncated(answer, question), peer)

    async def _serve_stream(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while True:
                (length,) = struct.unpack("!H", await reader.readexactly(2))
                answer = await self._answer(await reader.readexactly(length))
                if answer is not None:
                    writer.write(struct.pack("!H", len(answer)) + answer)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            writer.transport.abort()
            self._tasks.discard(task)

    async def _answer(self, question: bytes) -> bytes | None:
        name, kind, end = read_question(question)
        self.asked[name, kind] += 1
        record = self.table.get((name, kind), Record(rcode=NXDOMAIN))
        if record.hold is not None:
            await record.hold.wait()
        if record.drop:
            return None
        answers = b"".join(packed(value, record.ttl) for value in record.values)
        flags = 0x8180 | record.rcode
        head = question[:2] + struct.pack("!HHHHH", flags, 1, len(record.values), 0, 0)
        return head + question[12:end] + answers


def read_question(message: bytes) -> tuple[str, str, int]:
    labels, at = [], 12
    while size := message[at]:
        labels.append(message[at + 1 : at + 1 + size].decode().lower())
        at += 1 + size
    (kind,) = struct.unpack_from("!H", message, at + 1)
    return ".".join(labels), TYPES.get(kind, str(kind)), at + 5


def packed(value: str, ttl: int) -> bytes:
    try:
        address = ipaddress.ip_address(value)
        kind, content = (A if address.version == 4 else AAAA), address.packed
    except ValueError:
        kind, content = CNAME, b"".join(bytes([len(label)]) + label.encode() for label in value.split(".")) + b"\0"
    return b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, ttl, len(content)) + content


def truncated(answer: bytes, question: bytes) -> bytes:
    end = read_question(question)[2]
    (flags,) = struct.unpack_from("!H", answer, 2)
    return answer[:2] + struct.pack("!HHHHH", flags | 0x0200, 1, 0, 0, 0) + question[12:end]
