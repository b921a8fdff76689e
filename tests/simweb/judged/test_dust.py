"""Copies: other forms of a page say what it says, and on look-alikes they say something else."""

from __future__ import annotations

import re

import pytest

from skitter.simweb.judged.dust import RULES, dusty
from skitter.simweb.judged.prose import Prose
from skitter.simweb.judged.sheet import Sheet, What
from skitter.simweb.judged.webs import mirror_web
from tests.simweb.judged.walker import asked


def text_of(sheet: Sheet | None) -> list[str]:
    assert sheet is not None
    return re.findall(r"<p>(.*?)</p>", sheet.html)


@pytest.mark.parametrize("kind", RULES)
def test_an_alias_says_what_its_page_says(kind: str) -> None:
    part = dusty(kind, "a.test", Prose(1), size=20)
    aliases = [target for target in part._others if part.look(target)]
    assert len(aliases) == 20 * len(RULES[kind].forms)
    for target in aliases:
        sheet = part.look(target)
        assert sheet is not None
        assert sheet.fact.what is What.ALIAS
        assert text_of(sheet) == text_of(part.look(sheet.fact.of.removeprefix("http://a.test")))


@pytest.mark.parametrize("kind", RULES)
def test_on_a_look_alike_every_form_is_a_page_of_its_own(kind: str) -> None:
    part = dusty(kind, "a.test", Prose(1), changed=1, size=20)
    texts = ["".join(text_of(part.look(target))) for target in part.good()]
    assert len(set(texts)) == len(texts) == 20 * (1 + len(RULES[kind].forms))


def test_a_mirror_has_the_pages_and_the_home_page_of_its_host() -> None:
    web = mirror_web(size=20)
    for path in ("/", next(url for url, name in web.good() if name == "mirror-holds.test" and "html" in url)[24:]):
        fact = web.fact(f"http://copy-of-holds.test{path}")
        assert (fact.what, fact.of) == (What.ALIAS, f"http://mirror-holds.test{path}")
        mine, theirs = (asked(web, f"http://{name}.test{path}").body for name in ("copy-of-holds", "mirror-holds"))
        assert mine.replace(b"copy-of-holds", b"mirror-holds") == theirs.replace(b"copy-of-holds", b"mirror-holds")
