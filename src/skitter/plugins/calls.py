"""What is asked of a plug-in and what it answers, and how an answer is checked. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NoReturn, TypeAlias

import msgspec
from msgspec import Struct

from skitter.ports import Advice, Parsed, Remark
from skitter.reading.seen import Document, SeenPage, SeenUrl
from skitter.settings import PluginSettings

MOST_BYTES = 64 * 1024**2
"""Of a message, either way."""


class Part(StrEnum):
    """What a plug-in can be: the method that makes it that."""

    PAGE = "filter_page"
    URL = "filter_url"
    PARSER = "parse"
    SINK = "write"


class Fault(StrEnum):
    """What may be wrong with a plug-in."""

    ERROR = "error"  # it raised
    RUBBISH = "rubbish"  # it returned what it may not
    HUNG = "hung"  # it was not done in time
    DIED = "died"  # its process ended, or ran out of memory
    OFF = "off"  # it was not asked: too much of the above


RESERVED = frozenset(fault.value for fault in Fault)
"""Reasons that no plug-in can give: they are what we say of it."""


class LookAt(Struct, frozen=True, tag="page"):
    """What do you say of this page?"""

    page: SeenPage


class Weigh(Struct, frozen=True, tag="urls"):
    """What do you say of each of these URLs?"""

    urls: Sequence[SeenUrl]


class Read(Struct, frozen=True, tag="parse"):
    """What does this document say?"""

    document: Document


Call: TypeAlias = LookAt | Weigh | Read
PART_OF: dict[type, Part] = {LookAt: Part.PAGE, Weigh: Part.URL, Read: Part.PARSER}


class Begin(Struct, frozen=True, tag="begin"):
    """Be the plug-in of this name."""

    name: str
    settings: PluginSettings


class Ready(Struct, frozen=True, tag="ready"):
    """I am: this is what I can do."""

    parts: Sequence[Part]
    media_types: Sequence[str] = ()
    is_quick: bool = False
    tables: Sequence[str] = ()  # that it wants, as a sink


class Wrong(Struct, frozen=True, tag="wrong"):
    """I can't be: as an OperatorError says it."""

    key: str
    value: Any
    right: str


class OnPage(Struct, frozen=True, tag="on_page"):
    """What it says of a page."""

    remark: Remark | None = None


class OnUrls(Struct, frozen=True, tag="on_urls"):
    """What it says of URLs, in their order."""

    advices: Sequence[Advice | None] = ()


class OnDocument(Struct, frozen=True, tag="on_document"):
    """What it has read."""

    parsed: Parsed | None = None


class Trouble(Struct, frozen=True, tag="trouble"):
    """No answer, and why."""

    fault: Fault
    what: str = ""


Answer: TypeAlias = OnPage | OnUrls | OnDocument | Trouble
_ANSWERS: dict[Part, type] = {Part.PAGE: OnPage, Part.URL: OnUrls, Part.PARSER: OnDocument}
WORDS: dict[type, str] = {OnPage: "Remark", OnUrls: "Advice", OnDocument: "Parsed"}


def in_words(trouble: Trouble) -> str:
    """Returns what is wrong with a plug-in, as it follows its name."""
    return f"raised {trouble.what}" if trouble.fault is Fault.ERROR else trouble.what


def answered(plugin: object, call: Call) -> Answer:
    """Returns what `plugin` says, checked. Whatever it raises is its fault; only a MemoryError goes on."""
    try:
        said = _asked(plugin, call)
    except MemoryError:
        raise
    except BaseException as error:  # noqa: BLE001 (it may raise anything, sys.exit() too)
        return Trouble(Fault.ERROR, f"{type(error).__name__}: {error}"[:500])
    return checked(said, call)


def _asked(plugin: Any, call: Call) -> object:
    match call:
        case LookAt(page):
            return OnPage(plugin.filter_page(page))
        case Weigh(urls):
            return OnUrls([plugin.filter_url(url) for url in urls])
        case Read(document):
            return OnDocument(plugin.parse(document))


def checked_again(answer: Answer, call: Call) -> Answer:
    """Returns an answer that came from a plug-in's process, if it is one to `call`."""
    if isinstance(answer, Trouble):
        return answer
    if not isinstance(answer, _ANSWERS[PART_OF[type(call)]]):
        return Trouble(Fault.RUBBISH, "answered something else than it was asked")
    return _counted(answer, call)


def checked(said: object, call: Call) -> Answer:
    """Returns an answer that is one, or what is wrong with it: a struct takes anything, only decoding looks."""
    wanted = _ANSWERS[PART_OF[type(call)]]
    try:
        answer: Answer = msgspec.msgpack.decode(msgspec.msgpack.encode(said, enc_hook=_odd), type=wanted)
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError) as error:
        return Trouble(Fault.RUBBISH, f"returned what is no {WORDS[wanted]}: {error}"[:500])
    return _counted(answer, call)


def _counted(answer: Answer, call: Call) -> Answer:
    if isinstance(answer, OnUrls) and isinstance(call, Weigh) and len(answer.advices) != len(call.urls):
        return Trouble(Fault.RUBBISH, f"said {len(answer.advices)} things of {len(call.urls)} URLs")
    ours = next((reason for reason in _reasons(answer) if reason in RESERVED), None)
    return answer if ours is None else Trouble(Fault.RUBBISH, f"gave the reason {ours}, which means its own failure")


def _reasons(answer: Answer) -> Sequence[str]:
    if isinstance(answer, OnPage):
        return () if answer.remark is None else (answer.remark.reason,)
    return [one.refuse for one in answer.advices if one is not None] if isinstance(answer, OnUrls) else ()


def _odd(one: object) -> NoReturn:
    raise TypeError(f"it holds an object of type {type(one).__name__}")
