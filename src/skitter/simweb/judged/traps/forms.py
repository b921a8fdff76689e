"""Traps in which one page has forms without number: sessions, echoes, relative links, parameters that grow."""

from __future__ import annotations

from html import escape
from urllib.parse import quote

from skitter.simweb.judged.sheet import Sheet, moved
from skitter.simweb.judged.traps.ground import WASTE, Ground, split

PAGES = 25
"""Pages of a corner that shows some few under ever new URLs."""


def session_in_query(ground: Ground, rest: str) -> Sheet:
    """Returns one of a few pages; each link to another has a new id in its query."""
    pieces, _ = split(rest)
    name = ground.one("visit", "tok", "uid", "s", "ssn", "_t")
    ways = [(f"{ground.at}{n}?{name}={ground.mark(rest, n)}", ground.prose.title("leaf", n)) for n in range(PAGES)]
    return _leaf(ground, pieces[0] if pieces else "", ways)


def session_in_path(ground: Ground, rest: str) -> Sheet:
    """Returns one of a few pages; each link to another has a new id in its path."""
    style = ground.one("{n};s={m}", "{m}/{n}", "s-{m}/page/{n}", "{n}/v/{m}")
    page = next((one for piece in split(rest)[0] if (one := piece.partition(";")[0]).isdecimal() and len(one) < 4), "")
    ways = [(ground.at + style.format(n=n, m=f"x{ground.mark(rest, n)}"), str(n)) for n in range(PAGES)]
    return _leaf(ground, page, ways)


def _leaf(ground: Ground, name: str, ways: list[tuple[str, str]]) -> Sheet:
    return ground.page(ground.prose.title("leaf", name), ground.prose.paragraphs(90, "leaf", name), ways)


def deeper(ground: Ground, _rest: str) -> Sheet:
    """Returns a page whose relative link forgot its slash."""
    return ground.page("News", ground.prose.paragraphs(60, "deeper"), [("more/", "More"), (ground.at, "Back")])


def deeper_by_turns(ground: Ground, rest: str) -> Sheet:
    """Returns a page of a few, whose menu is relative: each leads deeper by its name."""
    names = [ground.prose.word("menu", number) for number in range(4)]
    last = next(iter(split(rest)[0][::-1]), "")
    return ground.page(
        last or "Start", ground.prose.paragraphs(60, "menu", last), [(f"{name}/", name) for name in names]
    )


def echo(ground: Ground, rest: str) -> Sheet:
    """Returns a page that says its own URL, and leads on to what follows from it."""
    base = (ground.at + rest).partition("?")[0].rstrip("/")
    words = [ground.prose.word("echo", rest, number) for number in range(3)]
    ways = [(f"{base}/{word}", f"{rest} {word}") for word in words] + [(f"{base}/?about={quote(rest)}", "About")]
    html = f"<p>You asked for <b>{escape(rest)}</b>.</p><p>{ground.prose.text(20, 'echo')}</p>"
    return ground.page(f"Echo {rest}", html, ways)


def redirects(ground: Ground, rest: str) -> Sheet:
    """Returns a redirect to a URL that nobody has seen; now and then a page, with links to more of them."""
    if not rest or ground.dice(1, "page", rest)[0] % 6 == 0:
        ways = [(f"{ground.at}go/{ground.mark(rest, n)}", f"Way {n}") for n in range(5)]
        return ground.page("Please wait", ground.prose.paragraphs(20, "wait"), ways)
    return moved(f"{ground.at}go/{ground.mark(rest)}", WASTE)


def endless_redirects(ground: Ground, rest: str) -> Sheet:
    """Returns a redirect, always; only the entrance is a page."""
    if not rest:
        ways = [(f"{ground.at}{ground.mark(n)}", f"Offer {n}") for n in range(20)]
        return ground.page("Offers", ground.prose.paragraphs(30, "offers"), ways)
    return moved(f"{ground.at}{ground.mark(rest)}", WASTE, 301 if len(rest) % 2 else 302)


def growing(ground: Ground, rest: str) -> Sheet:
    """Returns a page that escapes once too often: `&amp;amp;`, `%2525`."""
    query = rest.partition("?")[2]
    grown = f"?{escape(escape(query))}{'&amp;' if query else ''}{ground.one('ref', 'src', 'f')}=1"
    nested = f"?u={quote(quote(ground.at + rest, safe=''), safe='')}"
    more = "".join(f'<p><a href="{href}">on</a></p>' for href in (grown, nested, f"{grown}&amp;b=2"))
    return Sheet("Guestbook", ground.prose.paragraphs(50, "growing") + more, WASTE)


def return_to(ground: Ground, rest: str) -> Sheet:
    """Returns a form to log in that remembers where one came from, itself included."""
    name = ground.one("next", "return_to", "destination")
    here = quote(ground.at + rest, safe="")
    ways = [(f"{ground.at}{word}?{name}={here}", word) for word in ("login", "join", "forgot", "help")]
    return ground.page("Log in", "<form><input name=user><input name=pass type=password></form>", ways)


def variants(ground: Ground, rest: str) -> Sheet:
    """Returns a few pages, each to print, small, for phones and in any of these again."""
    pieces, _ = split(rest)
    page = next((piece for piece in pieces if piece.isdecimal()), "0")
    styles = ("print", "amp", "m", "text", "lite", "pdf")
    ways = [(f"{ground.at}{'/'.join([*pieces, style])}", style) for style in styles]
    ways += [(f"{ground.at}{'/'.join([str(n), *(p for p in pieces if not p.isdecimal())])}", str(n)) for n in range(8)]
    return ground.page(ground.prose.title("leaf", page), ground.prose.paragraphs(80, "leaf", page), ways)


def polls(ground: Ground, rest: str) -> Sheet:
    """Returns a poll: every answer to it has a number that is used once."""
    poll = split(rest)[1].get("poll", "1")[:2]
    ways = [(f"?poll={poll}&vote={n}&nonce={ground.mark(rest, n)}", f"Vote {n}") for n in range(5)]
    ways += [(f"?poll={n}&nonce={ground.mark(rest, 'poll', n)}", f"Poll {n}") for n in range(1, 10)]
    return ground.page(f"Poll {poll}", f"<p>{ground.prose.text(25, 'poll', poll)}</p>", ways)
