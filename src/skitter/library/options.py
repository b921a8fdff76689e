"""What a library user can ask for, and the plan that it comes to: the same words as on the command line."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, TypeAlias, TypedDict

from skitter.config.fields import FIELDS
from skitter.config.load import Flag, Loaded
from skitter.errors import OperatorError
from skitter.settings import Settings
from skitter.supervisor.job import Plan, settings_for

AnyPath: TypeAlias = str | os.PathLike[str]
Seeds: TypeAlias = str | Iterable[str]


class Options(TypedDict, total=False):
    """What may be said of a crawl beside its seeds and its folder. None is as if nothing was said."""

    settings: Settings | Mapping[str, object] | AnyPath | None  # all of them, by "section.key", or a TOML file
    max_pages: int | None
    max_seconds: float | None
    max_depth: int | None
    max_rate: float | None
    delay: float | None
    scope: Literal["host", "domain", "any"] | None
    contact: str | None
    user_agent: str | None
    workers: int | None
    allow_private: bool | None
    allow_net: str | Iterable[str] | None
    insecure: bool | None
    hosts_file: AnyPath | None


KEYS = {
    "max_depth": "scope.max_depth",
    "max_rate": "politeness.max_rate",
    "delay": "politeness.delay",
    "scope": "scope.reach",
    "contact": "identity.contact",
    "user_agent": "identity.user_agent",
    "allow_private": "dns.allow_private",
    "allow_net": "dns.allow_nets",
    "insecure": "fetch.insecure",
    "hosts_file": "dns.hosts_file",
}
"""The options that are settings."""

NAMES = {"--out": "out", "--config": "settings", "--contact": "contact", "URL": "seeds", "DIR": "out"}
"""What the engine calls an argument, and what it is called here."""

_FLAG = re.compile(r"--([a-z]+(?:-[a-z]+)*)")


def planned(seeds: Seeds, out: AnyPath | None, options: Options) -> Plan:
    """Returns the crawl that is asked for. OperatorError if it makes no sense."""
    for name, value in options.items():
        if name not in Options.__annotations__:
            near = difflib.get_close_matches(name, Options.__annotations__, n=1)
            raise OperatorError(name, value, f"no such option{f'; did you mean {near[0]}?' if near else ''}")
    directory = None if out is None else Path(_path("out", out))
    given = _settings(directory, options)
    if given.settings.bucket.address:
        right = (
            "pages are read from the folder as they come, and with a bucket they leave it: crawl into a folder, or "
            "into the bucket with `skitter crawl`, and skitter.read() the folder with its state"
        )
        raise OperatorError("bucket.address", given.settings.bucket.address, right)
    return Plan(
        directory,
        given,
        _seeds(seeds),
        _whole("workers", options.get("workers")),
        _whole("max_pages", options.get("max_pages")),
        _span("max_seconds", options.get("max_seconds")),
    )


def in_our_words(error: OperatorError, origins: Mapping[str, str]) -> OperatorError:
    """Returns the error as it is to be told to someone who wrote Python and typed no command."""
    origin = origins.get(error.key.partition("[")[0], "")
    key = origin if origin in KEYS else NAMES.get(error.key, error.key)
    return OperatorError(key, error.value, _FLAG.sub(lambda flag: flag[1].replace("-", "_"), error.right))


def _seeds(seeds: Seeds) -> list[str]:
    texts = [seeds] if isinstance(seeds, str) else list(seeds) if isinstance(seeds, Iterable) else [seeds]
    for text in texts:
        if not isinstance(text, str):
            raise OperatorError("seeds", text, "must be a URL, or several of them, as text")
    return texts


def _settings(directory: Path | None, options: Options) -> Loaded:
    """Returns what an earlier run in the folder had, then a file, the environment, and what was said in Python."""
    said = options.get("settings")
    files: list[Path] = []
    flags: dict[str, object] = {}
    if isinstance(said, Settings):
        flags.update(_flat(said))
    elif isinstance(said, Mapping):
        flags.update(said)
    elif said is not None:
        files.append(Path(_path("settings", said)))
    flags.update({KEYS[name]: Flag(name, value) for name, value in _said(options)})
    try:
        return settings_for(directory, files, flags)
    except OperatorError as error:
        raise in_our_words(error, {}) from None


def _said(options: Options) -> Iterable[tuple[str, object]]:
    for name, value in options.items():
        if name not in KEYS or value is None:
            continue
        if isinstance(value, os.PathLike):
            yield name, os.fspath(value)
        elif name == "allow_net" and isinstance(value, Iterable):
            yield name, [value] if isinstance(value, str) else list(value)
        else:
            yield name, value


def _flat(settings: Settings) -> dict[str, object]:
    parts = ((key, *key.split(".")) for key in FIELDS)
    return {key: getattr(getattr(settings, section), name) for key, section, name in parts}


def _path(name: str, value: object) -> str:
    try:
        path = os.fspath(value)  # type: ignore[call-overload]
    except TypeError:
        path = None
    if not isinstance(path, str) or not path:
        raise OperatorError(name, value, "must be a path" + (", a mapping or Settings" if name == "settings" else ""))
    return path


def _whole(name: str, value: object) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise OperatorError(name, value, "must be a whole number from 1")
    return value


def _span(name: str, value: object) -> float | None:
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < float("inf"):
        raise OperatorError(name, value, "must be a number of seconds from 0")
    return float(value)
