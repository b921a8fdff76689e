"""A small name server on loopback: it answers from a table, counts what it is asked, and can misbehave.

It speaks UDP and, for what does not fit, TCP. It is authoritative for everything: a name that is not in its table does
not exist. `resolver → dns.servers = [server.address]` is how a crawler gets to ask it.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Self, TypeAlias

from msgspec import Struct

from skitter.simweb.world import World

A, CNAME, AAAA = 1, 5, 28
TYPES = {A: "A", AAAA: "AAAA"}
SERVFAIL, NXDOMAIN, REFUSED = 2, 3, 5
UDP_ROOM = 1200
_TRUNCATED, _ANSWERED = 0x0200, 0x8580  # the latter: an authoritative answer, recursion desired and available


class Record(Struct, frozen=True):
    """What is said of a name. `values` are addresses and, before those, the names that it is an alias of.

    Of the addresses only those are told that were asked for, IPv4 or IPv6. No values and no `rcode`: the name exists,
    and that is all.
    """

    values: tuple[str, ...] = ()
    ttl: int = 300
    rcode: int = 0
    drop: bool = False  # says nothing at all
    hold: asyncio.Event | None = None  # the answer waits for it


Entry: TypeAlias = Record | Sequence[Record]
"""One record, or those for the first question, the second …; the last one is for all that follow."""

Table: TypeAlias = Mapping[str | tuple[str, str], Entry]
"""By name, or by name and type (A, AAAA), which goes first."""

UNKNOWN = Record(rcode=NXDOMAIN)
FAILING = Record(rcode=SERVFAIL)
SILENT = Record(drop=True)


def found(*values: str, ttl: int = 300) -> Record:
    """Returns a record of addresses, or of aliases that lead to addresses."""
    return Record(values, ttl)


def zone(world: World) -> dict[str | tuple[str, str], Entry]:
    """Returns the names of a world, each with its address."""
    return {named.name: found(named.address) for named in world.names()}


class NameServer(asyncio.DatagramProtocol):
    """Answers while it is open: `async with NameServer({"a.test": found("127.20.0.1")}) as server`."""

    def __init__(self, table: Table | None = None) -> None:
        self.table = dict(table or {})
        self.asked: Counter[tuple[str, str]] = Counter()  # by name and type
        self.address = ""  # where it is found, with the port
        self._tasks: set[asyncio.Task[None]] = set()

    def __repr__(self) -> str:
        return f"<NameServer at {self.address}: {len(self.table)} names, {self.asked.total()} questions>"

    async def __aenter__(self) -> Self:
        self._tcp = await asyncio.start_server(self._serve_stream, "127.0.0.1", 0)
        host, port = self._tcp.sockets[0].getsockname()
        loop = asyncio.get_running_loop()
        self._udp, _ = await loop.create_datagram_endpoint(lambda: self, local_addr=(host, port))
        self.address = f"{host}:{port}"
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
        if answer is not None and len(answer) > UDP_ROOM:
            name, kind, _ = _read_question(question)
            self.asked[name, kind] -= 1  # the same question comes again by TCP
            answer = _cut(answer, question)
        if answer is not None:
            self._udp.sendto(answer, peer)

    async def _serve_stream(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
                await self._answer_stream(reader, writer)
        finally:
            writer.transport.abort()
            self._tasks.discard(task)

    async def _answer_stream(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            (length,) = struct.unpack("!H", await reader.readexactly(2))
            answer = await self._answer(await reader.readexactly(length))
            if answer is not None:
                writer.write(struct.pack("!H", len(answer)) + answer)

    async def _answer(self, question: bytes) -> bytes | None:
        name, kind, end = _read_question(question)
        record = self._record(name, kind)
        self.asked[name, kind] += 1
        if record.hold is not None:
            await record.hold.wait()
        if record.drop:
            return None
        answers = list(_packed(record, kind))
        head = question[:2] + struct.pack("!HHHHH", _ANSWERED | record.rcode, 1, len(answers), 0, 0)
        return head + question[12:end] + b"".join(answers)

    def _record(self, name: str, kind: str) -> Record:
        entry = self.table.get((name, kind), self.table.get(name, UNKNOWN))
        if isinstance(entry, Record):
            return entry
        return entry[min(self.asked[name, kind], len(entry) - 1)]


def _read_question(message: bytes) -> tuple[str, str, int]:
    """Returns the name and the type that are asked for, and where the question ends."""
    labels, at = [], 12
    while size := message[at]:
        labels.append(message[at + 1 : at + 1 + size].decode("latin-1").lower())
        at += 1 + size
    (kind,) = struct.unpack_from("!H", message, at + 1)
    return ".".join(labels), TYPES.get(kind, str(kind)), at + 5


def _packed(record: Record, kind: str) -> Iterator[bytes]:
    owner = b"\xc0\x0c"  # the name in the question
    for value in record.values:
        try:
            address = ipaddress.ip_address(value)
        except ValueError:
            alias = _packed_name(value.split("."))
            yield _packed_record(owner, CNAME, record.ttl, alias)
            owner = alias
            continue
        number = A if address.version == 4 else AAAA
        if TYPES[number] == kind:
            yield _packed_record(owner, number, record.ttl, address.packed)


def _packed_record(owner: bytes, number: int, ttl: int, content: bytes) -> bytes:
    return owner + struct.pack("!HHIH", number, 1, ttl, len(content)) + content


def _packed_name(labels: Iterable[str]) -> bytes:
    return b"".join(bytes([len(label)]) + label.encode() for label in labels) + b"\0"


def _cut(answer: bytes, question: bytes) -> bytes:
    """Returns an answer that says only that it does not fit."""
    (flags,) = struct.unpack_from("!H", answer, 2)
    end = _read_question(question)[2]
    return answer[:2] + struct.pack("!HHHHH", flags | _TRUNCATED, 1, 0, 0, 0) + question[12:end]
