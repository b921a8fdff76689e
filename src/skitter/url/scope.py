"""Whether a URL belongs to this crawl.

Patterns are RE2, so that no pattern and no URL can make matching take more than linear time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import structs

from skitter.errors import OperatorError
from skitter.messages import Reason, Url
from skitter.settings import ScopeSettings
from skitter.url.domains import Domains
from skitter.url.shape import goes_round

if TYPE_CHECKING:
    import re2


class Scope:
    """The hosts or domains of the seeds, and the operator's patterns."""

    def __init__(self, settings: ScopeSettings, seeds: Iterable[Url] = (), domains: Domains | None = None) -> None:
        """The `domains` are those of the crawl; only with reach `domain` are they needed."""
        self._max_depth, self._max_repeats = settings.max_depth, settings.max_repeats
        self._reach = settings.reach
        self._allow = _pattern("scope.allow", settings.allow)
        self._deny = _pattern("scope.deny", settings.deny)
        self._hosts = frozenset(seed.host for seed in seeds)
        by_domain = settings.reach == "domain"
        assert domains is not None or not (by_domain and self._hosts), "whose domains?"
        self.domains = domains if domains is not None else Domains()
        self._inside = frozenset(map(self.domains.domain_of, self._hosts)) if by_domain else frozenset()

    def changed(self, settings: ScopeSettings) -> Scope:
        """Returns the scope of the same seeds by other patterns and depths; the reach stays."""
        other = Scope(structs.replace(settings, reach=self._reach), domains=self.domains)
        other._hosts, other._inside = self._hosts, self._inside
        return other

    def refusal(self, url: Url, depth: int = 0) -> Reason | None:
        """Returns why `url`, found `depth` links from a seed, is not ours to fetch, or None if it is."""
        return self.refusal_of(url.href, url.host, depth)

    def refusal_of(self, href: str, host: str, depth: int) -> Reason | None:
        """Returns the same for a canonical URL in parts: a page has many."""
        if depth > self._max_depth:
            return Reason.TOO_DEEP
        if self._reach != "any" and not self._reaches(host):
            return Reason.OUT_OF_SCOPE
        if depth and goes_round(href, self._max_repeats):  # a seed is what the operator wants
            return Reason.TRAP
        if self._deny is not None and self._deny.search(href):
            return Reason.DENIED_BY_PATTERN
        if self._allow is not None and not self._allow.search(href):
            return Reason.OUT_OF_SCOPE
        return None

    def _reaches(self, host: str) -> bool:
        return host in self._hosts if self._reach == "host" else self.domains.domain_of(host) in self._inside


def _pattern(key: str, patterns: tuple[str, ...]) -> re2._Regexp | None:
    if not patterns:
        return None
    import re2  # here and not above: most crawls have no patterns

    options = re2.Options()
    options.log_errors = False
    for index, pattern in enumerate(patterns):
        try:
            re2.compile(pattern, options)
        except re2.error as error:
            told = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
            raise OperatorError(f"{key}[{index}]", pattern, f"not a pattern RE2 can read ({told})") from None
    return re2.compile("|".join(f"(?:{pattern})" for pattern in patterns), options)
