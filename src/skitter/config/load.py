"""Settings from TOML files, the environment and flags: the later wins, and each value remembers where it came from.

A key is `section.field`. In the environment it is `SKITTER_SECTION_FIELD`. Whatever can't be used stops the start
with the key, the value and what would be right.
"""

from __future__ import annotations

import difflib
import json
import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from skitter.config.contradictions import require_consistent
from skitter.config.fields import FIELDS, Field, sections
from skitter.errors import OperatorError
from skitter.politeness import hours
from skitter.schedule import classes
from skitter.settings import Settings
from skitter.url.domains import checked_suffixes
from skitter.url.scope import Scope

ENVIRONMENT_PREFIX = "SKITTER_"
SHORT_VARIABLES = {"SKITTER_CONTACT": "identity.contact"}
"""Variables beside `SKITTER_SECTION_FIELD`."""

SECRETS = frozenset({"SKITTER_WEBHOOK_SECRET"})
"""Variables that are no settings: who needs them looks for them, and nobody shows or keeps them."""


class Flag(NamedTuple):
    """A value from the command line, under the name that the operator knows it by."""

    name: str
    value: object


class Loaded(msgspec.Struct, frozen=True):
    """The settings in force, and for each key where its value came from."""

    settings: Settings
    origins: Mapping[str, str]


def load(
    files: Path | Sequence[Path] = (),
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
) -> Loaded:
    """Returns the settings from `files`, then `environ`, then `flags` (by key), each overriding those before it.

    A flag is a value, or a `Flag` that also says what errors and origins are to call it.
    """
    values = {key: field.default for key, field in FIELDS.items()}
    origins = dict.fromkeys(FIELDS, "default")
    names: dict[str, str] = {}
    in_order = [files] if isinstance(files, Path) else files
    for key, name, raw, origin in _given(in_order, environ or {}, flags or {}):
        values[key] = _converted(FIELDS[key], name, raw)
        origins[key], names[key] = origin, name
    settings = _assembled(values)
    Scope(settings.scope)  # raises for a pattern that is none
    checked_suffixes(settings.scope.suffixes)
    hours.parsed(settings.politeness.hours)
    classes.parsed(settings.schedule.classes)
    require_consistent(settings, names)
    return Loaded(settings, origins)


def _given(
    files: Sequence[Path], environ: Mapping[str, str], flags: Mapping[str, object]
) -> Iterator[tuple[str, str, object, str]]:
    """Yields (key, the name it was given under, raw value, origin), the weakest first."""
    for file in files:
        for key, raw in _flattened(_read(file), file):
            yield _known(key, key, raw), f"{key} in {file}", raw, str(file)
    by_variable = SHORT_VARIABLES | {ENVIRONMENT_PREFIX + key.replace(".", "_").upper(): key for key in FIELDS}
    for variable, text in sorted(environ.items()):
        if variable.startswith(ENVIRONMENT_PREFIX) and variable not in SECRETS:
            if variable not in by_variable:
                raise OperatorError(variable, text, f"no such setting{_nearest(variable, by_variable)}")
            key = by_variable[variable]
            yield key, variable, _from_text(FIELDS[key], text), variable
    for key, given in flags.items():
        flag = given if isinstance(given, Flag) else Flag(key, given)
        raw = flag.value
        _known(key, flag.name, raw)
        origin = flag.name if isinstance(given, Flag) else "flag"
        yield key, flag.name, _from_text(FIELDS[key], raw) if isinstance(raw, str) else raw, origin


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise OperatorError("--config", str(file), f"can't be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise OperatorError("--config", str(file), f"is not UTF-8 (byte {error.start})") from None
    except (ValueError, RecursionError) as error:  # also a number of thousands of digits, or lists without end
        raise OperatorError("--config", str(file), f"is not TOML: {error}") from None


def _flattened(document: dict[str, Any], file: Path) -> Iterator[tuple[str, object]]:
    for section, content in document.items():
        if not isinstance(content, dict):
            right = "a key belongs under its [section]" + _nearest(section, {key.split(".")[1]: key for key in FIELDS})
            raise OperatorError(f"{section} in {file}", content, right)
        for name, raw in content.items():
            yield f"{section}.{name}", raw


def _known(key: str, name: str, raw: object) -> str:
    if key not in FIELDS:
        raise OperatorError(name, raw, f"no such key{_nearest(key, FIELDS)}; `skitter config` lists them all")
    return key


def _nearest(name: str, known: Mapping[str, object]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    return f"; did you mean {near[0]}?" if near else ""


def _from_text(field: Field, text: str) -> object:
    """Returns what a TOML file would have given for `text`; a list is written as JSON or with blanks between."""
    if field.is_list:
        try:
            return json.loads(text) if text.lstrip().startswith("[") else text.split()
        except (ValueError, RecursionError):  # not JSON, or no list that anyone would write
            return text.split()
    if field.is_table:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    try:
        return msgspec.convert(text, field.type, strict=False)
    except msgspec.ValidationError:
        return text


def _converted(field: Field, name: str, raw: object) -> object:
    try:
        value: object = msgspec.convert(raw, field.type)
    except msgspec.ValidationError:
        raise OperatorError(name, raw, f"must be {field.right}") from None
    if isinstance(value, float) and not math.isfinite(value):
        raise OperatorError(name, raw, f"must be {field.right}")
    return value


def _assembled(values: Mapping[str, object]) -> Settings:
    given: dict[str, dict[str, object]] = {}
    for key, value in values.items():
        section, _, name = key.partition(".")
        given.setdefault(section, {})[name] = value
    return Settings(**{section.name: section.type(**given[section.name]) for section in sections()})
