"""One host: its delay and why, its robots.txt, its queue, what we think of it, and what can be done. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from skitter.api.dashboard.frame import Frame, live, page, section
from skitter.api.dashboard.html import Child, Html, tag
from skitter.api.dashboard.pages.hosts import standing
from skitter.api.dashboard.parts import Column, asking, facts, field, table, time, url_link, way
from skitter.console.views import HostView, RobotsText
from skitter.inspection.domains import DomainLook
from skitter.inspection.hosts import HostLook
from skitter.inspection.standing import Standing
from skitter.inspection.story import because
from skitter.inspection.thoughts import in_words
from skitter.words.figures import counted, number, span

ACCESS = {
    "rules": "It was read; its rules hold.",
    "allow_all": "The server has none to give: everything is allowed.",
    "deny_all": "It can't be read: nothing is fetched until it can.",
    "stale": "It can't be read just now: the rules of the last version hold.",
}


def host_page(frame: Frame, view: HostView) -> str:
    """Returns the page."""
    host = view.judged.host
    return page(
        frame,
        host.host,
        live("host", _standing(host, frame.now), _domain(view.domain), class_="grid two"),
        live("acts", _acts(host)) if frame.may_act else tag("p", "This token may look only.", class_="muted"),
        live("queue", _queue(view), _thoughts(view, frame.now), class_="grid two"),
        live("robots", section("robots.txt, as we read it", _robots(view, frame.now))),
    )


def unknown_host(frame: Frame, name: str) -> str:
    """Returns what is said of a host that the crawl does not know."""
    return page(
        frame,
        "No such host",
        tag("p", "This crawl does not know ", tag("b", name), ". No page that was read leads to it.", class_="empty"),
        tag("p", tag("a", "Search the hosts", href=way("/hosts", search=name))),
    )


def _standing(host: HostLook, now: float) -> Html:
    urls = host.urls
    rows: list[tuple[str, Child]] = [
        ("Waits for", standing(host.standing.value)),
        ("Next visit", time(host.next_at, now, "none is planned")),
        ("Delay", tag("span", tag("b", span(host.delay)), f", {because(host)}")),
        ("Last asked", time(host.last_request, now, "never")),
        ("Requests", f"{number(host.requests)}; {number(host.pages)} pages, {number(host.failures)} failures"),
        ("Health", f"{host.health:.2f} of 1"),
        ("URLs", ", ".join(f"{number(many)} {name}" for name, many in urls.items() if many) or "none"),
    ]
    if host.asleep_until is not None:
        rows.insert(1, ("Asleep", tag("span", "after failures, until ", time(host.asleep_until, now))))
    if host.worth is not None:
        rows.append(("Worth", f"{host.worth:.2f} of 1, by the nightly look"))
    return section("How it is", facts(rows))


def _domain(domain: DomainLook | None) -> Html:
    if domain is None:
        return section("Its domain", tag("p", "Nothing is known of its domain yet.", class_="empty"))
    left = "as many as politeness allows" if domain.pages_left is None else number(int(domain.pages_left))
    rows: list[tuple[str, Child]] = [
        ("Domain", domain.domain),
        ("Known as", domain.known_as),
        ("Worth", f"{domain.worth:.2f}"),
        ("Hosts", number(domain.hosts)),
        ("Pages", f"{number(domain.pages)}, {number(domain.good)} of them good"),
        ("Vouched for by", counted(domain.supporters, "domain")),
        ("Pages left today", left),
    ]
    rows += [("Against it", tag("ul", [tag("li", told) for told in domain.against]))] if domain.against else []
    return section("Its domain", facts(rows))


def _acts(host: HostLook) -> Html:
    name, back = host.host, f"/hosts/{host.host}"
    hidden = {"host": name}
    if host.standing is Standing.PAUSED:
        pause = asking("resume", "Resume", f"Take {name} up again?", hidden, back=back)
    else:
        pause = asking(
            "pause", "Pause", f"Leave {name} alone until it is resumed? Its queue is kept.", hidden, back=back
        )
    seconds = field(
        "seconds", "Seconds between requests", "", kind="number", min="0", step="any", placeholder="default"
    )
    return section(
        "What can be done",
        tag(
            "div",
            pause,
            asking(
                "recrawl",
                "See again",
                f"See the pages of {name} again as soon as politeness allows?",
                hidden,
                back=back,
            ),
            asking("retry", "Retry the dead", f"Try the URLs of {name} again that were given up?", hidden, back=back),
            asking(
                "allow",
                "Vouch for it",
                f"Vouch for the domain of {name}, as if it were a seed?",
                {"domain": name},
                back=back,
            ),
            asking(
                "block",
                "Block",
                f"Fetch nothing more of the domain of {name}, with all its hosts?",
                {"domain": name},
                level="danger",
                back=back,
            ),
            asking("rate", "Set", f"Visit {name} as often as that?", hidden, seconds, back=back),
            class_="acts",
        ),
        note="each asks first",
    )


def _queue(view: HostView) -> Html:
    items = [tag("li", url_link(url)) for url in view.next_urls]
    nothing = tag("p", "Nothing is queued.", class_="empty")
    host = view.judged.host.host
    every = tag("p", tag("a", "All its URLs", href=way("/url", prefix=host)))
    note = f"of {number(view.judged.host.urls.get('queued', 0))}"
    return section("Next in its queue", tag("ol", items, class_="urls") if items else nothing, every, note=note)


def _thoughts(view: HostView, now: float) -> Html:
    items = [tag("li", told) for told in in_words(view.judged, now)]
    closed = [(one.corner, one.why, time(one.closed_at, now), time(one.review_at, now)) for one in view.judged.closed]
    columns = [Column("Corner"), Column("Why"), Column("Closed"), Column("Looked at again")]
    traps = table("Traps closed", columns, closed, is_shown=True) if closed else None
    return section("What we think of it", tag("ul", items, class_="notes"), traps)


def _robots(view: HostView, now: float) -> Iterator[Html]:
    if not view.robots:
        yield tag("p", "It was not asked for yet; until it is, nothing of this host is fetched.", class_="empty")
    for one in view.robots:
        yield from _text(one, now)


def _text(one: RobotsText, now: float) -> Iterator[Html]:
    rows: list[tuple[str, Child]] = [
        ("Origin", one.origin),
        ("What holds", ACCESS.get(one.access, one.access)),
        (
            "Asked for",
            tag("span", time(one.fetched_at, now), f", status {one.status}" if one.status else ", no answer"),
        ),
        ("Good until", time(one.good_until, now)),
        ("Crawl-delay", "none for us" if one.crawl_delay is None else span(one.crawl_delay)),
    ]
    yield facts(rows)
    if one.text.strip():
        yield tag("pre", one.text, tabindex=0, role="region", aria_label=f"robots.txt of {one.origin}")
