"""What judging the pages of a host has brought so far: kept beside its record, and taken into memory with it. Pure."""

from __future__ import annotations

from msgspec import Struct

from skitter.judge.absence import NOTHING_KNOWN, Absence
from skitter.judge.dust import Rule
from skitter.judge.frame import NO_FRAME, Frame
from skitter.judge.traps import NO_TRAPS, Traps


class HostJudgement(Struct, frozen=True, array_like=True):
    """What is remembered of a host's pages, for the judgement of the next ones. Fields are only added at the end."""

    traps: Traps = NO_TRAPS  # which of its corners lead on without end
    dust: tuple[Rule, ...] = ()  # what of its URLs may make no difference
    absence: Absence = NOTHING_KNOWN  # how it says that there is nothing
    frame: Frame = NO_FRAME  # what nearly all of its pages say


NOTHING_JUDGED = HostJudgement()
