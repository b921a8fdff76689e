"""Plug-ins where tables are made: those that read documents; and when an archive is read again, page filters too.

During a crawl what page filters said is in the metadata of a capture: nobody is asked twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from skitter.content.capture import Seen
from skitter.content.documents.document import Document, Limits, Reader, Told, clean, one_line
from skitter.plugins.calls import Part, Trouble
from skitter.plugins.chain import Plugins
from skitter.plugins.plugin import Plugin
from skitter.plugins.steps import Looked, looking, reading
from skitter.reading.seen import Document as SeenDocument
from skitter.reading.seen import SeenPage

MAX_TITLE = 1000


def plugin_readers(plugins: Plugins) -> Mapping[str, Reader]:
    """Returns the plug-ins that read documents, by media type."""
    readers = [one for one in plugins.all if Part.PARSER in one.parts]
    return {media_type: partial(_read, plugins, one) for one in readers for media_type in one.media_types}


def _read(plugins: Plugins, plugin: Plugin, document: Document, limits: Limits) -> Told:
    shown = SeenDocument(document.url, document.media, list(document.headers), document.body)
    parsed = plugins.now(reading(plugin, shown))
    if parsed is None or isinstance(parsed, Trouble):
        why = "it says nothing" if parsed is None else parsed.fault.value
        return Told(f"failed: {plugin.label} {why}")
    return Told(
        plugin.label,
        title=one_line(parsed.title, MAX_TITLE),
        text=clean(parsed.text, limits.max_text),
        declared_lang=parsed.lang,
        fields=parsed.fields,
        links=parsed.links,
    )


def looked_at(plugins: Plugins, seen: Seen, told: Told) -> Looked:
    """Returns what today's page filters say of a document."""
    page = SeenPage(
        seen.url,
        seen.status,
        list(seen.headers),
        seen.body,
        seen.media,
        told.title,
        told.declared_lang,
        parent=seen.parent,
        links=told.links,
        fields=told.fields,
        parsed=None if "html" in seen.media else told.text,
    )
    filters = [one for one in plugins.all if Part.PAGE in one.parts]
    return plugins.now(looking(filters, page, is_read=bool(told.text)))
