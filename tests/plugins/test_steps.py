"""Who is asked what, in which order, and what their words come to for a page."""

from __future__ import annotations

from collections.abc import Sequence

from skitter.messages import Discovered, Errand, Fetched, Lease, Link, LinkKind, Reason, Verdict
from skitter.plugins.calls import Answer, Call, Fault, LookAt, OnPage, OnUrls, Trouble, Weigh
from skitter.plugins.meaning import is_page, with_looked, with_weighed
from skitter.plugins.steps import Looked, Steps, Weighed, looking, weighing
from skitter.ports import Advice, Remark
from skitter.reading.meaning import Reading, Rules
from skitter.reading.seen import SeenPage, SeenUrl
from skitter.settings import Settings
from skitter.url.canon import Canon
from skitter.url.keys import fingerprint
from skitter.url.scope import Scope

RULES = Rules(Settings(), Canon(), Scope(Settings().scope))
PAGE = SeenPage("http://a/", media_type="text/html")
URLS = [SeenUrl(f"http://a/{name}", "a") for name in "bcd"]


class Said:
    """A plug-in that answers by a list, and keeps what it was asked."""

    def __init__(self, label: str, *answers: Answer, types: Sequence[str] = ()) -> None:
        self.label = label
        self._answers = list(answers)
        self._types = types
        self.asked: list[Call] = []

    def takes(self, media_type: str, *, is_read: bool) -> bool:
        return media_type in self._types if self._types else is_read

    def ask(self, call: Call) -> Answer:
        self.asked.append(call)
        return self._answers.pop(0)


def looked(*plugins: Said, is_read: bool = True) -> Looked:
    steps: Steps[Said, Looked] = looking(plugins, PAGE, is_read=is_read)
    try:
        plugin, call = next(steps)
        while True:
            plugin, call = steps.send(plugin.ask(call))
    except StopIteration as end:
        found: Looked = end.value
        return found


def weighed(*plugins: Said) -> Weighed:
    steps: Steps[Said, Weighed] = weighing(plugins, URLS)
    try:
        plugin, call = next(steps)
        while True:
            plugin, call = steps.send(plugin.ask(call))
    except StopIteration as end:
        found: Weighed = end.value
        return found


def test_fields_add_up_and_the_next_one_sees_them() -> None:
    first, second = Said("a", OnPage(Remark(fields={"x": "1"}))), Said("b", OnPage(Remark(fields={"y": "2"})))
    found = looked(first, second)
    assert found == Looked({"x": "1", "y": "2"}, True, True, [], [])
    assert isinstance(second.asked[0], LookAt)
    assert second.asked[0].page.fields == {"x": "1"}


def test_one_no_is_enough_and_a_trouble_is_none() -> None:
    found = looked(
        Said("a", OnPage(Remark(follow=False, reason="thin"))),
        Said("b", Trouble(Fault.HUNG, "was not done")),
        Said("c", OnPage(Remark(keep=False))),
        Said("d", OnPage(None)),
    )
    assert (found.follow, found.keep) == (False, False)
    assert found.marks == ["a:thin", "b:hung", "c:dropped"]
    assert found.evidence == ["a says thin", "b was not done", "c says dropped"]
    assert looked(Said("a", Trouble(Fault.ERROR, "x"))) == Looked({}, True, True, ["a:error"], ["a raised x"])


def test_what_nobody_can_read_is_shown_to_those_who_ask_for_it() -> None:
    pictures, others = Said("a", OnPage(None), types=("text/html",)), Said("b")
    looked(pictures, others, is_read=False)
    assert (len(pictures.asked), len(others.asked)) == (1, 0)


def test_weights_multiply_and_what_is_refused_is_not_asked_again() -> None:
    first = Said("a", OnUrls([Advice(refuse="no"), Advice(weight=0.5), None]))
    second = Said("b", OnUrls([Advice(weight=0.5), None]))
    found = weighed(first, second, Said("c", Trouble(Fault.OFF, "is off")))
    assert found == Weighed({0: "a:no"}, {1: 0.25}, ["c:off"], ["c is off"])
    assert isinstance(second.asked[0], Weigh)
    assert [one.url for one in second.asked[0].urls] == ["http://a/c", "http://a/d"]


def reading() -> Reading:
    links = [Link(f"http://a/{name}", "a", LinkKind.NAVIGATION, False, "") for name in "bcd"]
    found = [Discovered(link.url, "a", fingerprint(link.url), 1, 0.4) for link in links]
    return Reading(found=found, links=links, known=3, abroad={"x": 0}, vouched=["x"])


def test_a_page_that_is_dropped_leads_nowhere() -> None:
    read = with_looked(reading(), Looked({"x": "1"}, False, False, ["a:no"], ["a says no"]))
    assert (read.found, read.known, read.vouched, read.abroad) == ((), 0, (), {})
    assert read.refused == dict.fromkeys(range(3), Reason.PLUGIN)
    assert read.marks == dict.fromkeys(range(3), "a:no")
    assert read.verdict == Verdict(False, [Reason.PLUGIN], {Reason.PLUGIN: "a says no"}, keep=False, marks=["a:no"])
    assert read.fields == {"x": "1"}


def test_a_page_that_only_has_fields_is_as_it_was() -> None:
    read = with_looked(reading(), Looked({"x": "1"}, True, True, [], []))
    assert (read.verdict, len(read.found), read.fields) == (Verdict(), 3, {"x": "1"})


def test_links_are_refused_where_they_are_and_others_weighed() -> None:
    read = with_weighed(reading(), Weighed({1: "a:no"}, {0: 0.5, 2: 1000.0}, [], []), RULES)
    assert [(one.href, one.priority) for one in read.found] == [("http://a/b", 0.2), ("http://a/d", 1.0)]
    assert (read.refused, read.marks, len(read.links)) == ({1: Reason.PLUGIN}, {1: "a:no"}, 3)
    assert read.verdict == Verdict()


def test_what_a_list_leads_to_becomes_a_link_when_it_is_refused() -> None:
    listed = Reading(found=[Discovered("http://a/b", "a", fingerprint("http://a/b"), 1, 0.4)], listed="urlset")
    read = with_weighed(listed, Weighed({0: "a:no"}, {}, [], []), RULES)
    assert (read.found, [link.url for link in read.links]) == ([], ["http://a/b"])
    assert (read.refused, read.marks) == ({0: Reason.PLUGIN}, {0: "a:no"})


def test_only_pages_are_shown() -> None:
    lease = Lease("http://a/", "a", Errand.PAGE, 0.0)
    good = Fetched(lease, 0.0, 0.0, status=200)
    assert is_page(good, Reading())
    assert not is_page(good, Reading(listed="feed"))
    assert not is_page(good, Reading(reason=Reason.NO_SITEMAP))
    assert not is_page(Fetched(lease, 0.0, 0.0, status=301), Reading())
    robots = Lease("http://a/robots.txt", "a", Errand.ROBOTS, 0.0)
    assert not is_page(Fetched(robots, 0.0, 0.0, status=200), Reading())
