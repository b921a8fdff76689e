"""The process that reads PDFs: orders come in by stdin, papers go out by stdout, each with its length before it.

It bounds itself before the first: memory, CPU time for each PDF, no files and no sockets beyond those it has, no new
process. Whatever a PDF does to pdfium, it ends here.
"""

from __future__ import annotations

import os
import resource
import sys
from contextlib import suppress
from typing import BinaryIO

import msgspec

from skitter.content.pdf.messages import LENGTH, Order, Paper
from skitter.content.pdf.reading import read_pdf

_NEW_NET, _NEW_USER = 0x40000000, 0x10000000


def main() -> None:
    """Reads PDFs until nobody asks any more."""
    memory = int(sys.argv[1])
    orders, papers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints, it is no paper
    _leave_the_world(memory)
    while (length := orders.read(LENGTH.size)) and len(length) == LENGTH.size:
        order = msgspec.msgpack.decode(orders.read(LENGTH.unpack(length)[0]), type=Order)
        _allow(order.seconds)
        try:
            paper = read_pdf(order)
        except MemoryError:
            paper = Paper(trouble="it needs too much memory")
        _send(papers, paper)


def _leave_the_world(memory: int) -> None:
    """Gives up what a reader of PDFs has no need of."""
    unshare = getattr(os, "unshare", None)  # from Python 3.12 on; the limit on files below is the wall in any case
    with suppress(OSError):
        if unshare is not None:
            unshare(_NEW_USER | _NEW_NET)
    used = max(map(int, os.listdir("/proc/self/fd"))) + 1 if os.path.isdir("/proc/self/fd") else 16  # noqa: PTH208, PTH112
    for kind, most in (
        (resource.RLIMIT_AS, memory + _size()),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, used),  # neither file nor socket can be opened from now on
    ):
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (most, most))


def _size() -> int:
    """Returns the address space that is taken already, by Python and pdfium themselves."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 512 * 1024**2


def _allow(seconds: float) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))


def _send(stream: BinaryIO, paper: Paper) -> None:
    told = msgspec.msgpack.encode(paper)
    stream.write(LENGTH.pack(len(told)) + told)
    stream.flush()


if __name__ == "__main__":
    main()
