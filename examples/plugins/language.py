"""Keep only pages in some languages: the others are stored, but not followed, and are in no text table and no export.

[plugins]
use = ["language:OnlyLanguage"]

[plugins.options."language:OnlyLanguage"]
only = ["en", "de"]
"""

from __future__ import annotations

from skitter import Remark, SeenPage


class OnlyLanguage:
    """Drops pages that are in another language. Of a page whose language nobody knows, nothing is said."""

    def __init__(self, only: object) -> None:
        if not isinstance(only, list) or not all(isinstance(one, str) and one for one in only):
            raise ValueError('only must be a list of languages, as ["en", "de"]')
        self._only = frozenset(only)

    def filter_page(self, page: SeenPage) -> Remark | None:
        """Returns why a page is dropped."""
        language = page.language.partition("-")[0]
        if not language or language in self._only:
            return None
        return Remark(keep=False, reason=f"lang_{language}")
