"""`python -m skitter.api`: the process that serves a crawl's API, told by its standard input what to serve."""

from __future__ import annotations

from skitter.api.whole import main

main()
