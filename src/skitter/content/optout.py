"""What a site reserves of a document: for search, for snippets, for training. Pure.

Six ways to say so are in use, none of them by all. Each is kept as it was said, and all of them together in one
vocabulary (`Use`), which is what an export obeys: `MEANINGS` is the table from the one to the other.

- X-Robots-Tag and meta robots: `noindex`, `noarchive`, `nosnippet`, `noai`, `noimageai`, for everyone or for our name
- TDM Reservation Protocol: header `tdm-reservation: 1`, meta of that name, `/.well-known/tdmrep.json`
- robots.txt: `Content-Signal: search=yes, ai-train=no` and `Content-Usage: train-ai=n`
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache

import msgspec
from msgspec import Struct

from skitter.messages import Headers, header_values
from skitter.robots.directives import words_for
from skitter.robots.paths import path_of
from skitter.robots.signals import Signals

MAX_SAID = 500
MAX_RULES = 1000


class Use(StrEnum):
    """What may be done with a document, unless it is reserved."""

    INDEX = "index"  # found in a search
    ARCHIVE = "archive"  # shown from a copy
    SNIPPET = "snippet"  # shown in part
    AI_INPUT = "ai_input"  # answers made from it
    AI_TRAIN = "ai_train"  # models trained on it
    AI_IMAGES = "ai_images"  # models trained on its pictures
    TDM = "tdm"  # mined for text and data


WORDS: Mapping[str, Sequence[Use]] = {
    "noindex": (Use.INDEX,),
    "none": (Use.INDEX,),
    "noarchive": (Use.ARCHIVE,),
    "nosnippet": (Use.SNIPPET,),
    "noai": (Use.AI_TRAIN, Use.AI_INPUT),
    "noimageai": (Use.AI_IMAGES,),
}
"""Words of robots directives. Others restrict nothing that is done with a text."""

CATEGORIES: Mapping[str, Sequence[Use]] = {
    "search": (Use.INDEX,),
    "ai-input": (Use.AI_INPUT,),
    "ai-train": (Use.AI_TRAIN,),
    "train-ai": (Use.AI_TRAIN,),
    "train-genai": (Use.AI_TRAIN,),
    "bots": (Use.AI_TRAIN, Use.AI_INPUT, Use.TDM),
    "all": tuple(Use),
}
"""Names in Content-Signal (`=no`) and in Content-Usage (`=n`)."""

TDM_RESERVED: Sequence[Use] = (Use.TDM, Use.AI_TRAIN)
REFUSED = ("no", "n")


class TdmRule(Struct, frozen=True):
    """One rule of a tdmrep.json."""

    location: str = ""
    reservation: object = msgspec.field(name="tdm-reservation", default=0)
    policy: object = msgspec.field(name="tdm-policy", default="")


class OptOut(Struct, frozen=True):
    """What was said of a document, and what that comes to."""

    noindex: bool = False
    noarchive: bool = False
    nosnippet: bool = False
    noai: bool = False
    noimageai: bool = False
    tdm_reservation: bool | None = None  # None: nothing was said
    tdm_policy: str = ""
    content_signal: str = ""  # as robots.txt has it for us
    content_usage: str = ""
    reserved: Sequence[Use] = ()


def opt_out(
    headers: Headers,
    metas: Sequence[tuple[str, str]],
    token: str,
    *,
    url: str = "",
    signals: Signals = Signals(),  # noqa: B008 (frozen)
    tdmrep: bytes = b"",
) -> OptOut:
    """Returns what is reserved. `metas` are names and contents, `token` the name by which sites know us."""
    words = words_for(header_values(headers, "x-robots-tag"), metas, token)
    tdm, policy = _tdm(headers, metas, url, tdmrep)
    path = path_of(url) if url and signals.said else "/"
    signal, usage = signals.signal_for(path), signals.usage_for(path)
    reserved = {use for word in words for use in WORDS.get(word, ())}
    reserved |= {use for said in (signal, usage) for use in refused_in(said)}
    if tdm:
        reserved.update(TDM_RESERVED)
    return OptOut(
        noindex="noindex" in words or "none" in words,
        noarchive="noarchive" in words,
        nosnippet="nosnippet" in words,
        noai="noai" in words,
        noimageai="noimageai" in words,
        tdm_reservation=tdm,
        tdm_policy=policy,
        content_signal=signal,
        content_usage=usage,
        reserved=sorted(reserved),
    )


def refused_in(said: str) -> Iterator[Use]:
    """Yields what a Content-Signal or Content-Usage refuses: `search=yes, ai-train=no`, `train-ai=n`."""
    for part in re.split("[,;]", said):
        name, _, value = part.partition("=")
        if value.strip().lower() in REFUSED:
            yield from CATEGORIES.get(name.strip().lower(), ())


def _tdm(headers: Headers, metas: Iterable[tuple[str, str]], url: str, tdmrep: bytes) -> tuple[bool | None, str]:
    """Returns whether mining is reserved and by which policy: the header counts most, then the page, then the site."""
    named = {name.strip().lower(): content for name, content in reversed([*metas])}
    for said, policy in (
        (_first(headers, "tdm-reservation"), _first(headers, "tdm-policy")),
        (named.get("tdm-reservation", ""), named.get("tdm-policy", "")),
    ):
        if said.strip() in ("0", "1"):
            return said.strip() == "1", _kept(policy)
    return _tdm_of_site(url, tdmrep)


def _tdm_of_site(url: str, tdmrep: bytes) -> tuple[bool | None, str]:
    if not tdmrep:
        return None, ""
    path = path_of(url) if url else "/"
    for rule in _rules(tdmrep):
        if rule.location and _is_at(rule.location, path):
            policy = rule.policy if isinstance(rule.policy, str) else ""
            return rule.reservation in (1, "1"), _kept(policy)
    return None, ""


@lru_cache(maxsize=64)
def _rules(tdmrep: bytes) -> Sequence[TdmRule]:
    try:
        return msgspec.json.decode(tdmrep, type=list[TdmRule])[:MAX_RULES]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ()


def _is_at(location: str, path: str) -> bool:
    """Whether a rule is about a path. As in robots.txt: `*` is anything, and a folder stands for what is in it."""
    first, *others = location[:MAX_SAID].removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    for part in others:  # the first place for each part is the best: no other leaves more room for the next
        at = path.find(part, at)
        if at < 0:
            return False
        at += len(part)
    last = others[-1] if others else ""
    return not location.endswith("$") or (path.endswith(last) if others else at == len(path))


def _first(headers: Headers, name: str) -> str:
    return next(iter(header_values(headers, name)), "")


def _kept(policy: str) -> str:
    return " ".join(policy.split())[:MAX_SAID]
