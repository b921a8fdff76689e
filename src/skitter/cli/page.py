"""`skitter page`: what our contact address should show, and the public key that sites check our signature with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from skitter.cli.options import ConfigOption, SetOption, loaded
from skitter.cli.say import say
from skitter.errors import OperatorError
from skitter.fetch.signing import DIRECTORY, DIRECTORY_TYPE, agent_of, key_directory, make_key, read_key
from skitter.inspection.about import about_page

OutOption = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="Write the files to publish there, not the page to stdout.")
]
KeyOption = Annotated[
    Path | None, typer.Option("--make-key", metavar="FILE", help="Make a key to sign requests with, and nothing else.")
]


def page(config: ConfigOption = None, set_: SetOption = None, out: OutOption = None, make: KeyOption = None) -> None:
    """Make the page for the contact address: who we are, why we come, how to slow or stop us, how to know us.

    With a key (identity.key_file), --out has the key directory in it too, to be served from the same address.
    """
    if make is not None:
        key = make_key(make)
        say(f"{make} has the key {key.keyid}. Keep it secret; set identity.key_file to it, then publish --out.")
        return
    settings = loaded(config, set_).settings
    key_file = settings.identity.key_file
    known = read_key(Path(key_file)) if key_file else None
    agent = agent_of(settings) if known is not None else ""
    html = about_page(settings, known.keyid if known is not None else "", agent)
    if out is None:
        say(html, nl=False)
        return
    files = {"index.html": html.encode()}
    if known is not None:
        files[DIRECTORY.lstrip("/")] = key_directory([known.public])
    for name, content in files.items():
        _write(out / name, content)
        say(f"{out / name}")
    if known is not None:
        say(f"Serve the latter as {agent}{DIRECTORY}, with Content-Type: {DIRECTORY_TYPE}")


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise OperatorError("--out", str(path), f"can't be written ({error.strerror})") from None
