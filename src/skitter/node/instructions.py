"""Carrying out what the operator wants: instructions are taken from the inbox, and forgotten once they are durable."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from skitter.frontier.frontier import Frontier
from skitter.frontier.operator import NEVER
from skitter.ports import (
    Allow,
    Block,
    Boost,
    Inbox,
    Instruction,
    Pause,
    Ranks,
    Rate,
    Recrawl,
    Refuse,
    Resume,
    Revive,
    Seeds,
)


class Instructions:
    """Carries out what is in the inbox for our shards. `on_seeds` is told the seeds if somebody added to them."""

    def __init__(self, inbox: Inbox, frontier: Frontier, on_seeds: Callable[[Collection[str]], None]) -> None:
        self._inbox = inbox
        self._frontier = frontier
        self._on_seeds = on_seeds
        self._under_way: dict[str, Iterator[int]] = {}  # what is done slice by slice, by name

    @property
    def is_busy(self) -> bool:
        """Whether there is more to do of what was begun: `carry_out` goes on with it."""
        return bool(self._under_way)

    def carry_out(self, shards: Collection[int]) -> None:
        """Carries out all that is there for these shards. MachineError if one can't be read or kept."""
        seeds = self._inbox.seeds()
        if seeds is not None:
            self._on_seeds(seeds)  # before any seed is taken: its links are judged by it
        has_ranked, going_on = False, self._under_way
        self._under_way = {}  # what is no longer in the inbox, or not ours, is forgotten
        for name, instruction in self._inbox.pending(shards):
            if isinstance(instruction, Ranks):
                if has_ranked:
                    continue  # a thousand domains at a time, so that nobody waits for millions of them
                has_ranked = True
            if isinstance(instruction, Revive | Recrawl):
                slices = going_on.get(name) or self._slices(instruction)
                if not _is_through(slices):
                    self._under_way[name] = slices
                    continue
            else:
                self.carry_out_one(instruction)
            # Each by itself: a node with more seeds than it can take before it counts as hanging goes on where it was.
            self._frontier.committer.commit()
            self._inbox.done(name)

    def carry_out_one(self, instruction: Instruction) -> None:
        """Does what the operator wants of a shard of ours. It is durable with the next commit."""
        operator = self._frontier.operator
        match instruction:
            case Seeds(seeds):
                self._frontier.discover(seeds)
            case Pause(host):
                operator.pause(host)
            case Resume(host):
                operator.resume(host)
            case Rate(host, delay):
                operator.agree(host, delay)
            case Refuse(host, name, is_refused):
                operator.refuse(host, name, is_refused=is_refused)
            case Allow(domain):
                operator.allow(domain)
            case Block(domain):
                operator.block(domain)
            case Boost(domain, pages):
                operator.boost(domain, pages)
            case Ranks(worths, hosts):
                operator.rank(worths, hosts)
            case Revive() | Recrawl():
                for _ in self._slices(instruction):
                    pass  # all of them: in a fleet an instruction is done when the next message is taken

    def _slices(self, instruction: Revive | Recrawl) -> Iterator[int]:
        operator, before = self._frontier.operator, instruction.at or NEVER
        if isinstance(instruction, Revive):
            return operator.reviving(
                instruction.shard, instruction.host, is_purged=instruction.is_purged, before=before
            )
        return operator.recrawling(instruction.shard, instruction.host, instruction.fingerprint, before)


def _is_through(slices: Iterator[int]) -> bool:
    """Does the next slice; returns whether it was the last one."""
    return all(slices)
