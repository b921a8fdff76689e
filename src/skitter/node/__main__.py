"""A node as a process of its own: an order in, commands in, status out. Started by the supervisor."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import msgspec
import uvloop

from skitter.errors import SkitterError
from skitter.node.build import built
from skitter.node.crawl import node_at_work
from skitter.node.node import Node
from skitter.node.order import Order
from skitter.node.status import Command, NodeStatus


def main() -> None:
    """Runs until told to stop, or until the supervisor is gone."""
    # Ctrl-C goes to everyone at the terminal; it is the supervisor who tells us what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    order = msgspec.json.decode(sys.stdin.buffer.readline(), type=Order)
    try:
        with node_at_work(Path(order.directory)):
            uvloop.run(_run(order))
    except* SkitterError as group:
        error = _first(group)
        sys.stderr.write(f"skitter: {error}\n")
        sys.exit(error.exit_code)


async def _run(order: Order) -> None:
    async with built(order, _report) as (node, notes):
        listening = asyncio.create_task(_listen(node))
        await node.run(notes)
        listening.cancel()
        last = node.status()
    _report(msgspec.structs.replace(last, stopped=True))


async def _listen(node: Node) -> None:
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        node.obey(msgspec.json.decode(line, type=Command))
    node.obey(Command(stop=True))  # the supervisor is gone: stop in order, nobody will tell us to


def _report(status: NodeStatus) -> None:
    try:
        sys.stdout.buffer.write(msgspec.json.encode(status) + b"\n")
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        return  # nobody listens; `_listen` finds out too


def _first(group: BaseExceptionGroup[SkitterError]) -> SkitterError:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, SkitterError)
    return error


main()
