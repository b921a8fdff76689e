"""A plan as a file that people edit: what is wanted, on what machines, at what costs and prices. Pure."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from skitter.capacity.costs import Costs, Prices
from skitter.capacity.need import Machine, Need, faults
from skitter.errors import OperatorError


class PlanFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that a plan rests on."""

    need: Need = Need()
    machine: Machine = Machine()
    costs: Costs = Costs()
    prices: Prices = Prices()


def read_plan(text: str, name: str) -> PlanFile:
    """Returns what a file says. OperatorError that names the key, its value and what would be right."""
    try:
        return msgspec.convert(tomllib.loads(text), PlanFile, strict=False)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise OperatorError("--file", name, f"{error}; `skitter plan --print` shows all keys") from None


def checked(plan: PlanFile) -> PlanFile:
    """Returns the plan. OperatorError if a number in it can't be."""
    for part in ("need", "machine"):
        for name, value, words in faults(getattr(plan, part)):
            raise OperatorError(f"{part}.{name}", value, words)
    for part in ("costs", "prices"):
        for name, value in msgspec.structs.asdict(getattr(plan, part)).items():
            if not 0 <= value < float("inf"):
                raise OperatorError(f"{part}.{name}", value, "must be 0 or more")
    return plan


def as_toml(plan: PlanFile) -> str:
    """Returns the plan as a file."""
    return "\n".join(_lines(plan))


def _lines(plan: PlanFile) -> Iterator[str]:
    for part in plan.__struct_fields__:
        yield f"[{part}]"
        yield from (f"{name} = {value!r}" for name, value in msgspec.structs.asdict(getattr(plan, part)).items())
        yield ""
