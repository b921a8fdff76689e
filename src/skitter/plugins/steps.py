"""Who is asked what, in order, and what it comes to. Pure.

Each step yields a call for a plug-in and is sent its answer. So the same steps serve a node, which waits, and
`reparse`, which has nothing else to do. A plug-in that can't say anything is left out: the page goes on as without it,
and is marked.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

from msgspec import structs

from skitter.plugins.calls import Answer, Call, LookAt, OnDocument, OnPage, OnUrls, Read, Trouble, Weigh, in_words
from skitter.ports import Advice, Parsed
from skitter.reading.seen import Document, SeenPage, SeenUrl

DROPPED = "dropped"
"""The reason of a plug-in that gives none."""
LIGHTEST, HEAVIEST = 1e-6, 1.0


class Labelled(Protocol):
    """A plug-in, by the name that reasons have it under."""

    @property
    def label(self) -> str:
        """As in `plugin:label:reason`."""
        ...

    def takes(self, media_type: str, *, is_read: bool) -> bool:
        """Whether it wants to see pages of that type."""
        ...


P = TypeVar("P", bound=Labelled)
R = TypeVar("R")
Steps: TypeAlias = Generator[tuple[P, Call], Answer, R]


class Looked(NamedTuple):
    """What plug-ins say of a page."""

    fields: Mapping[str, str]
    follow: bool
    keep: bool
    marks: Sequence[str]  # `name:reason`
    evidence: Sequence[str]  # the same for people


class Weighed(NamedTuple):
    """What plug-ins say of URLs."""

    refused: Mapping[int, str]  # by place: `name:reason`
    weights: Mapping[int, float]  # by place, where not 1
    marks: Sequence[str]  # faults
    evidence: Sequence[str]


def looking(plugins: Sequence[P], page: SeenPage, *, is_read: bool) -> Steps[P, Looked]:
    """Asks for remarks on a page; each plug-in sees the fields that those before it have found."""
    follow = keep = True
    marks, evidence = list[str](), list[str]()
    for plugin in plugins:
        if not plugin.takes(page.media_type, is_read=is_read):
            continue
        answer = yield plugin, LookAt(page)
        if isinstance(answer, Trouble):
            marks.append(f"{plugin.label}:{answer.fault}")
            evidence.append(f"{plugin.label} {in_words(answer)}")
        elif isinstance(answer, OnPage) and (remark := answer.remark) is not None:
            follow, keep = follow and remark.follow and remark.keep, keep and remark.keep
            if remark.fields:
                page = structs.replace(page, fields={**page.fields, **remark.fields})
            if reason := remark.reason or ("" if remark.follow and remark.keep else DROPPED):
                marks.append(f"{plugin.label}:{reason}")
                evidence.append(f"{plugin.label} says {reason}")
    return Looked(page.fields, follow, keep, marks, evidence)


def weighing(plugins: Sequence[P], urls: Sequence[SeenUrl]) -> Steps[P, Weighed]:
    """Asks for advice on URLs; those that one plug-in refuses, the next ones are not asked for."""
    refused, weights = dict[int, str](), dict[int, float]()
    marks, evidence = list[str](), list[str]()
    for plugin in plugins:
        places = [place for place in range(len(urls)) if place not in refused]
        if not places:
            break
        answer = yield plugin, Weigh([urls[place] for place in places])
        if isinstance(answer, Trouble):
            marks.append(f"{plugin.label}:{answer.fault}")
            evidence.append(f"{plugin.label} {in_words(answer)}")
        elif isinstance(answer, OnUrls):
            for place, advice in zip(places, answer.advices, strict=True):
                if advice is not None:
                    _take(plugin.label, place, advice, refused, weights)
    return Weighed(refused, weights, marks, evidence)


def _take(label: str, place: int, advice: Advice, refused: dict[int, str], weights: dict[int, float]) -> None:
    if advice.refuse:
        refused[place] = f"{label}:{advice.refuse}"
    elif advice.weight != 1.0:
        weights[place] = weights.get(place, 1.0) * advice.weight


def reading(plugin: P, document: Document) -> Steps[P, Parsed | Trouble | None]:
    """Asks what a document says."""
    answer = yield plugin, Read(document)
    if isinstance(answer, OnDocument):
        return answer.parsed
    return answer if isinstance(answer, Trouble) else None
