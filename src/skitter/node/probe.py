"""Telling pages that are none: by what their host is known to say when there is nothing, or else by asking it.

A probe is a request for a name that can't be there. It is made while the page that is doubted is still to be stored,
under the same lease: the host stays ours, so that nobody asks it anything in between, and it is asked one delay later.
"""

from __future__ import annotations

from skitter.messages import Fetched, Kind, Lease, Probed
from skitter.node.obtain import obtain_probe, rested_after, slow_ahead
from skitter.node.parts import Parts
from skitter.ports import Capture
from skitter.reading.answered import absent, answer_for_nothing, answer_of
from skitter.reading.listing import is_guess
from skitter.reading.meaning import Reading
from skitter.reading.read import failure_of


async def doubted(
    fetched: Fetched, reading: Reading, parts: Parts, rested: float | None = None
) -> tuple[Reading, Probed | None]:
    """Returns what was read, marked if there is no such page; and the probe, if it took one to tell.

    `rested` is when the host may be asked for something again, if the page was not the last that it was asked for.
    """
    if not parts.rules.settings.judge.soft404:
        return reading, None
    if is_guess(fetched.lease):
        _note_guess(fetched, reading, parts)
        return reading, None
    answer = answer_of(fetched, reading, parts.rules)
    judged = None if answer is None else parts.frontier.absences.judge(fetched.lease, answer)
    probed = await _probe(judged, fetched, parts, rested) if isinstance(judged, Lease) else None
    if answer is not None and probed is not None:
        judged = parts.frontier.absences.told(fetched.lease, answer)
    return (absent(reading, judged) if judged and isinstance(judged, str) else reading), probed


def _note_guess(fetched: Fetched, reading: Reading, parts: Parts) -> None:
    """A sitemap that nobody named is a name that mostly is not there: what is said of it costs nothing."""
    answer = answer_for_nothing(fetched, parts.rules) if not reading.found and not reading.refused else None
    if answer is not None and answer.status:
        parts.frontier.absences.answered(fetched.lease, answer, is_guess=True)


async def _probe(probe: Lease, page: Fetched, parts: Parts, rested: float | None) -> Probed | None:
    """Returns what came of a probe, which is stored then; None if nobody was asked."""
    fetched = await obtain_probe(probe, rested_after(page, probe, parts) if rested is None else rested, parts)
    if fetched is None or not fetched.asked:
        return None
    failure = failure_of(fetched, parts.rules.settings)
    await slow_ahead(page.lease, fetched, failure, parts)
    await parts.archive.append(Capture(fetched))
    if failure is None or failure.kind is not Kind.STALE:  # then nothing was said, and another page may be doubted
        parts.frontier.absences.answered(page.lease, answer_for_nothing(fetched, parts.rules))
    return Probed(fetched.began, failure, took=fetched.took)
