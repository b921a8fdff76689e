"""Every page, with text from the web that means harm in every place where there is text."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest
from msgspec import inspect, structs

from skitter.api.dashboard.frame import Frame
from skitter.api.dashboard.pages.done import done_page, done_part, sure_page, trouble_page, wrong_part
from skitter.api.dashboard.pages.fleet import fleet_page
from skitter.api.dashboard.pages.freshness import freshness_page
from skitter.api.dashboard.pages.host import host_page, unknown_host
from skitter.api.dashboard.pages.hosts import hosts_page
from skitter.api.dashboard.pages.judgement import judgement_page
from skitter.api.dashboard.pages.log import log_page
from skitter.api.dashboard.pages.login import login_page
from skitter.api.dashboard.pages.now import now_page
from skitter.api.dashboard.pages.plan import plan_page
from skitter.api.dashboard.pages.render import render_page
from skitter.api.dashboard.pages.url import no_url, story_page, url_start, urls_found, visits_page, visits_part
from skitter.api.looking import HostsQuery
from skitter.api.tokens import Role, Who
from skitter.capacity.file import PlanFile
from skitter.capacity.need import Need
from skitter.capacity.reckon import reckon
from skitter.console.acts import Done
from skitter.console.readings import Reading
from skitter.console.views import (
    Complaint,
    Entry,
    HostsPage,
    HostView,
    Overview,
    Series,
    SettingLine,
    UrlsPage,
)
from skitter.inspection.domains import DomainLook
from skitter.inspection.history import History
from skitter.inspection.why import Story
from skitter.messages import Reason

HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>&"
OURS = {"delay_because": "default", "by": "link", "level": "well", "standing": "used"}
"""Fields of our own vocabulary."""


def filled(kind: Any, name: str = "") -> Any:
    """Returns something of a type, with harmful text wherever it has text."""
    match kind:
        case inspect.StrType():
            return OURS.get(name, HOSTILE)
        case inspect.IntType():
            return 1
        case inspect.FloatType():
            return 1.0
        case inspect.BoolType():
            return True
        case inspect.EnumType():
            return next(iter(kind.cls))
        case inspect.UnionType():
            return filled(next(one for one in kind.types if not isinstance(one, inspect.NoneType)), name)
        case inspect.ListType() | inspect.CollectionType():
            return [filled(kind.item_type, name)]
        case inspect.DictType():
            return {filled(kind.key_type): filled(kind.value_type)}
        case inspect.StructType() | inspect.NamedTupleType():
            return kind.cls(**{field.name: filled(field.type, field.name) for field in kind.fields})
        case inspect.AnyType():
            return HOSTILE
        case _:
            raise AssertionError(f"{kind}: say here what it is filled with")


def of(kind: type[Any]) -> Any:
    return filled(inspect.type_info(kind))


FRAME = Frame(of(Overview), Who(HOSTILE, Role.OPERATOR), "/", "mark")
SERIES = Series(5.0, [1.0, 2.0, 3.0], {f"{name}{HOSTILE}": [1.0, 2.0, None] for name in ("failed_", "skipped_", "")})
NEED = PlanFile()
PAGES = {
    "now": lambda: now_page(FRAME, SERIES, [(HOSTILE, 3600.0)], 3600.0),
    "hosts": lambda: hosts_page(FRAME, of(HostsPage), HostsQuery(HOSTILE, "queued", "asc", HOSTILE), SERIES),
    "host": lambda: host_page(FRAME, of(HostView)),
    "no host": lambda: unknown_host(FRAME, HOSTILE),
    "url start": lambda: url_start(FRAME, HOSTILE, HOSTILE),
    "url": lambda: story_page(FRAME, of(Story)),
    "no url": lambda: no_url(FRAME, HOSTILE, Reason.BAD_URL),
    "urls": lambda: urls_found(FRAME, HOSTILE, of(UrlsPage)),
    "visits": lambda: visits_page(
        FRAME, HOSTILE, visits_part(of(History), [Reading(1.0, HOSTILE), Reading(2.0, "x" + HOSTILE)], 3.0)
    ),
    "judgement": lambda: judgement_page(FRAME, [of(DomainLook)], SERIES),
    "freshness": lambda: freshness_page(FRAME, SERIES),
    "fleet": lambda: fleet_page(FRAME),
    "render": lambda: render_page(FRAME, SERIES),
    "plan": lambda: plan_page(
        FRAME, Need(), reckon(NEED.need, NEED.costs, NEED.prices, NEED.machine), {"pages": HOSTILE}, HOSTILE
    ),
    "log": lambda: log_page(FRAME, [of(Entry)], [of(Complaint)], [of(SettingLine)]),
    "sure": lambda: sure_page(FRAME, HOSTILE, {"host": HOSTILE, "back": HOSTILE}),
    "done": lambda: done_page(
        FRAME, done_part(Done(HOSTILE, HOSTILE, {HOSTILE: HOSTILE}, [HOSTILE], HOSTILE)), HOSTILE
    ),
    "not done": lambda: done_page(FRAME, wrong_part(HOSTILE), "/"),
    "trouble": lambda: trouble_page(FRAME, HOSTILE, HOSTILE),
    "login": lambda: login_page(HOSTILE, HOSTILE),
}


class Seen(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.odd: list[str] = []
        self.ids: list[str] = []
        self.headings: list[str] = []
        self.unnamed = 0
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "script":
            self.scripts.append(given.get("src") or "inline")
        if tag in ("img", "iframe", "style", "object", "embed", "base"):
            self.odd.append(tag)
        self.odd += [name for name in given if name.startswith("on") or name == "style"]
        for name in ("href", "src", "action", "data-load"):
            if not (given.get(name) or "/").startswith(("/", "#")):
                self.odd.append(f"{name}={given[name]}")
        if "id" in given:
            self.ids.append(given["id"] or "")
        if tag in ("h1", "h2", "h3"):
            self.headings.append(tag)
        if tag not in ("input", "link", "meta"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag, f"{tag} ends what it did not begin"


@pytest.mark.parametrize("name", PAGES)
def test_harmful_text_stays_text(name: str) -> None:
    page = PAGES[name]()
    seen = Seen()
    seen.feed(page)
    assert [script.partition("?")[0] for script in seen.scripts] == ["/static/dashboard.js"]
    assert not seen.odd
    assert "&lt;script&gt;alert(1)" in page or name == "plan"
    assert len(seen.ids) == len(set(seen.ids)), "ids are there once"
    assert seen.headings[0] == "h1"
    assert seen.headings.count("h1") == 1


def test_who_may_only_look_has_no_buttons_that_act() -> None:
    looking = structs.replace(FRAME, who=Who("reader", Role.READ))
    pages = (host_page, lambda frame, view: judgement_page(frame, [view.domain], SERIES))
    for page in pages:
        assert "/do/" in page(FRAME, of(HostView))
        assert "/do/" not in page(looking, of(HostView))


def test_a_node_that_is_down_is_seen() -> None:
    overview = of(Overview)
    (line,) = overview.live.lines
    down = structs.replace(overview, live=structs.replace(overview.live, lines=[structs.replace(line, is_up=False)]))
    assert "down, being started" in fleet_page(structs.replace(FRAME, overview=down))
    assert "down, being started" not in fleet_page(FRAME)


def test_pages_of_a_crawl_that_never_ran_say_what_to_do() -> None:
    never = structs.replace(of(Overview), live=None, standing=None, as_of=None)
    frame, nothing = structs.replace(FRAME, overview=never), Series(5.0, [], {})
    assert "skitter crawl --out" in now_page(frame, nothing, [], 3600.0)
    assert "for the first time" in hosts_page(frame, None, HostsQuery(), nothing)
    assert "for the first time" in judgement_page(frame, None, nothing)
    assert "No node has reported" in fleet_page(frame)
    for page in (freshness_page(frame, nothing), render_page(frame, nothing), log_page(frame, [], [], [])):
        assert msgspec.json.encode(page)
