"""All kinds of honest sites by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from skitter.simweb.judged.honest import about, diaries, manuals, more, records, rows
from skitter.simweb.judged.part import Part
from skitter.simweb.judged.prose import Prose

Kind: TypeAlias = Callable[[str, Prose], Part]
"""From a host's name and way of writing to its pages."""

HONEST: dict[str, Kind] = {
    "docs": manuals.docs,
    "reference": manuals.reference,
    "wiki": manuals.wiki,
    "languages": manuals.languages,
    "blog": diaries.blog,
    "forum": diaries.forum,
    "shop": diaries.shop,
    "calendar": diaries.calendar,
    "numbered": lambda _name, prose: rows.Numbered(prose),
    "tables": rows.tables,
    "short": rows.short,
    "gallery": rows.gallery,
    "repeats": rows.repeats,
    "odd": about.odd,
    "standings": records.standings,
    "timetable": records.timetable,
    "kin": records.kin,
    "acts": records.acts,
    "commits": records.commits,
    "items": records.items,
    "stories": records.stories,
    "recipes": records.recipes,
    "days": diaries.days,
    "letters": more.letters,
    "gazetteer": more.gazetteer,
    "dictionary": more.dictionary,
    "verses": more.verses,
    "readings": more.readings,
}
SMALL: dict[str, Kind] = {
    "docs": lambda name, prose: manuals.docs(name, prose, chapters=1),
    "wiki": lambda name, prose: manuals.wiki(name, prose, size=80),
    "blog": lambda name, prose: diaries.blog(name, prose, posts=50),
    "forum": lambda name, prose: diaries.forum(name, prose, threads=40),
    "shop": lambda name, prose: diaries.shop(name, prose, products=80),
    "calendar": diaries.calendar,
    "tables": lambda name, prose: rows.tables(name, prose, count=120),
    "short": lambda name, prose: rows.short(name, prose, count=90),
}
"""The same with a hundred pages or so: the good part of a site that has a trap in it."""
