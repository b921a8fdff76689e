"""Carrying out what the operator wants: instructions are taken from the inbox, and forgotten once they are durable."""

from __future__ import annotations

from collections.abc import Callable, Collection

from skitter.frontier.frontier import Frontier
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

    def carry_out(self, shards: Collection[int]) -> None:
        """Carries out all that is there for these shards. MachineError if one can't be read or kept."""
        seeds = self._inbox.seeds()
        if seeds is not None:
            self._on_seeds(seeds)  # before any seed is taken: its links are judged by it
        has_ranked = False
        for name, instruction in self._inbox.pending(shards):
            if isinstance(instruction, Ranks):
                if has_ranked:
                    continue  # a thousand domains at a time, so that nobody waits for millions of them
                has_ranked = True
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
            case Revive(shard, host, is_purged):
                operator.revive(host, shard, is_purged=is_purged)
            case Recrawl(shard, host, fingerprint):
                operator.recrawl(shard, host, fingerprint)
            case Allow(domain):
                operator.allow(domain)
            case Block(domain):
                operator.block(domain)
            case Boost(domain, pages):
                operator.boost(domain, pages)
            case Ranks(worths, hosts):
                operator.rank(worths, hosts)
