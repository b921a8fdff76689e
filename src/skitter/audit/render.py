"""A report as a person reads it, and as a program does. Pure."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from skitter.audit.report import MEANINGS, Breach, Report, Violation
from skitter.store.warc.dates import to_micros, warc_date

GROUPS: dict[str, tuple[Breach, ...]] = {
    "Delays": (Breach.TOO_EARLY, Breach.NOT_SLOWED, Breach.LOADED, Breach.AT_ONCE, Breach.BEFORE_RETRY_AFTER),
    "Robots": (
        Breach.ROBOTS_UNKNOWN,
        Breach.ROBOTS_STALE,
        Breach.ROBOTS_UNREADABLE,
        Breach.FORBIDDEN,
        Breach.FALSE_ERRAND,
    ),
    "Archive": (Breach.DAMAGED, Breach.BAD_DIGEST, Breach.MISMATCHED, Breach.DANGLING, Breach.NO_SETTINGS),
}


def render(report: Report) -> str:
    """Returns the report as text, the verdict last."""
    return "\n".join(_lines(report)) + "\n"


def as_json(report: Report) -> str:
    """Returns the report as one line of JSON; `clean` says whether every promise was kept."""
    return msgspec.json.encode({"clean": report.is_clean, **msgspec.to_builtins(report)}).decode()


def _lines(report: Report) -> Iterator[str]:
    yield (
        f"{report.requests:,} requests ({report.robots:,} of them for robots.txt) to {report.hosts:,} hosts, "
        f"in {report.records:,} records of {report.files:,} WARC files ({report.size / 1e6:,.1f} MB)"
    )
    if report.closest is not None:
        word = "over" if report.closest >= 0 else "under"
        yield f"The closest two requests to a host came was {abs(report.closest):.6f} s {word} its delay."
    for group, kinds in GROUPS.items():
        count = sum(report.counts.get(kind, 0) for kind in kinds)
        yield f"{group + ':':9}{'proved' if not count else f'{count:,} violations'}"
        for kind in kinds:
            yield from _of_kind(kind, report)
    if not report.digests:
        yield "Digests were not recomputed."
    yield from (f"Note: {note}" for note in report.notes)
    yield "Every promise was kept." if report.is_clean else f"{sum(report.counts.values()):,} violations."


def _of_kind(kind: Breach, report: Report) -> Iterator[str]:
    count = report.counts.get(kind, 0)
    if not count:
        return
    yield f"  {kind}: {MEANINGS[kind]} ({count:,})"
    shown = [violation for violation in report.shown if violation.kind == kind]
    for violation in shown:
        yield from _evidence(violation)
    if count > len(shown):
        yield f"    … and {count - len(shown):,} more"


def _evidence(violation: Violation) -> Iterator[str]:
    yield f"    {violation.file} at {violation.offset}{': ' if violation.why else ''}{violation.why}"
    times = [warc_date(to_micros(at)) for at in violation.times]
    for at, url in zip(times or [""] * len(violation.urls), violation.urls, strict=True):
        yield f"      {at} {url}".rstrip()
    if violation.gap is not None and violation.required is not None:
        yield f"      after {violation.gap:.6f} s, {violation.required:.6f} s were due"
