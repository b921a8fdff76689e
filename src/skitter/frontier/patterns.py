"""The operator's patterns, held against what is queued: they may have changed since it was found."""

from __future__ import annotations

from msgspec import structs

from skitter.messages import Errand, Reason
from skitter.settings import ScopeSettings
from skitter.shard.records import UrlRecord
from skitter.url.scope import Scope

BY_PATTERN = (Reason.DENIED_BY_PATTERN, Reason.OUT_OF_SCOPE)
"""Why a queued URL is put aside by the patterns of the day; with others it may be queued again."""


class Patterns:
    """What `scope.allow` and `scope.deny` say. Where there are none, asking costs nothing."""

    def __init__(self, settings: ScopeSettings) -> None:
        self.are_there = bool(settings.allow or settings.deny)
        self._scope = Scope(structs.replace(settings, reach="any"))

    def refusal(self, url: UrlRecord) -> Reason | None:
        """Returns why a queued URL is not to be fetched. Seeds are what the operator wants; sitemaps are no pages."""
        if not self.are_there or not url.depth or url.errand is Errand.SITEMAP:
            return None
        return self._scope.refusal_of(url.href, url.host, 0)  # depths and loops were looked at when it was found
