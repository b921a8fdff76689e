"""Small pages of each kind, written by hand, and what a reader came for and did not come for on each."""

from __future__ import annotations

from typing import NamedTuple


class Example(NamedTuple):
    """A page, and lines that must be in its main text or must not."""

    html: str
    kept: tuple[str, ...]
    dropped: tuple[str, ...]


HEADER = """<header class="site-header"><a href="/">The Harbour Post</a>
<nav class="main-nav"><ul><li><a href="/news">News</a></li><li><a href="/boats">Boats</a></li>
<li><a href="/tides">Tides</a></li><li><a href="/contact">Contact</a></li></ul></nav></header>"""

FOOTER = """<footer class="site-footer"><ul><li><a href="/terms">Terms of use</a></li>
<li><a href="/privacy">Privacy policy</a></li><li><a href="/jobs">Careers</a></li></ul>
<p>© 2026 The Harbour Post. All rights reserved.</p></footer>
<div class="cookie-banner" role="dialog"><p>We use cookies to give you the best experience on our site.</p>
<button>Accept all</button></div>"""

PARAGRAPHS = (
    "The old lighthouse at the mouth of the river was lit again last night, after eleven years of darkness, and "
    "the whole "
    "village came out to see it turn.",
    "Engineers had worked on the lamp since the spring, replacing its gears one by one, because nobody makes "
    "parts for a "
    "machine of that age any more.",
    "The keeper, who is eighty-one, said that he had never doubted it: a light that was built to last two "
    "hundred years "
    "may well rest for ten of them, he said, and laughed.",
    "From now on the lamp will be lit every evening between October and March, and visitors can climb the tower on "
    "Sundays, if the wind allows it.",
)


def page(body: str, title: str, head: str = "") -> str:
    head = f"<head><title>{title}</title>{head}</head>"
    return f"<!doctype html><html lang=en>{head}<body>{HEADER}{body}{FOOTER}</body></html>"


ARTICLE = Example(
    page(
        '<main><div class="breadcrumbs"><a href="/">Home</a> › <a href="/news">News</a></div>'
        '<article class="post"><h1>The lighthouse is lit again</h1>'
        '<div class="share-bar"><a href="#">Share on Facebook</a> <a href="#">Tweet</a></div>'
        f'<div class="entry-content"><p>{PARAGRAPHS[0]}</p><p>{PARAGRAPHS[1]}</p><h2>The keeper</h2>'
        f"<p>{PARAGRAPHS[2]}</p><blockquote><p>{PARAGRAPHS[3]}</p></blockquote></div></article>"
        '<div class="related-posts"><h3>Related stories</h3><ul><li><a href="/a">Ten harbours to see before '
        "winter</a></li>"
        '<li><a href="/b">The ferry gets a new engine</a></li><li><a href="/c">How to tie a bowline</a></li></ul></div>'
        '<div class="newsletter-signup"><form><p>Subscribe to our newsletter</p><input type=email><button>Sign '
        "up</button>"
        "</form></div></main>",
        "The lighthouse is lit again | The Harbour Post",
        '<meta name=description content="A lamp turns after eleven years."><meta property="og:type" content="article">',
    ),
    (*PARAGRAPHS, "The keeper"),
    (
        "Tides",
        "Share on Facebook",
        "Ten harbours to see",
        "Subscribe to our",
        "All rights reserved",
        "We use cookies",
        "Accept all",
    ),
)

_POST = """<div class="post" id="post-{number}"><div class="post-author"><a href="/u/{name}">{name}</a></div>
<div class="post-date">March {number}, 2026</div><div class="post-body"><p>{text}</p></div>
<div class="post-controls"><a href="#">Reply</a> <a href="#">Report</a></div></div>"""

REPLIES = (
    "My outboard starts well when it is cold, but after an hour on the water it dies and will not start again until it "
    "has rested. What should I look at first?",
    "That sounds like fuel. Check whether the vent of the tank is open: if it is closed, the pump draws against "
    "a vacuum "
    "and gives up after a while.",
    "I had the same with mine, and it was the coil. They fail when they are hot and work again when they have "
    "cooled down.",
    "It was the vent, thank you both. I had closed it on the trailer and forgot to open it again.",
)

FORUM = Example(
    page(
        '<div id="content"><h1>Engine dies when warm</h1><div class="topic">'
        + "".join(
            _POST.format(number=number + 1, name=name, text=text)
            for number, (name, text) in enumerate(zip(("mira", "old_salt", "jonas", "mira"), REPLIES, strict=True))
        )
        + '</div></div><div class="sidebar"><h4>Similar topics</h4><ul><li><a href="/t/1">Best oil for winter</a></li>'
        '<li><a href="/t/2">Propeller sizes</a></li></ul></div>',
        "Engine dies when warm - Boat Forum",
    ),
    REPLIES,
    ("Tides", "Propeller sizes", "Privacy policy", "Accept all"),
)

DOCUMENTATION = Example(
    page(
        '<div class="sidebar toc"><ul><li><a href="1">Getting started</a></li><li><a href="2">Commands</a></li>'
        '<li><a href="3">Glossary</a></li></ul></div><main><h1>Reading the tide table</h1>'
        "<p>The command <code>tide</code> prints the heights of the water for a harbour and a day, one line for "
        "each hour.</p>"
        "<pre>tide --harbour north --day 2026-03-01\ntide --list</pre>"
        "<p>Without a harbour it takes the one that was given last, and without a day it takes today.</p>"
        "<h2>Options</h2><table><tr><th>Option</th><th>Meaning</th></tr><tr><td>--harbour</td>"
        "<td>The name of a harbour, as the list prints it</td></tr><tr><td>--day</td><td>A day, written as in "
        "the example above"
        '</td></tr></table></main><div class="pager"><a href="p">Previous: Install</a> <a href="n">Next: '
        "Currents</a></div>",
        "Reading the tide table — Tides documentation",
    ),
    ("prints the heights of the water", "tide --list", "Options", "as the list prints it"),
    ("Getting started", "Glossary", "Privacy policy", "Accept all"),
)

