"""What all pages share: where one is, how the crawl is, and the way to everything else. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from skitter.api.dashboard.html import Child, Html, Value, document, tag
from skitter.api.tokens import Role, Who
from skitter.console.views import Overview

PAGES = (
    ("/", "Now"),
    ("/hosts", "Hosts"),
    ("/url", "URL"),
    ("/judgement", "Judgement"),
    ("/freshness", "Freshness"),
    ("/fleet", "Fleet"),
    ("/render", "Render"),
    ("/plan", "Plan"),
    ("/log", "Log"),
)
LEVELS = {"well": "Well", "watch": "Watch", "ill": "Ill"}


class Frame(Struct, frozen=True):
    """What a page knows beside its own views."""

    overview: Overview
    who: Who
    place: str  # the page of `PAGES` that it belongs to
    assets: str  # a mark that changes with the files beside the pages

    @property
    def now(self) -> float:
        """When it is made."""
        return self.overview.now

    @property
    def may_act(self) -> bool:
        """Whether who looks may tell the crawl what to do."""
        return self.who.may(Role.OPERATOR)


def page(frame: Frame, title: str, *content: Child) -> str:
    """Returns a page."""
    overview = frame.overview
    return document(
        head(f"{title} · {overview.crawl}", frame.assets),
        tag(
            "body",
            tag("a", "Skip to what the page says", class_="skip", href="#main"),
            tag(
                "header",
                tag("a", mark(), tag("b", "skitter"), class_="brand", href="/", aria_label="Skitter, start"),
                tag("span", overview.crawl, class_="crawl", title=overview.directory),
                _ways(frame),
                tag(
                    "form",
                    tag("span", frame.who.name, class_="muted"),
                    tag("button", "Sign out", class_="quiet"),
                    method="post",
                    action="/logout",
                    class_="who",
                ),
            ),
            tag(
                "main",
                tag("h1", title),
                live("health", _health(frame), role="status", aria_label="How the crawl is", class_="health"),
                tag("p", id="lost", class_="lost", role="alert", hidden=True),
                tag("div", id="done", role="status"),
                *content,
                id="main",
                tabindex=-1,
            ),
            tag("footer", f"Skitter {overview.version}", tag("span", overview.directory, class_="path")),
        ),
    )


def head(title: str, assets: str, *more: Child) -> Html:
    """Returns the head of a page."""
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("link", rel="icon", type="image/svg+xml", href=f"/static/icon.svg?{assets}"),
        tag("link", rel="stylesheet", href=f"/static/dashboard.css?{assets}"),
        tag("script", src=f"/static/dashboard.js?{assets}", defer=True),
        *more,
    )


def live(name: str, *content: Child, **attributes: Value) -> Html:
    """Returns a part of a page that is kept up to date."""
    return tag("div", *content, id=f"live-{name}", data_live=True, **attributes)


def section(title: str, *content: Child, note: Child = None, class_: str = "") -> Html:
    """Returns a part of a page under a title of its own."""
    name = f"s-{''.join(sign if sign.isalnum() else '-' for sign in title.lower())}"
    return tag(
        "section",
        tag("h2", title, tag("small", note) if note else None, id=name),
        *content,
        aria_labelledby=name,
        class_=f"card {class_}".strip(),
    )


def _health(frame: Frame) -> Html:
    health = frame.overview.health
    return tag(
        "p", tag("span", LEVELS.get(health.level, health.level), class_=f"badge {health.level}"), " ", health.sentence
    )


def _ways(frame: Frame) -> Html:
    links: Sequence[Html] = [
        tag(
            "li",
            tag("a", name, href=path, aria_current="page" if path == frame.place else None),
        )
        for path, name in PAGES
    ]
    return tag("nav", tag("ul", *links), aria_label="Pages")


def mark() -> Html:
    """Returns our sign: something with long legs on still water."""
    legs = "M2 7 8 11M22 7 16 11M3 19 9 13M21 19 15 13M12 5V9"
    return tag(
        "svg",
        tag("path", d=legs, class_="legs"),
        tag("path", d="M12 8.5c2.2 0 3.4 1.6 3.4 3.5S14 16.5 12 16.5 8.600 13.900 8.600 12 9.800 8.500 12 8.500Z"),
        viewBox="0 0 24 24",
        aria_hidden="true",
        class_="mark",
    )
