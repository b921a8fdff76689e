"""When a plug-in is switched off for a while, and tried again. Pure."""

from __future__ import annotations

from msgspec import Struct, structs

from skitter.settings import PluginSettings


class Health(Struct, frozen=True):
    """How a plug-in has done of late."""

    faults: int = 0  # in a row
    off_until: float = 0.0
    last: str = ""  # what was wrong with it last


HEALTHY = Health()


def is_off(health: Health, now: float) -> bool:
    """Whether it is not to be asked."""
    return now < health.off_until


def after_fault(health: Health, what: str, now: float, settings: PluginSettings) -> Health:
    """Returns its health after one more fault: the last one it was allowed, or the one of a trial, switches it off."""
    faults = health.faults + 1
    if faults < settings.patience:
        return structs.replace(health, faults=faults, last=what)
    return Health(faults, now + settings.rest, what)
