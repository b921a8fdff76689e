"""What is main text and what is around it, line by line; both scanners."""

from __future__ import annotations

import pytest

from skitter.parse.main_text import LEAST, MOST_ASIDE
from skitter.parse.regions import HINTS
from skitter.parse.scanner import Scanner
from skitter.parse.shingles import MAX_BRIEF
from skitter.parse.tokens import ASIDES, HOLDERS
from tests.growth.clock import dearer

TEXT = "A spider spins a web, and waits in the middle of it."
MORE = "What touches the web is told from the wind by how it trembles."
SAID = f"<p>{TEXT}</p><p>{MORE}</p>"
LINK = "<a href=x>Home</a>"


def main(scan: Scanner, html: str) -> list[str]:
    """Returns the lines of the main text of a page, which must be short."""
    return scan(html.encode(), 0, 100, 100).brief.splitlines()


AROUND = {
    "nav": f"<nav>{LINK} and so on</nav>{SAID}",
    "footer": f"{SAID}<footer>All rights reserved, wherever that may be</footer>",
    "unclosed aside": f"{SAID}<aside>Did you know?<p>Well</aside",
    "choice": f"<select><option>Sunday<option>Monday</select>{SAID}",
    "nested": f"<div class=nav><div>a</div>Where to go</div>{SAID}",
    "class": f'<div class="page topNav wide">Where to go</div>{SAID}',
    "id": f"<ul id=breadcrumbs><li>You are here</ul>{SAID}",
    "role": f"<div role=navigation>Where to go</div>{SAID}",
    "header": f"<div id=header>A site about spiders</div>{SAID}",
    "links in a list": f"<ul><li>{LINK}<li>{LINK}<li>{LINK}</ul>{SAID}",
    "links in a table": f"<table><tr><td>{LINK}<td>{LINK}</table>{SAID}",
    "links in a line": f"<p>Next: {LINK}, Up: {LINK} [{LINK}]</p>{SAID}",
    "where one is": f"<ul><li>{LINK}<li>Spiders<li>{LINK}</ul>{SAID}",
    "main": f"<p>A site about all kinds of animals</p><main>{SAID}</main><p>With thanks to all who helped us</p>",
    "role of main": f"<p>A site about all kinds of animals</p><div role=MAIN><div></div>{SAID}</div>in the wild",
    "main ends an aside": f"<nav>{LINK} and so on <main>{SAID}</main>",
}


@pytest.mark.parametrize("html", AROUND.values(), ids=AROUND)
def test_what_is_around_the_main_text_is_no_part_of_it(html: str, scan: Scanner) -> None:
    assert main(scan, html) == [TEXT, MORE]


@pytest.mark.parametrize("tag", [*ASIDES, *HOLDERS], ids=bytes.decode)
def test_every_hint_counts_in_every_element_that_may_be_an_aside(tag: bytes, scan: Scanner) -> None:
    name = tag.decode()
    for hint in map(bytes.decode, HINTS):
        assert main(scan, f"<{name} class='x-{hint.upper()}2'>Beside all that</{name}>{SAID}") == [TEXT, MORE]


KEPT = {
    "a word that only begins like a hint": "<div class='naval unavailable'>Ships</div>",
    "a link in a sentence": f"<p>Spiders are also told of at {LINK}, in more words than here.</p>",
    "a link to a place on the page": "<h2><a href='#spiders'>Spiders</a></h2>",
    "the name of another page": f"<p><a href=x>{'Of spiders and men ' * 3}</a></p>",
    "few words between text": f"<p>{TEXT}</p><p>Legs: 8</p>",
}


@pytest.mark.parametrize("html", KEPT.values(), ids=KEPT)
def test_what_belongs_to_the_main_text_stays(html: str, scan: Scanner) -> None:
    page = SAID + html + SAID
    assert scan(page.encode(), 0, 100, 100).brief == scan(page.encode(), MAX_BRIEF, 100, 100).text


def test_in_the_main_element_a_header_is_that_of_the_text(scan: Scanner) -> None:
    assert main(scan, f"<main><div class=header>Spiders</div>{SAID}</main>") == ["Spiders", TEXT, MORE]


def test_what_only_looks_like_an_aside_is_none_if_it_says_much(scan: Scanner) -> None:
    for times in (1, 1 + MOST_ASIDE // len(TEXT.replace(" ", ""))):
        words = scan(f"<div class=has-sidebar>{f'<p>{TEXT}</p>' * times}</div>{SAID}".encode(), 0, 100, 100).said[0]
        assert (words > 100) == (times > 1)


def test_an_aside_that_its_tag_says_to_be_one_may_say_much(scan: Scanner) -> None:
    assert main(scan, f"<aside>{f'<p>{TEXT}</p>' * 60}</aside>{SAID}") == [TEXT, MORE]


def test_a_page_of_nothing_but_links_says_what_they_say(scan: Scanner) -> None:
    names = ["Spiders", "Scorpions", "Centipedes"]
    links = "".join(f"<p><a href=x>{name}</a>" for name in names)
    assert main(scan, f"<nav>{LINK}</nav>{links}") == names


def test_a_page_without_main_text_says_all_that_is_visible(scan: Scanner) -> None:
    assert main(scan, "<nav>Spiders</nav><footer>Scorpions</footer>") == ["Spiders", "Scorpions"]


def test_a_line_in_the_frame_of_its_site_is_not_taken_for_the_frame(scan: Scanner) -> None:
    line = "x" * LEAST
    assert main(scan, f"<main>{line}</main><p>{TEXT}") == [line]
    assert main(scan, f"<main>{line[1:]}</main><p>{TEXT}") == [line[1:], TEXT]
    assert main(scan, f"<ul><li>{LINK * 9}</ul>{line} {line}<ul><li>{LINK}</ul>") == [f"{line} {line}"]


def test_lists_of_links_are_told_apart_by_them_and_other_pages_are_not(scan: Scanner) -> None:
    def sketches(text: str) -> int:
        lists = ["".join(f"<li><a href=x>{animal}{n}</a>" for n in range(40)) for animal in ("ant", "bee")]
        return len({scan(f"{text}<ul>{one}</ul>".encode(), 0, 100, 100).sketch for one in lists})

    assert sketches(f"<p>{TEXT}") == 2
    assert sketches(SAID * 3) == 1


def test_only_a_short_main_text_is_kept_as_it_is(scan: Scanner) -> None:
    for length, kept in ((MAX_BRIEF, MAX_BRIEF), (MAX_BRIEF + 1, 0)):
        assert len(scan(("é" * length).encode(), 0, 100, 100).brief) == kept


TRAPS = {
    "mains": "<main>x</main>",
    "asides": "<nav>x</nav>",
    "open": "<div class=nav>",
    "links": "<a href=x>x",
    "lines in a link": "<p>x",
    "lines": "<p>some words",
    "classes": "<p><div class='a b-c d'>",
}


@pytest.mark.slow
@pytest.mark.parametrize("piece", TRAPS.values(), ids=TRAPS)
def test_time_grows_with_the_page_and_no_faster(piece: str, scan: Scanner) -> None:
    small, large = ((f"<a href=x>{piece * times}").encode() for times in (2_000, 16_000))
    bound = 16.0
    assert dearer(lambda: scan(small, 0, 9, 9), lambda: scan(large, 0, 9, 9), bound) <= bound
