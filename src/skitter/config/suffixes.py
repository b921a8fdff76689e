"""The list of public suffixes that came with the library, for whoever creates a crawl.

Nobody else may ask for it: a crawl goes on with the domains it was created with, see `url.domains`.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def newest_list() -> str:
    """Returns the text of the newest list that is installed, its private part included."""
    # Found and not imported: the import takes as long as all the rest.
    spec = find_spec("publicsuffixlist")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).with_name("public_suffix_list.dat").read_text(encoding="utf-8")
