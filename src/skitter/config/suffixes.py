"""The list of public suffixes that came with the library, for whoever creates a crawl.

Nobody else may ask for it: a crawl goes on with the domains it was created with, see `url.domains`.
"""

from __future__ import annotations

from pathlib import Path

import publicsuffixlist


def newest_list() -> str:
    """Returns the text of the newest list that is installed, its private part included."""
    return Path(publicsuffixlist.PSLFILE).read_text(encoding="utf-8")
