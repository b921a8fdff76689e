"""Log: what operators changed, what happened, and what people wrote. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from skitter.api.dashboard.frame import Frame, live, page, section
from skitter.api.dashboard.html import Child, Html, tag
from skitter.api.dashboard.parts import Column, host_link, table, time
from skitter.console.views import Complaint, Entry, SettingLine


def log_page(
    frame: Frame, changes: Sequence[Entry], complaints: Sequence[Complaint], settings: Sequence[SettingLine]
) -> str:
    """Returns the page."""
    run = frame.overview.live
    notes = [tag("li", time(note.at, frame.now), " ", note.text) for note in ([] if run is None else run.notes[::-1])]
    empty = tag("p", "Nothing happened that is worth a sentence.", class_="empty")
    return page(
        frame,
        "Log",
        live("changes", section("Changes", _changes(changes, frame.now), note="by operators, the newest first")),
        live(
            "notes",
            section("What happened", tag("ul", notes, class_="notes tall") if notes else empty, note="in this run"),
            section("What people wrote", _complaints(complaints, frame.now)),
            class_="grid two",
        ),
        live("settings", section("Settings that can change while it runs", _settings(settings))),
    )


def _changes(changes: Sequence[Entry], now: float) -> Html:
    columns = [Column("When"), Column("Who"), Column("What"), Column("About"), Column("Before"), Column("After")]
    rows: list[Sequence[Child]] = [
        (time(one.at, now), one.who, one.what, one.target, value_in_words(one.before), value_in_words(one.after))
        for one in changes
    ]
    return table("Changes", columns, rows, empty="Nobody changed anything yet.")


def _complaints(complaints: Sequence[Complaint], now: float) -> Html:
    columns = [Column("When"), Column("Host"), Column("What they wrote"), Column("Done at once")]
    rows: list[Sequence[Child]] = [(time(one.at, now), host_link(one.host), one.text, one.act) for one in complaints]
    return table("Complaints", columns, rows, empty="Nobody has complained.")


def _settings(settings: Sequence[SettingLine]) -> Html:
    columns = [Column("Key"), Column("Value"), Column("Default"), Column("Meaning")]
    rows: list[Sequence[Child]] = [
        (tag("code", one.key), tag("b", value_in_words(one.value)), value_in_words(one.default), one.meaning)
        for one in settings
    ]
    return table("Settings", columns, rows, empty="They can't be read just now.")


def value_in_words(value: object) -> str:
    """Returns what was or is, as short as it can be written."""
    if value is None:
        return "–"
    if isinstance(value, dict):
        return ", ".join(f"{name}: {value_in_words(one)}" for name, one in value.items())
    return value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=str).decode()
