"""Sites on which one page has several URLs by a rule, and look-alikes on which each URL is another page."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from skitter.simweb.judged.part import Listed, Maker
from skitter.simweb.judged.prose import Prose
from skitter.simweb.judged.sheet import GOOD, Fact, Sheet, What, away, listed
from skitter.simweb.judged.site import Site

PAGES = 240


class Rule(NamedTuple):
    """How a page's other forms are made. `forms` are formats of its folder, name and a mark."""

    page: str  # format of the page itself
    forms: tuple[str, ...]
    is_printed: bool = False  # other forms have no template around them


RULES: dict[str, Rule] = {
    "parameter": Rule("/{f}/{n}", ("/{f}/{n}?ref=menu", "/{f}/{n}?ref=top{m}", "/{f}/{n}?ref=foot")),
    "parameter_beside": Rule(
        "/view?id={n}", ("/view?id={n}&from=list", "/view?id={n}&from=home", "/view?from=x{m}&id={n}")
    ),
    "print_suffix": Rule("/{f}/{n}.html", ("/{f}/{n}.html/print",), is_printed=True),
    "amp_suffix": Rule("/{f}/{n}/", ("/{f}/{n}/amp/",), is_printed=True),
    "session": Rule("/{f}/{n}", ("/{f}/{n};s={m}a", "/{f}/{n};s={m}b", "/{f}/{n};s={m}c")),
    "folder": Rule("/{f}/{n}", ("/m/{f}/{n}",)),
    "view": Rule("/{f}/{n}.php", ("/{f}/{n}.php?view=full", "/{f}/{n}.php?view=normal")),
}
CHANGED = {"sometimes": 10, "always": 1}
"""Of the look-alikes: one page in so many is another one in its other forms."""


def dusty(kind: str, name: str, prose: Prose, *, changed: int = 0, size: int = PAGES) -> Listed:
    """Returns pages with other forms by a rule; with `changed` one in so many says something else in each form."""
    rule = RULES[kind]
    pages: dict[str, Maker] = {}
    others: dict[str, Maker] = {}
    for number in range(size):
        form = partial(_form, prose, number=number)
        pages[form(rule.page)] = partial(_page, prose, rule, number, size, "", GOOD)
        for style in rule.forms:
            if changed and number % changed == 0:
                pages[form(style)] = partial(_page, prose, rule, number, size, style, GOOD)
            else:
                fact = Fact(What.ALIAS, kind, f"http://{name}{form(rule.page)}")
                others[form(style)] = partial(_page, prose, rule, number, size, style, fact)
    return Listed(f"dust {kind}", [(_form(prose, rule.page, number=0), "All")], pages, others)


def _form(prose: Prose, style: str, number: int) -> str:
    return style.format(f=prose.word("folder", number % 5), n=number, m=f"{number * 7919 % 9973:04x}")


def _page(prose: Prose, rule: Rule, number: int, size: int, style: str, fact: Fact) -> Sheet:
    """Returns a page: its links lead to all forms of some others."""
    text = ("other", style) if style and fact.what is What.GOOD else ()
    near = [(number * 3 + step) % size for step in (1, 2, 3)] + [(number + 1) % size]
    ways = [_form(prose, one, number=other) for other in near for one in (rule.page, *rule.forms)]
    ways += [_form(prose, one, number=number) for one in (rule.page, *rule.forms)]
    html = prose.paragraphs(130, "dust", number, *text) + listed([(way, f"No. {way[-9:]}") for way in ways])
    title = prose.title("dust", number, *text)
    is_bare = rule.is_printed and bool(style)
    return Sheet(title, f"<title>{title}</title><h1>{title}</h1>{html}" if is_bare else html, fact, is_bare=is_bare)


def mirrored(name: str, mirror: str, prose: Prose, *, changed: int = 0, size: int = PAGES) -> tuple[Listed, Listed]:
    """Returns the pages of two hosts that say the same, but for one in `changed`, and lead to one another."""
    mine: dict[str, Maker] = {}
    copies: dict[str, Maker] = {}
    theirs: dict[str, Maker] = {}
    for number in range(size):
        path = f"/{prose.word('folder', number % 5)}/{number}.html"
        mine[path] = partial(_mirror, prose, mirror, number, size, GOOD)
        if changed and number % changed == 0:
            theirs[path] = partial(_mirror, prose, name, number, size, GOOD, "other")
        else:
            copies[path] = partial(
                _mirror, prose, name, number, size, Fact(What.ALIAS, "mirror", f"http://{name}{path}")
            )
    entrance = [(next(iter(mine)), "All")]
    return Listed("dust mirror", entrance, mine), Listed("dust mirror", entrance, theirs, copies)


def _mirror(prose: Prose, other: str, number: int, size: int, fact: Fact, *text: str) -> Sheet:
    near = [(number * 4 + step) % size for step in (1, 2, 3, 4)]
    paths = [f"/{prose.word('folder', one % 5)}/{one}.html" for one in near]
    ways = [(path, path) for path in paths] + [(away(other, paths[0]), "Mirror")]
    return Sheet(prose.title("dust", number, *text), prose.paragraphs(130, "dust", number, *text) + listed(ways), fact)


def dust_sites(*key: object, size: int = PAGES) -> list[Site]:
    """Returns a site for each rule within a site, and look-alikes of each on which the rule does not hold."""
    sites = []
    for kind in RULES:
        for style, changed in {"holds": 0, **CHANGED}.items():
            name = f"{kind.replace('_', '-')}-{style}.test"
            part = dusty(kind, name, Prose(*key, name, "dust"), changed=changed, size=size)
            sites.append(Site(name, [part], *key))
    return sites


def mirror_sites(*key: object, size: int = PAGES) -> list[Site]:
    """Returns a site and its mirror, and two look-alikes: hosts that are alike but for some pages, or in nothing."""
    sites = []
    for style, changed in {"holds": 0, **CHANGED}.items():
        name, mirror = f"mirror-{style}.test", f"copy-of-{style}.test"
        parts = mirrored(name, mirror, Prose(*key, name, "dust"), changed=changed, size=size)
        sites += [Site(name, [parts[0]], *key), Site(mirror, [parts[1]], *key, mirrors=name)]
    return sites
