"""What a figure was measured on."""

from __future__ import annotations

import os
import platform
import subprocess
import time

from pages import ROOT


def machine() -> str:
    """Returns date, commit, cores, Python and how busy the machine is."""
    told = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    load = " ".join(f"{load:.1f}" for load in os.getloadavg())
    return (
        f"{time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC, {told.stdout.strip() or 'no commit'}, "
        f"{os.cpu_count()} cores {platform.machine()}, Python {platform.python_version()}, load {load}"
    )
