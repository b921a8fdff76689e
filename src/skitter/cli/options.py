"""The options that several commands share, and what they come to."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skitter.config.buckets import Address, is_address, parse_address
from skitter.config.load import Loaded, load
from skitter.errors import OperatorError

if TYPE_CHECKING:
    from skitter.api.server import ApiPlace

ConfigOption = Annotated[Path | None, typer.Option("--config", metavar="FILE", help="A TOML file with settings.")]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="One setting, as politeness.delay=2. Repeatable.")
]
ApiPortOption = Annotated[int | None, typer.Option(min=0, max=65535, metavar="N", help="Serve the API at this port.")]
ApiAddressOption = Annotated[
    str, typer.Option(metavar="ADDRESS", help="Where the API is; beyond this machine it needs a certificate.")
]
ApiNameOption = Annotated[str, typer.Option(metavar="NAME", help="The name that workers know the API by.")]
ApiTokensOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Who may ask the API, lines `NAME TOKEN ROLE` (DIR/api-tokens).")
]
ApiCertificateOption = Annotated[Path | None, typer.Option(metavar="FILE", help="Of the API, as PEM.")]
ApiKeyOption = Annotated[Path | None, typer.Option(metavar="FILE", help="Of its certificate, as PEM.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")]


def default_state(address: Address) -> Path:
    """Returns the folder of a crawl whose archive is at an address, unless one is named."""
    return Path("-".join(["crawl", *filter(None, [address.bucket, *address.prefix.split("/")])]))


def crawl_folder(text: str) -> Path:
    """Returns the folder of a crawl that is named by it, or by its bucket."""
    if not is_address(text):
        return Path(text)
    address = parse_address(text, "DIR")
    folder = default_state(address)
    if not folder.is_dir():
        right = f"there is no {folder} here: name the folder with the state of that crawl (its --state)"
        raise OperatorError("DIR", text, right)
    return folder


DirectoryArgument = Annotated[
    Path, typer.Argument(metavar="DIR", help="The folder of a crawl, or its bucket.", parser=crawl_folder)
]


def loaded(config: Path | None, pairs: Sequence[str] | None) -> Loaded:
    """Returns the settings: the file `config`, then the environment, and `--set` last."""
    return load([config] if config is not None else [], os.environ, pairs_of(pairs))


def pairs_of(pairs: Sequence[str] | None) -> dict[str, object]:
    """Returns what `--set` was given, by key."""
    found: dict[str, object] = {}
    for pair in pairs or ():
        key, equals, value = pair.partition("=")
        if not equals:
            raise OperatorError("--set", pair, "must be KEY=VALUE, as politeness.delay=2")
        found[key.strip()] = value
    return found


def api_place(
    port: int | None, address: str, name: str, tokens: Path | None, files: tuple[Path | None, Path | None]
) -> ApiPlace | None:
    """Returns where the API is to be, if it was asked for. OperatorError if that is not safe, or can't be."""
    if port is None:
        return None
    from skitter.api.server import ApiPlace, extra

    extra()
    place = ApiPlace(port, address, name, tokens, *files)
    place.require_safe()
    return place


@contextlib.contextmanager
def called_as_given(given: Loaded) -> Iterator[None]:
    """Makes an error about a setting name the flag that it came from."""
    try:
        yield
    except OperatorError as error:
        origin = given.origins.get(error.key.partition("[")[0], "")
        if not origin.startswith("--"):
            raise
        raise OperatorError(origin, error.value, error.right) from None


def seeds_of(urls: Sequence[str] | None, file: Path | None) -> list[str]:
    """Returns the seeds as written: those typed, then those in `file`, a line each; `#` begins a comment."""
    found = list(urls or ())
    if file is not None:
        lines = (line.strip() for line in _text(file).splitlines())
        found += [line for line in lines if line and not line.startswith("#")]
    return found


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise OperatorError("--seeds", str(file), f"can't be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise OperatorError("--seeds", str(file), f"is not UTF-8 (byte {error.start})") from None
