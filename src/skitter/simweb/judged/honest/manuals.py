"""Documentation: a deep tree in several versions side by side, the reference of an API, and a wiki."""

from __future__ import annotations

from functools import partial

from skitter.simweb.draw import draws
from skitter.simweb.judged.part import Listed, Maker
from skitter.simweb.judged.prose import Prose
from skitter.simweb.judged.sheet import GOOD, Sheet, link, listed

VERSIONS = ("3.0", "3.1", "stable")
CHAPTERS, SECTIONS, LEAVES = 8, 6, 4
CHANGED = 5
"""One page in so many says something else in the next version; the others differ in a word and the version's name."""


def docs(name: str, prose: Prose, at: str = "/docs", chapters: int = CHAPTERS) -> Listed:
    """Returns a manual in several versions: tree, breadcrumb, previous and next page."""
    paths = [""]
    for chapter in range(chapters):
        paths.append(f"{prose.slug('chapter', chapter)}/")
        for section in range(SECTIONS):
            folder = f"{prose.slug('chapter', chapter)}/{prose.slug('section', chapter, section)}"
            paths += [
                f"{folder}/",
                *(f"{folder}/{prose.word('leaf', chapter, section, n)}.html" for n in range(LEAVES)),
            ]
    paths = list(dict.fromkeys(paths))
    pages: dict[str, Maker] = {}
    for version in VERSIONS:
        for number in range(len(paths)):
            pages[f"{at}/{version}/{paths[number]}"] = partial(_page, name, prose, at, version, number, paths)
    return Listed("docs", [(f"{at}/{version}/", f"Manual {version}") for version in VERSIONS], pages)


def _page(name: str, prose: Prose, at: str, version: str, number: int, paths: list[str]) -> Sheet:
    here, root = paths[number], f"{at}/{version}/"
    is_other = number % CHANGED == VERSIONS.index(version)
    text = prose.paragraphs(220, "page", number, version if is_other else "")
    text += f"<p>Since version {version}: {prose.text(9, 'since', number, version)}</p>"
    below = [path for path in paths if path.startswith(here) and _depth(path) == _depth(here) + 1]
    around = ((number - 1, "Previous"), (number + 1, "Next"))
    ways = [(root + paths[place], word) for place, word in around if 0 <= place < len(paths)]
    folders = here.rstrip("/").split("/")[:-1]
    crumbs = tuple((root + "/".join(folders[:end]) + "/", folders[end - 1]) for end in range(1, len(folders) + 1))
    first = next(one for place, one in enumerate(VERSIONS) if number % CHANGED != place)
    fact = GOOD if is_other or version == first else GOOD._replace(of=f"http://{name}{at}/{first}/{here}")
    html = f"{text}{listed([(root + path, path) for path in below])}<p>{' '.join(link(*way) for way in ways)}</p>"
    return Sheet(prose.title("page", number), html, fact, crumbs=((root, version), *crumbs))


def _depth(path: str) -> int:
    """Returns how far below the root of its version a page is."""
    return path.count("/") if path.endswith("/") else path.count("/") + 1 if path else 0


def reference(_name: str, prose: Prose, at: str = "/api", classes: int = 120) -> Listed:
    """Returns the reference of an API: pages of one template with a few words of their own each."""
    names = [word.capitalize() for word in prose.distinct(classes, "class")]
    pages: dict[str, Maker] = {f"{at}/": partial(_packages, prose, at, names)}
    for number, one in enumerate(names):
        pages[f"{at}/{one}.html"] = partial(_class, prose, at, names, number)
        for method in range(3):
            pages[f"{at}/{one}/{prose.word('method', number % 20, method)}.html"] = partial(_method, prose, one, method)
    return Listed("reference", [(f"{at}/", "Reference")], pages)


def _packages(prose: Prose, at: str, names: list[str]) -> Sheet:
    return Sheet("All classes", prose.paragraphs(40, "api") + listed([(f"{at}/{one}.html", one) for one in names]))


def _class(prose: Prose, at: str, names: list[str], number: int) -> Sheet:
    one = names[number]
    methods = [prose.word("method", number % 20, method) for method in range(3)]
    ways = [(f"{at}/{one}/{method}.html", method) for method in methods]
    ways.append((f"{at}/{names[(number + 1) % len(names)]}.html", "Next class"))
    return Sheet(f"Class {one}", f"<p>{prose.text(18, 'class', number)}</p>{listed(ways)}")


def _method(prose: Prose, one: str, method: int) -> Sheet:
    text = f"<pre>public void run({one} it)</pre><p>Returns: {prose.text(7, 'method', one, method)}</p>"
    return Sheet(f"{one}: method {method}", text)


def wiki(_name: str, prose: Prose, at: str = "/wiki", size: int = 400) -> Listed:
    """Returns a wiki: every page leads to a dozen others, and to categories."""
    titles = list(dict.fromkeys(prose.title("wiki", number).replace(" ", "_") for number in range(size)))
    pages: dict[str, Maker] = {f"{at}/{title}": partial(_entry, prose, at, titles, n) for n, title in enumerate(titles)}
    for number in range(0, len(titles), 40):
        shown, is_last = titles[number : number + 40], number + 40 >= len(titles)
        pages[f"{at}/Category:{number // 40}"] = partial(_category, prose, at, shown, number, is_last)
    return Listed("wiki", [(f"{at}/Category:0", "Wiki")], pages)


def _entry(prose: Prose, at: str, titles: list[str], number: int) -> Sheet:
    dice = draws(13, at, "wiki", number)
    text = prose.paragraphs(60 + dice[12] % 300, "wiki", number)
    ways = [(f"{at}/{titles[die % len(titles)]}", titles[die % len(titles)].replace("_", " ")) for die in dice[:12]]
    ways.append((f"{at}/Category:{number // 40}", "Category"))
    return Sheet(titles[number].replace("_", " "), text + listed(ways))


def _category(prose: Prose, at: str, titles: list[str], first: int, is_last: bool) -> Sheet:
    ways = [(f"{at}/{title}", title.replace("_", " ")) for title in titles]
    if not is_last:
        ways.append((f"{at}/Category:{first // 40 + 1}", "Next category"))
    return Sheet(f"Category {first // 40}", prose.paragraphs(20, "category", first) + listed(ways))


LANGUAGES = ("en", "de", "fr")


def languages(name: str, prose: Prose, at: str = "", size: int = 60) -> Listed:
    """Returns the same pages in three languages: alike in everything but their words, and no copies."""
    texts = {lang: prose if lang == "en" else Prose(name, lang) for lang in LANGUAGES}
    slugs = [prose.slug("translated", number) for number in range(size)]
    pages: dict[str, Maker] = {
        f"{at}/{lang}/{slug}": partial(_translated, texts, at, lang, slugs, number)
        for lang in LANGUAGES
        for number, slug in enumerate(slugs)
    }
    return Listed("languages", [(f"{at}/{lang}/{slugs[0]}", lang) for lang in LANGUAGES], pages)


def _translated(texts: dict[str, Prose], at: str, lang: str, slugs: list[str], number: int) -> Sheet:
    ways = [(f"{at}/{other}/{slugs[number]}", other) for other in texts if other != lang]
    ways += [(f"{at}/{lang}/{slugs[(number * 3 + step) % len(slugs)]}", "more") for step in (1, 2, 3)]
    html = f"<p>{number * 7919} – {number}</p>{texts[lang].paragraphs(140, 'translated', number)}{listed(ways)}"
    return Sheet(texts[lang].title("translated", number), html, lang=lang)
