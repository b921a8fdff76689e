"""What is said on a terminal: whoever wrote the text, nothing in it steers the terminal."""

from __future__ import annotations

import typer

from skitter.errors import harmless


def say(text: str | bytes, *, err: bool = False, nl: bool = True) -> None:
    """Prints `text`, which may hold what a site, an archive or a file said; bytes are JSON, and stay the same JSON."""
    typer.echo(harmless(text.decode() if isinstance(text, bytes) else text), err=err, nl=nl)
