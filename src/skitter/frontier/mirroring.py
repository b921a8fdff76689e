"""Mirroring: the URLs of a host that is a mirror stand for those of its original, wherever that one's shard is.

What is moved is offered to the original's shard in the ordinary way, so that a page which only the mirror was linked
for is fetched there. Nothing of it is remembered: if the alias ends, the URL is as new as it was.
"""

from __future__ import annotations

from msgspec import structs

from skitter.frontier.host import Host
from skitter.judge import mirror as judge
from skitter.judge import near
from skitter.judge.dust import LIKE
from skitter.messages import Discovered, Errand, Outcome, Url
from skitter.ports import HostRank
from skitter.settings import Settings
from skitter.shard import keys
from skitter.shard.records import UrlRecord
from skitter.shard.shards import Shards
from skitter.shard.writer import Shard
from skitter.url.canon import Canon
from skitter.url.keys import fingerprint, host_of


class Mirroring:
    """The mirrors of a node. What makes a URL an operator's (a seed, a redirect, a pattern) is never moved."""

    def __init__(self, shards: Shards, settings: Settings) -> None:
        self._shards = shards
        self._canon = Canon(settings.url)
        # Patterns may allow a URL here and deny it there, and are looked at before a URL comes to its shard.
        self._is_on = settings.judge.dust and not (settings.scope.allow or settings.scope.deny)

    def moved(self, shard: Shard, one: Discovered) -> Discovered | None:
        """Returns a URL of a mirror as one of its original; None: it stays where it is."""
        if one.was_moved or one.chain or not one.depth or one.errand is not Errand.PAGE:
            return None
        url = self._original(shard, one.host, one.href, one.fingerprint)
        if url is None:
            return None
        mark = fingerprint(url.key)
        return structs.replace(one, href=url.href, host=url.host, fingerprint=mark, supports=0.0, was_moved=True)

    def moved_from_queue(self, shard: Shard, url: UrlRecord, mark: bytes) -> Discovered | None:
        """Returns the same for a URL that is queued, or was put aside."""
        queued = Discovered(url.href, url.host, mark, url.depth, url.priority, url.parent, url.errand, chain=url.chain)
        return self.moved(shard, queued)

    def settled(self, host: Host, outcome: Outcome) -> None:
        """Takes note of a page of a mirror: if its original says something else there, the host is no alias."""
        name = host.record.host
        mirror = host.shard.mirrors.get(name)
        if mirror is None or outcome.said is None or outcome.failure is not None:
            return
        mine, other = near.signature_of(outcome.said), self._signature(judge.at_original(mirror, outcome.lease.href))
        if mine and other and near.similarity(mine, other) < LIKE:
            self._change(host.shard, name, structs.replace(mirror, is_broken=True))

    def ranked(self, one: HostRank) -> None:
        """Takes what the nightly look found of a host."""
        shard = self._shards.of(one.host)
        if not (one.original or shard.mirrors):
            return
        before = shard.mirror(one.host)
        after = judge.after_look(before, one.original, one.agreed, one.differed)
        if after is not None and after != before:
            self._change(shard, one.host, after)

    def refused(self, host: str, original: str, *, is_refused: bool) -> None:
        """Has a host not taken for an alias, or taken for one again."""
        shard = self._shards.of(host)
        mirror = shard.mirror(host)
        if mirror is not None and original == host_of(mirror.original):
            self._change(shard, host, structs.replace(mirror, is_refused=is_refused))

    def _original(self, shard: Shard, host: str, href: str, mark: bytes) -> Url | None:
        mirror = shard.mirrors.get(host) if self._is_on else None
        if mirror is None or judge.is_sample(mirror, mark):
            return None
        url = self._canon(judge.at_original(mirror, href))
        return url if isinstance(url, Url) and url.host != host else None

    def _signature(self, href: str) -> bytes | None:
        """Returns what the page at a URL says; None: that is not known, or another node's to know."""
        url = self._canon(href)
        if not isinstance(url, Url) or not self._shards.owns(url.host):
            return None
        return self._shards.of(url.host).get(keys.signature_key(fingerprint(url.key)))

    @staticmethod
    def _change(shard: Shard, host: str, mirror: judge.Mirror) -> None:
        was_alias = host in shard.mirrors
        shard.put_mirror(host, mirror)
        if was_alias and host not in shard.mirrors:
            shard.recheck_forbidden(host)  # what was put aside for it