_CARD = """<div class="product-card"><a href="/p/{name}"><img src="x.jpg"><h3 class="card-title">{name}</h3></a>
<p class="card-text">{text}</p><span class="price">{price}.00 €</span></div>"""

CARDS = (
    ("Storm lantern", "Brass and thick glass, burns forty hours on one filling of oil", 39),
    ("Deck brush", "Beech wood with bristles of coconut, for salt and tar", 12),
    ("Signal flag set", "All twenty-six letters and ten numerals, sewn cotton", 89),
    ("Rope, ten metres", "Three strands of hemp, tarred, with an eye spliced at one end", 24),
    ("Sextant", "A working copy of an instrument of 1880, with a case of oak", 240),
    ("Barometer", "Aneroid, tested at sea level, with a ring of copper around it", 75),
)

COLLECTION = Example(
    page(
        '<main><h1>For the boat</h1><p class="collection-description">Things that we use ourselves on the water '
        "and would "
        'not sail without, made by people whom we know.</p><div class="product-grid">'
        + "".join(_CARD.format(name=name, text=text, price=price) for name, text, price in CARDS)
        + "</div></main>",
        "For the boat – Harbour Shop",
    ),
    ("Things that we use ourselves", *(text for _, text, _ in CARDS)),
    ("Tides", "Privacy policy", "We use cookies", "Accept all"),
)

PRODUCT = Example(
    page(
        '<main><div class="product"><h1 class="product-title">Storm lantern</h1><span class="price">39.00 €</span>'
        '<button class="add-to-cart">Add to cart</button><div class="product-description"><h2>Description</h2>'
        "<p>A lantern of brass and thick glass that burns for forty hours on one filling of oil and does not go "
        "out in the "
        "rain.</p><p>It is made in a workshop by the sea, where each one is tested in a tub of salt water.</p>"
        "<ul><li>Height: 32 cm, weight: 1.4 kg</li><li>Brass, glass, cotton wick</li></ul></div></div>"
        '<section class="recommended-products"><h2>You may also like</h2><ul><li><a href="/p/1">Deck brush</a></li>'
        '<li><a href="/p/2">Signal flag set</a></li><li><a href="/p/3">Sextant</a></li></ul></section></main>',
        "Storm lantern – Harbour Shop",
        '<meta property="og:type" content="product">',
    ),
    ("A lantern of brass and thick glass", "tested in a tub of salt water", "Brass, glass, cotton wick"),
    ("Tides", "Signal flag set", "Privacy policy", "Accept all"),
)

SERVICE = Example(
    page(
        '<main><section class="hero"><h1>Hulls cleaned while you sleep</h1><p>Our divers clean your boat at its berth, '
        "overnight, from the waterline to the keel.</p></section><section><h2>How it works</h2><p>You tell us "
        "where your "
        "boat is and when you want to sail. We come after sunset, work quietly, and send you pictures of the "
        "hull before "
        "breakfast.</p></section><section><h2>What it costs</h2><p>A boat of up to ten metres is cleaned for "
        "ninety euros, "
        "each further metre costs eight. There is nothing to sign and nothing to cancel.</p></section></main>",
        "Hulls cleaned while you sleep",
    ),
    ("Our divers clean your boat", "We come after sunset", "each further metre costs eight"),
    ("Tides", "Privacy policy", "We use cookies", "Accept all"),
)

_ENTRY = """<article class="teaser"><h2><a href="/{number}">{title}</a></h2>
<div class="meta">By Ida Holm, {number} March</div>
<p class="excerpt">{text}</p><a class="read-more" href="/{number}">Read more</a></article>"""

ENTRIES = (
    (
        "The lighthouse is lit again",
        "After eleven years the lamp at the mouth of the river turns, and the village watches.",
    ),
    (
        "A ferry for the islands",
        "The new boat is slower than the old one, but it sails in weather that kept the other in.",
    ),
    ("Herring are back", "Nobody knows why they left, and nobody knows why they came, but the nets are full again."),
    (
        "Who owns the old pier?",
        "Three families, a bank and the town have papers that say it is theirs, and all are right.",
    ),
    ("Ice in the harbour", "For the first time since the winter of the long frost, one could walk to the breakwater."),
)

LISTING = Example(
    page(
        '<main><h1>News from the coast</h1><div class="post-list">'
        + "".join(
            _ENTRY.format(number=number, title=title, text=text) for number, (title, text) in enumerate(ENTRIES, 1)
        )
        + '</div><div class="pagination"><a href="?page=2">2</a> <a href="?page=3">3</a></div></main>',
        "News from the coast | The Harbour Post",
    ),
    tuple(part for entry in ENTRIES for part in entry),
    ("Tides", "Privacy policy", "We use cookies", "Accept all"),
)

EXAMPLES = {
    "article": ARTICLE,
    "forum": FORUM,
    "documentation": DOCUMENTATION,
    "listing": LISTING,
    "collection": COLLECTION,
    "product": PRODUCT,
    "service": SERVICE,
}
