"""Settings as an operator reads them: the ones in force, and a file of defaults to start from."""

from __future__ import annotations

import json
from collections.abc import Callable

from skitter.config.fields import FIELDS, Field, sections
from skitter.config.load import Loaded
from skitter.settings import Settings


def show(loaded: Loaded) -> str:
    """Returns the effective settings as TOML, each line ending with where its value came from."""
    return _toml(lambda field: f"{_line(field, _value(loaded.settings, field.key))}  # {loaded.origins[field.key]}")


def to_toml(settings: Settings) -> str:
    """Returns `settings` as a file that loads as the same."""
    return _toml(lambda field: _line(field, _value(settings, field.key)))


def default_file() -> str:
    """Returns a file with every key at its default, commented out, under its meaning and range."""
    head = "# Skitter's settings. Every key is shown with its default: take the `#` away to change it.\n\n"
    return head + _toml(lambda field: f"# {field.meaning} ({field.right})\n#{_line(field, field.default)}")


def _toml(write: Callable[[Field], str]) -> str:
    blocks = []
    for section in sections():
        mine = [field for key, field in FIELDS.items() if key.startswith(f"{section.name}.")]
        blocks.append("\n".join([f"[{section.name}]", *map(write, mine)]))
    return "\n\n".join(blocks) + "\n"


def _line(field: Field, value: object) -> str:
    return f"{field.key.partition('.')[2]} = {written(value)}"


def written(value: object) -> str:
    """Returns a value as it is written in a TOML file."""
    if isinstance(value, dict):
        inside = ", ".join(f"{written(name)} = {written(one)}" for name, one in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    # JSON writes texts, numbers, booleans and lists of texts just as TOML does, but for one sign.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(settings: Settings, key: str) -> object:
    section, _, name = key.partition(".")
    value: object = getattr(getattr(settings, section), name)
    return value
