"""What a robots.txt says to us about a path (RFC 9309).

The longest matching pattern decides, `Allow` wins a tie, no match allows (2.2.2); `/robots.txt` itself is always
allowed. `lines` reads the bytes, `groups` tells which rules are ours, `paths` gives the form that is compared.

A check looks at few rules. Every pattern has a head, its part before the first `*`, and only patterns whose head starts
the path can match. The heads are sorted: the one that would stand just before the path starts with every head that
starts the path, so one binary search and the chain from a head to the next shorter one that starts it find them all.
Patterns with `*` are tried from the longest, and only while they would win; the parts between their stars are searched
one after the other, from the left, so that nothing is tried twice.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from skitter.robots.groups import Groups, product_token
from skitter.robots.lines import Field, Line, read_lines
from skitter.robots.paths import level, level_pattern, path_of, show_slashes

MAX_BYTES = 500 * 1024
MAX_STARRED = 2000
"""Patterns with `*` that we try. Who sends more is taken to say `Disallow: /`: a check must stay short, and we must
not be laxer than was written."""

ROBOTS_TXT = "/robots.txt"


class Rule(NamedTuple):
    """One rule as it was written, with its line."""

    allow: bool
    pattern: str
    line: int


class Ranked(NamedTuple):
    """A rule with its rank: of the rules that match, the highest decides."""

    rank: int
    rule: Rule


class Starred(NamedTuple):
    """A pattern with at least one `*`, cut at its stars and without its head."""

    rank: int
    telling: str  # the longest part: a path without it can't match
    middle: Sequence[str]
    last: str
    anchored: bool  # the last part is at the end of the path
    rule: Rule


class Head(NamedTuple):
    """The patterns that begin with the same plain text: the one without a star, and those with one, highest first."""

    plain: Ranked
    starred: Sequence[Starred]
    shorter: int  # the place of the longest other head that starts this one, or -1


_NOTHING: Final = Ranked(-1, Rule(allow=True, pattern="", line=0))


class Rules(Struct, frozen=True):
    """What one robots.txt says to one product token. Sitemaps are as written: some are yet to be joined to its URL."""

    crawl_delay: float | None = None
    sitemaps: tuple[str, ...] = ()
    whole: dict[str, Ranked] = {}  # patterns that end in `$` and have no star
    starts: tuple[str, ...] = ()  # of the heads, sorted
    heads: tuple[Head, ...] = ()

    def allows(self, url_or_path: str) -> bool:
        """Whether the URL may be fetched."""
        rule = self.deciding(url_or_path)
        return rule is None or rule.allow

    def deciding(self, url_or_path: str) -> Rule | None:
        """Returns the rule that decides, or None if none does: then the URL is allowed."""
        if not (self.heads or self.whole):
            return None
        path = level(path_of(url_or_path))
        if path == ROBOTS_TXT:
            return None
        best = self._best(path)
        if "%" in path and (shown := show_slashes(path)) != path:
            best = max(best, self._best(shown))
        return None if best is _NOTHING else best.rule

    def _best(self, path: str) -> Ranked:
        best = self.whole.get(path, _NOTHING)
        at = bisect_right(self.starts, path) - 1
        while at >= 0 and not path.startswith(self.starts[at]):
            at = self.heads[at].shorter
        while at >= 0:
            plain, starred, shorter = self.heads[at]
            best = _best_starred(starred, path, len(self.starts[at]), max(best, plain))
            at = shorter
        return best


def parse(body: bytes, token: str, *, max_bytes: int = MAX_BYTES, cut: bool = False) -> Rules:
    """Returns what a robots.txt says to `token`, which may also be a whole User-Agent. Any bytes will do.

    `cut` says that the body was shortened before it came here.
    """
    groups = Groups(product_token(token))
    sitemaps: dict[str, None] = {}
    for line in read_lines(body, max_bytes, cut=cut):
        if line.field is not Field.SITEMAP:
            groups.take(line)
        elif line.value:
            sitemaps[_printable(line.value)] = None
    ours = groups.ours()
    return _index(ours.rules, max(ours.delays, default=None), tuple(sitemaps))


def _index(lines: Iterable[Line], crawl_delay: float | None, sitemaps: tuple[str, ...]) -> Rules:
    forms: dict[str, Ranked] = {}
    for line in lines:
        rule = Rule(line.field is Field.ALLOW, _printable(line.value), line.number)
        pattern = level_pattern(line.value)
        for form in {pattern, show_slashes(pattern)}:
            rank = 2 * len(form) + rule.allow
            if form not in forms or forms[form].rank < rank:
                forms[form] = Ranked(rank, rule)
    if sum("*" in form for form in forms) > MAX_STARRED:
        forms = {"/": Ranked(0, Rule(allow=False, pattern="/", line=0))}
    whole = {form[:-1]: ranked for form, ranked in forms.items() if form.endswith("$") and "*" not in form}
    starts, heads = _index_heads(forms)
    return Rules(crawl_delay=crawl_delay, sitemaps=sitemaps, whole=whole, starts=starts, heads=heads)


def _index_heads(forms: Mapping[str, Ranked]) -> tuple[tuple[str, ...], tuple[Head, ...]]:
    starred: dict[str, list[Starred]] = {form: [] for form in forms if "*" not in form and not form.endswith("$")}
    for form, ranked in forms.items():
        head, star, rest = form.partition("*")
        if star:
            starred.setdefault(head, []).append(_cut(rest, ranked))
    starts = tuple(sorted(starred))
    heads: list[Head] = []
    chain: list[int] = []
    for at, start in enumerate(starts):
        while chain and not start.startswith(starts[chain[-1]]):
            chain.pop()
        shorter = chain[-1] if chain else -1
        heads.append(Head(forms.get(start, _NOTHING), sorted(starred[start], reverse=True), shorter))
        chain.append(at)
    return starts, tuple(heads)


def _cut(rest: str, ranked: Ranked) -> Starred:
    *middle, last = rest.removesuffix("$").split("*")
    between = [part for part in middle if part]
    return Starred(ranked.rank, max(*between, last, "", key=len), between, last, rest.endswith("$"), ranked.rule)


def _best_starred(candidates: Sequence[Starred], path: str, begin: int, best: Ranked) -> Ranked:
    floor = best.rank
    for one in candidates:  # by place, not by name: this loop is most of the cost of a check
        if one[0] <= floor:
            break
        if one[1] in path and _has_in_order(path, begin, one):
            return Ranked(one.rank, one.rule)
    return best


def _has_in_order(path: str, at: int, starred: Starred) -> bool:
    for part in starred.middle:
        at = path.find(part, at)
        if at < 0:
            return False
        at += len(part)
    if starred.anchored:
        return path.endswith(starred.last) and at <= len(path) - len(starred.last)
    return path.find(starred.last, at) >= 0


def _printable(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
