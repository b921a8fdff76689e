"""Work beside a crawl, in a process of its own that ends with it: DIR/run/NAME.log is what it said."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path


async def run_beside(part: str, directory: Path, log_name: str, *more: str) -> str:
    """Runs `python -m skitter.PART DIR …`; returns what went wrong, if anything did. If cancelled, it is killed."""
    log = directory / "run" / log_name
    with log.open("wb") as stream:
        command = (sys.executable, "-m", "skitter." + part, str(directory), *more)
        nothing = asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec(*command, stdin=nothing, stdout=nothing, stderr=stream)
    try:
        code = await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    said = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return "" if code == 0 else f"exit code {code}. {said[-1] if said else ''}".strip()
