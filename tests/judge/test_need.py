"""Which pages need a browser: built applications do, pages that are there do not."""

from __future__ import annotations

import pytest

from skitter.judge.need import (
    ENOUGH,
    EVERYWHERE,
    OFTEN,
    SHAPES,
    Measured,
    Need,
    after_rendering,
    is_certain,
    is_doubtful,
    is_worth_it,
    mark_of,
    measured,
    need_of,
)
from skitter.messages import Said
from skitter.parse import html
from skitter.settings import ParseSettings

URL = "http://a.test/app/1"
SHELLS = {
    "react": '<!doctype html><html lang="en"><head><meta charset="UTF-8"/><title>Vite + React</title><script type='
    '"module" crossorigin src="/assets/index-4sK8.js"></script></head><body><div id="root"></div></body></html>',
    "vue": '<!DOCTYPE html><html lang=""><head><title>Vite App</title><script type="module" crossorigin src="/assets/'
    'index-B7y.js"></script></head><body><div id="app"></div></body></html>',
    "svelte": "<!doctype html><html><head><title>Svelte</title><script type=module src=/assets/i.js></script></head>"
    '<body><div id="app"></div></body></html>',
    "preact": '<html><head><title>P</title></head><body><div id="app"></div><noscript>You need to enable JavaScript to '
    'run this app.</noscript><script src="/bundle.js" defer></script></body></html>',
    "lit": '<html><body><my-element></my-element><script type="module" src="/lit.js"></script></body></html>',
    "solid": "<html><body><noscript>No script, no app.</noscript><div id=root></div><script>window.x=1</script><script "
    "src=/solid.js></script></body></html>",
}
WORDS = "It says something that is worth reading, and goes on for a while. "
FORUM = f"<html><body><noscript>{WORDS * 30}</noscript><script src=/ember.js></script></body></html>"
COMPLETE = f"<html><body><p>{WORDS * 30}</p><script src=/menu.js></script></body></html>"
SHORT = "<html><body><p>Gone fishing.</p></body></html>"
DATA = '<html><body><p>Short.</p><script type="application/ld+json">{"@type": "Thing"}</script></body></html>'
LITTLE = f"<html><body><p>{WORDS * 12}</p><script src=/a.js></script></body></html>"


def needs(page: str, url: str = URL, learnt: dict[str, tuple[int, int]] | None = None) -> Need | None:
    """Returns what a crawl would find: the bytes are looked at only of pages that are doubtful."""
    read = html.read(page.encode(), url, (), ParseSettings(), "skitter", has_text=False)
    followed = len(read.links)
    return need_of(measured(page.encode()), followed, url, learnt or {}) if is_doubtful(read.said, followed) else None


@pytest.mark.parametrize("name", SHELLS)
def test_built_applications_are_told(name: str) -> None:
    assert needs(SHELLS[name]) is Need.EMPTY


@pytest.mark.parametrize("page", [FORUM, COMPLETE, SHORT, DATA], ids=["noscript", "complete", "no script", "data"])
def test_pages_that_are_there_are_left_alone(page: str) -> None:
    assert all(needs(page, f"http://a.test/{number}") is None for number in range(50))


def test_many_links_are_a_page_too() -> None:
    links = "".join(f"<a href=/{number}>to</a> " for number in range(40))
    assert needs(f"<html><body>{links}<script src=/a.js></script></body></html>") is None


def test_of_those_that_may_be_empty_a_few_are_tried() -> None:
    found = [needs(LITTLE, f"http://a.test/{number}") for number in range(200)]
    assert set(found) == {None, Need.SAMPLE}
    assert 5 <= found.count(Need.SAMPLE) <= 40


def test_what_rendering_brought_is_learnt_by_shape() -> None:
    learnt: dict[str, tuple[int, int]] = {}
    for number in range(ENOUGH):
        learnt = after_rendering(learnt, f"http://a.test/app/{number}", was_worth_it=True)
    assert is_certain("http://a.test/app/99", learnt)
    assert not is_certain("http://a.test/doc/99", learnt)
    assert needs(LITTLE, "http://a.test/app/7", learnt) is Need.LEARNT
    mixed = after_rendering(learnt, "http://a.test/app/3", was_worth_it=False)
    assert not is_certain("http://a.test/app/99", mixed)


def test_where_it_brought_nothing_only_few_are_tried_again() -> None:
    learnt: dict[str, tuple[int, int]] = {}
    for number in range(ENOUGH):
        learnt = after_rendering(learnt, f"http://a.test/app/{number}", was_worth_it=False)
    found = [needs(SHELLS["react"], f"http://a.test/app/{number}", learnt) for number in range(300)]
    assert 1 <= found.count(Need.EMPTY) <= 40


def test_what_is_learnt_of_a_host_is_bounded() -> None:
    learnt: dict[str, tuple[int, int]] = {}
    for number in range(3 * SHAPES):
        learnt = after_rendering(learnt, f"http://a.test/{'x' * (number + 1)}", was_worth_it=True)
    assert len(learnt) == SHAPES + 1  # and what holds for all of them
    assert learnt[EVERYWHERE] == (3 * SHAPES, 3 * SHAPES)
    assert mark_of(f"http://a.test/{'x' * 3 * SHAPES}") in learnt


@pytest.mark.parametrize(("words", "links", "worth"), [(0, 0, False), (19, 0, False), (20, 0, True), (-5, 1, True)])
def test_what_makes_a_rendering_worth_it(words: int, links: int, worth: bool) -> None:
    assert is_worth_it(words, links) is worth


def test_a_long_text_is_not_looked_at() -> None:
    assert not is_doubtful(Said(words=400), 0)
    assert is_doubtful(Said(), 0)
    assert not is_doubtful(Said(words=100, brief="x" * 600), 10)


def test_what_is_hidden_is_no_text() -> None:
    page = b"<title>t</title><style>a{}</style><!-- no --><script>var a = 'no'</script><p>a &amp;  b</p>"
    assert measured(page) == Measured(5, has_script=True)


SHELL = SHELLS["react"]
UP = "".join(f"<a href=/{number}>Up</a> " for number in range(7))
REFERENCE = f"<html><body>{UP}<p>{WORDS * 5}</p><script src=/search.js></script></body></html>"
"""A page of a manual, as there are thousands in one that is made by a program: short, whole, and with a script."""


def test_short_pages_with_links_are_tried_now_and_then() -> None:
    told = [needs(REFERENCE, f"http://a.test/{number}") for number in range(1000)]
    assert set(told) == {None, Need.SAMPLE}
    assert 50 < 1000 - told.count(None) < 150


def test_a_host_where_browsers_bring_nothing_is_known_whatever_the_shapes() -> None:
    learnt: dict[str, tuple[int, int]] = {}
    for number in range(OFTEN):
        assert needs(SHELL, f"http://a.test/{'x' * (number + 1)}.html", learnt) is Need.EMPTY
        learnt = after_rendering(learnt, f"http://a.test/{'x' * (number + 1)}.html", was_worth_it=False)
    told = [needs(SHELL, f"http://a.test/page-{number}-{'y' * (number % 50)}.html", learnt) for number in range(1000)]
    assert 10 < 1000 - told.count(None) < 70, "hardly one is tried again, and some are"
    learnt = {EVERYWHERE: (OFTEN, OFTEN)}
    assert needs(REFERENCE, URL, learnt) is Need.LEARNT
