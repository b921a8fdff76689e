"""The keys an operator can set, read off `settings`: each with its type, default, meaning and range."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import inspect as types

from skitter.settings import Section, Settings


class Field(msgspec.Struct, frozen=True):
    """What is known about one key."""

    key: str
    type: Any
    default: Any
    meaning: str
    right: str  # what a good value looks like
    is_list: bool
    is_table: bool = False


def sections() -> Iterator[msgspec.structs.FieldInfo]:
    """Yields the sections, in the order of `Settings`."""
    yield from msgspec.structs.fields(Settings)


def _fields() -> Iterator[Field]:
    for section in sections():
        assert issubclass(section.type, Section)
        for field in msgspec.structs.fields(section.type):
            key = f"{section.name}.{field.name}"
            info = types.type_info(field.type)
            assert isinstance(info, types.Metadata), f"{key} has no description"
            is_list = isinstance(info.type, types.VarTupleType)
            is_table = isinstance(info.type, types.DictType)
            default = {} if is_table else field.default
            yield Field(key, field.type, default, _meaning(info), _right(info.type), is_list, is_table)


def _meaning(info: types.Metadata) -> str:
    assert info.extra_json_schema is not None
    return str(info.extra_json_schema["description"])


def _right(info: types.Type) -> str:
    match info:
        case types.BoolType():
            return "true or false"
        case types.IntType(ge=low, le=high):
            return f"a whole number from {low} to {high}"
        case types.FloatType(gt=above, le=high) if above is not None:
            return f"a number above {above:g}, up to {high:g}"
        case types.FloatType(ge=low, le=high):
            return f"a number from {low:g} to {high:g}"
        case types.StrType(pattern=pattern):
            return f"text that matches {pattern}" if pattern else "text"
        case types.LiteralType(values=values):
            return "one of " + ", ".join(f'"{value}"' for value in values)
        case types.VarTupleType():
            return "a list of texts"
        case types.DictType():
            return "a table of tables of options: { name = { option = value } }, with texts, numbers, booleans or lists"
    raise AssertionError(f"a setting of type {info} has no description of what is right")


FIELDS: Mapping[str, Field] = {field.key: field for field in _fields()}
