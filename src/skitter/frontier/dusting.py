"""Dusting: rules on what of a host's URLs makes no difference are learnt from its pages, and used for its links."""

from __future__ import annotations

from msgspec import structs

from skitter.frontier.host import Host
from skitter.judge import dust, near
from skitter.judge.dust import Rule
from skitter.judge.verdict import own_twin
from skitter.messages import Outcome, State, Url
from skitter.settings import Settings
from skitter.shard import keys
from skitter.shard.records import UrlRecord
from skitter.shard.writer import Shard
from skitter.url.canon import Canon
from skitter.url.keys import fingerprint


class Dusting:
    """Learns rules from the pages of a node."""

    def __init__(self, settings: Settings) -> None:
        self._canon = Canon(settings.url)
        self._is_on = settings.judge.dust

    def settled(self, host: Host, outcome: Outcome) -> None:
        """Takes note of a page: it may say what another one says, or what it must not."""
        before, twin = host.judged.dust, own_twin(outcome.verdict.reasons, outcome.verdict.duplicate_of)
        if not self._is_on or outcome.said is None:
            return
        twin = twin or self._formed(host, outcome)
        if not (before or twin):
            return
        after = self._tested(host, before, outcome)
        if twin is not None:
            after = dust.after_twin(after, outcome.lease.href, twin)
        if after is not before:
            self._remember(host, after)

    def _formed(self, host: Host, outcome: Outcome) -> str | None:
        """Returns the page that a page for print, or the like, is another form of: all that it says is said there."""
        forms = dust.other_forms(outcome.lease.href)
        if not forms:
            return None
        assert outcome.said is not None
        mine = near.signature_of(outcome.said)
        for rest in forms if mine else ():
            other = self._signature(host.shard, rest)
            if other is not None and near.containment(mine, other) >= dust.LIKE:
                return rest
        return None

    def _tested(self, host: Host, rules: tuple[Rule, ...], outcome: Outcome) -> tuple[Rule, ...]:
        assert outcome.said is not None
        mine, common = near.signature_of(outcome.said), host.judged.frame.common
        for rule, rest in dust.tested_by(rules, outcome.lease.href):
            other = self._signature(host.shard, rest)
            is_form = rest in dust.other_forms(outcome.lease.href)
            alike = near.containment(mine, other) if is_form and other else near.similarity(mine, other or b"", common)
            if other is not None and alike < dust.LIKE:
                rules = dust.broken(rules, rule)
        return rules

    def _signature(self, shard: Shard, href: str) -> bytes | None:
        """Returns what the page at a URL says, or the one that says the same; None: that is not known."""
        mark = mark_of(self._canon, href)
        record = None if mark is None else shard.url(mark)
        if record is None or mark is None:
            return None
        if (twin := own_twin(record.reasons, record.duplicate_of)) is not None:
            mark = mark_of(self._canon, twin)
        return None if mark is None else shard.get(keys.signature_key(mark))

    def _remember(self, host: Host, rules: tuple[Rule, ...]) -> None:
        name, before = host.record.host, held(host.judged.dust)
        host.judged = structs.replace(host.judged, dust=rules)
        host.shard.put_judgement(name, host.judged)
        if held(rules) != before:
            host.shard.put_dust(name, held(rules))
        if not {rule.name for rule in before} <= {rule.name for rule in held(rules)}:
            host.shard.recheck_forbidden(name)  # what was put aside by a rule that is broken


def page_without_dust(canon: Canon, shard: Shard, url: UrlRecord, mark: bytes) -> UrlRecord | None:
    """Returns what is known of a URL without what makes no difference on its host, if it has any of that."""
    rules = shard.dust.get(url.host, ())
    if not rules or dust.is_sample(rules, mark):
        return None
    rest = mark_of(canon, dust.reduced(rules, url.href))
    known = None if rest is None or rest == mark else shard.url(rest)
    return None if known is None or known.state in (State.DEAD, State.SKIPPED) else known


def held(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Returns the rules that are to be used."""
    return tuple(rule for rule in rules if dust.holds(rule))


def mark_of(canon: Canon, href: str) -> bytes | None:
    """Returns the fingerprint of a URL; None: it is none."""
    url = canon(href)
    return fingerprint(url.key) if isinstance(url, Url) else None
