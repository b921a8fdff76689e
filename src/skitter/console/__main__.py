"""`python -m skitter.console DIR`: looks at every host of a crawl once, see `survey`."""

from __future__ import annotations

import sys
from pathlib import Path

from skitter.console.survey import main

main(Path(sys.argv[1]))
