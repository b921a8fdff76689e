"""URL: the story of one, the way that led there, its visits, and what changed in between. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from skitter.api.dashboard.frame import Frame, live, page, section
from skitter.api.dashboard.html import Child, Html, joined, tag
from skitter.api.dashboard.parts import Column, asking, badge, host_link, table, time, url_link, way
from skitter.console.readings import Reading
from skitter.console.views import UrlRow, UrlsPage
from skitter.inspection.history import History, Visit
from skitter.inspection.story import told
from skitter.inspection.why import Found, Story
from skitter.messages import Reason, State
from skitter.words.figures import counted, size, span
from skitter.words.kinds import REASONS, STATES, kind_in_words

LEVELS = {State.DEAD: "ill", State.FAILED: "watch", State.SKIPPED: "watch", State.DONE: "well", State.SCHEDULED: "well"}
SHOWN = 50
LONGEST_DIFF = 400
CONTEXT = 2
BY = {
    "link": "links to",
    "redirect": "redirects to",
    "sitemap": "lists",
    "robots.txt": "names",
    "sounding": "led us to make up",
}


def url_start(frame: Frame, asked: str = "", why_not: str = "") -> str:
    """Returns the page that asks for a URL."""
    return page(
        frame, "URL", _ask(asked), tag("p", why_not, role="alert", class_="wrong") if why_not else None, _hint()
    )


def urls_found(frame: Frame, prefix: str, found: UrlsPage) -> str:
    """Returns the URLs that begin alike."""
    rows = [_url_row(row, frame.now) for row in found.urls]
    columns = [
        Column("URL"),
        Column("State"),
        Column("Status", is_number=True),
        Column("Fetched"),
        Column("Due"),
        Column("Priority", is_number=True),
    ]
    on = way("/url", prefix=prefix, cursor=found.cursor) if found.cursor else ""
    empty = "None so far: look further." if on else "The crawl knows no URL that begins like that."
    further = tag("p", tag("a", "Further", href=on, class_="button")) if on else None
    return page(
        frame, "URLs", _ask(prefix), table(f"URLs that begin with {prefix}", columns, rows, empty=empty), further
    )


def no_url(frame: Frame, asked: str, reason: Reason) -> str:
    """Returns why there is nothing to tell."""
    return url_start(frame, asked, f"This is none that could be crawled: {REASONS[reason]}.")


def story_page(frame: Frame, story: Story) -> str:
    """Returns the story of a URL. Visits take longer to find: they are asked for when the rest is there."""
    found = story.found
    href = found.href if found is not None else story.href
    state = badge("unknown") if found is None else badge(STATES[found.state], LEVELS.get(found.state, ""))
    parts = dict(told(story, frame.now))
    visits = way("/url/visits", url=href)
    return page(
        frame,
        "URL",
        _ask(story.asked),
        tag("p", state, " ", tag("b", href, class_="url"), " on ", host_link(story.host), class_="subject"),
        live(
            "story",
            _path(found, href) if found is not None else None,
            [
                section(title, tag("ul", [tag("li", line) for line in lines], class_="notes"))
                for title, lines in parts.items()
                if title != "Where it was found" or found is None or not found.steps
            ],
            class_="columns",
        ),
        _acts(href) if frame.may_act and found is not None else None,
        section("Visits", tag("div", tag("a", "Show every visit", href=visits), data_load=visits, aria_live="polite")),
    )


def visits_part(history: History, readings: Sequence[Reading], now: float) -> Html:
    """Returns every visit, what is planned, and what changed from one text to the next."""
    shown = list(history.visits)[-SHOWN:][::-1]
    columns = [
        Column("When"),
        Column("Status", is_number=True),
        Column("What"),
        Column("Size", is_number=True),
        Column("Capture"),
    ]
    rows = [_visit_row(visit, now) for visit in shown]
    empty = "No visit to it is in the tables yet; they are made when a WARC file is sealed."
    later = (
        None
        if history.all_indexed
        else tag("p", "Visits since the last WARC file was sealed are not in the tables yet.", class_="muted")
    )
    made = table("Visits", columns, rows, empty=empty)
    return joined(tag("p", _planned(history, now)), made, later, list(_changes(readings, now)))


def visits_page(frame: Frame, href: str, part: Html) -> str:
    """Returns the same as a page of its own, for who has no scripts."""
    return page(frame, "Visits", tag("p", url_link(href)), part)


def _ask(value: str) -> Html:
    return tag(
        "form",
        tag("label", "URL", for_="url", class_="sr"),
        tag(
            "input",
            id="url",
            name="url",
            type="search",
            value=value,
            placeholder="https://example.org/page",
            autocomplete="off",
            spellcheck="false",
        ),
        tag("button", "Why?"),
        tag("button", "All that begin so", name="how", value="prefix", class_="quiet"),
        method="get",
        action="/url",
        class_="search",
        role="search",
    )


def _hint() -> Html:
    return tag(
        "p",
        "Type a URL as you found it anywhere: here is told how the crawl knows it, what became of it and why, "
        "and when it is seen again.",
        class_="empty",
    )


def _url_row(row: UrlRow, now: float) -> Sequence[Child]:
    return (
        url_link(row.url, 90),
        badge(row.state.value, LEVELS.get(row.state, "")),
        row.last_status or "–",
        time(row.last_fetched, now),
        time(row.due, now),
        f"{row.priority:.2f}",
    )


def _path(found: Found, href: str) -> Html | None:
    """The way from the seed to here, as the pages lead to one another."""
    if not found.steps:
        return None
    steps = [
        tag("li", url_link(step.href), tag("small", f" {BY.get(step.by, step.by)}")) for step in reversed(found.steps)
    ]
    note = f"{counted(found.depth, 'link')} from a seed"
    return section("The way there", tag("ol", steps, tag("li", tag("b", href, class_="url")), class_="way"), note=note)


def _acts(href: str) -> Html:
    back = way("/url", url=href)
    again = asking(
        "recrawl", "See it again", f"See {href} again as soon as politeness allows?", {"url": href}, back=back
    )
    return tag("div", again, class_="acts")


def _visit_row(visit: Visit, now: float) -> Sequence[Child]:
    if visit.failure:
        what = badge(kind_in_words(visit.failure), "watch")
    else:
        what = badge(
            {True: "changed", False: "as before", None: "first"}[visit.changed], "well" if visit.changed else ""
        )
    place = tag("span", f"{visit.file} at {visit.offset}", class_="path")
    return time(visit.at, now), visit.status or "–", what, size(visit.bytes), place


def _planned(history: History, now: float) -> Child:
    if history.state is None:
        return "The crawl does not know this URL."
    often = (
        "" if not history.rate else f" It changes about once in {span(1 / history.rate)}, as far as its visits tell."
    )
    if history.late is not None:
        return tag("span", "It is queued to be seen again, since ", time(history.late, now), f".{often}")
    if history.due is not None:
        return tag("span", "It is due ", time(history.due, now), f".{often}")
    return f"No further visit is planned.{often}"


def _changes(readings: Sequence[Reading], now: float) -> Iterator[Html]:
    """What the texts of two visits do not have in common."""
    if len(readings) < 2:
        return
    yield tag("h3", "What changed in the text")
    for before, after in pairwise(readings):
        yield tag("p", time(before.at, now), " → ", time(after.at, now), class_="muted")
        yield difference(before.text, after.text)


def difference(before: str, after: str) -> Html:
    """Returns what was taken out of a text and put in, line by line, with a little around it."""
    old, new = before.splitlines()[:LONGEST_DIFF], after.splitlines()[:LONGEST_DIFF]
    rows: list[Html] = []
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(CONTEXT):
        for code, a, b, c, d in group:
            if code == "equal":
                rows += [tag("span", f"  {line}\n") for line in old[a:b]]
                continue
            rows += [tag("del", f"- {line}\n") for line in old[a:b]]
            rows += [tag("ins", f"+ {line}\n") for line in new[c:d]]
    if not rows:
        return tag("p", "The text is the same.", class_="empty")
    return tag("pre", rows, class_="diff", tabindex=0, role="region", aria_label="What changed")
