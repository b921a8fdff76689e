"""The process of one plug-in: `python -m skitter.plugins LINE LIFE`, the numbers of two open sockets."""

from __future__ import annotations

import sys

from skitter.leaving import leave_after
from skitter.plugins.process import live

if __name__ == "__main__":
    leave_after(lambda: live(int(sys.argv[1]), int(sys.argv[2])))
