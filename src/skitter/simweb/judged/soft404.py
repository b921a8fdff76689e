"""What sites say where there is nothing, while they answer that all is well, everywhere or in places."""

from __future__ import annotations

from html import escape
from urllib.parse import quote

from skitter.simweb.answer import Ask
from skitter.simweb.draw import draws
from skitter.simweb.judged.sheet import GOOD, Fact, Sheet, What, link, listed, moved
from skitter.simweb.judged.site import Missing, Site, honest_404

SOFT = Fact(What.SOFT_404)

SORRY = {
    "en": ("Page not found", "Sorry, the page you are looking for could not be found. It may have been moved."),
    "de": ("Seite nicht gefunden", "Die gewünschte Seite existiert leider nicht mehr oder wurde verschoben."),
    "fr": ("Page introuvable", "Désolé, la page que vous cherchez n'existe pas ou a été déplacée."),
    "es": ("Página no encontrada", "Lo sentimos, la página que busca no existe o ha cambiado de lugar."),
    "it": ("Pagina non trovata", "Spiacenti, la pagina richiesta non esiste oppure è stata spostata."),
    "pt": ("Página não encontrada", "Desculpe, a página que procura não existe ou foi movida."),
    "pl": ("Nie znaleziono strony", "Przepraszamy, szukana strona nie istnieje lub została przeniesiona."),
    "ru": ("Страница не найдена", "К сожалению, запрошенная страница не существует или была перемещена."),
    "ja": ("ページが見つかりません", "お探しのページは削除されたか、移動した可能性があります。"),
    "tr": ("Sayfa bulunamadı", "Üzgünüz, aradığınız sayfa mevcut değil veya taşınmış olabilir."),
}


def fixed(_site: Site, _ask: Ask) -> Sheet:
    """Says the same to all."""
    return Sheet(*_sorry("en"), SOFT)


def echoing(site: Site, ask: Ask) -> Sheet:
    """Says what was asked for."""
    word = ask.path.rstrip("/").rpartition("/")[2].replace("-", " ")
    text = f"<p>We have nothing called <i>{escape(word)}</i> at {escape(ask.path)}.</p>"
    return Sheet(f"{escape(word)} was not found", f"{text}<p>{site.prose.text(25, 'echo')}</p>", SOFT)


def advertising(site: Site, ask: Ask) -> Sheet:
    """Shows what else there is, and what can be bought, in an order of its own each time."""
    pages = site.some(50)
    dice = draws(12, *site.key, ask.path)
    ads = "".join(f"<div>{site.prose.text(12, 'ad', die % 30)}</div>" for die in dice[:5])
    return Sheet(
        "You may like", ads + listed([(pages[die % len(pages)], site.prose.title(die % 90)) for die in dice[5:]]), SOFT
    )


def to_home(_site: Site, _ask: Ask) -> Sheet:
    """Sends everybody home."""
    return moved("/", SOFT)


def to_error(_site: Site, ask: Ask) -> Sheet:
    """Sends everybody to a page that is well, and says that nothing is."""
    if ask.path.startswith("/error/404"):
        return Sheet(*_sorry("en"), SOFT)
    return moved("/error/404.html", SOFT)


def localised(site: Site, ask: Ask) -> Sheet:
    """Says it in one of ten languages, by the folder."""
    folder = ask.path.rpartition("/")[0]
    lang = list(SORRY)[draws(1, *site.key, folder)[0] % len(SORRY)]
    return Sheet(*_sorry(lang), SOFT, lang=lang)


def by_directory(site: Site, ask: Ask) -> Sheet:
    """Says something else in every folder."""
    first = ask.path.split("/")[1]
    html = site.prose.paragraphs(30 + len(first) * 9, "missing", first) + link(f"/{first}/", "Back")
    return Sheet(site.prose.title("missing", first), html, SOFT)


def login(_site: Site, ask: Ask) -> Sheet:
    """Asks who one is, whatever is asked for."""
    hidden = f"<input type=hidden name=back value='{escape(ask.path)}'>"
    form = f"<form method=post action=/login>{hidden}<input name=user><input type=password name=word></form>"
    return Sheet("Sign in", f"<p>Please sign in to go on.</p>{form}", SOFT)


def suggesting(site: Site, ask: Ask) -> Sheet:
    """Shows other pages with every request, so that no two answers are alike."""
    pages = site.some(200)
    dice = draws(8, *site.key, ask.path, ask.asks, ask.now)
    ways = [(pages[die % len(pages)], site.prose.title("way", die % 400)) for die in dice]
    return Sheet(
        "Nothing here", f"<p>This page is no longer available. Perhaps one of these helps:</p>{listed(ways)}", SOFT
    )


def home_copy(site: Site, _ask: Ask) -> Sheet:
    """Shows the home page under every URL."""
    return site.home()._replace(fact=SOFT)


def tiny(_site: Site, _ask: Ask) -> Sheet:
    """Says two words, without any template."""
    return Sheet("", "Not found", SOFT, is_bare=True)


def searching(site: Site, ask: Ask) -> Sheet:
    """Searches for what was asked for, and finds nothing."""
    words = escape(ask.path.replace("-", " ").replace("/", " ").strip())
    html = f"<form action=/find><input name=q value='{words}'></form><p>0 results for {words}.</p>"
    return Sheet(f"Search: {words}", html + f"<p>{site.prose.text(15, 'search')}</p>", SOFT)


def shell(site: Site, ask: Ask) -> Sheet:
    """Shows what a program in the page would fill: always the same, but for a mark."""
    mark = draws(1, *site.key, ask.path, ask.asks)[0]
    html = (
        f"<!DOCTYPE html><html><head><title>{site.name}</title></head><body><div id='root' data-build='{mark:08x}'>"
        f"</div><noscript>You need to enable JavaScript to run this app.</noscript><script src='/app.js'></script>"
        f"</body></html>"
    )
    return Sheet(site.name, html, SOFT, is_bare=True)


def by_ending(site: Site, ask: Ask) -> Sheet:
    """Says it with an error for folders, and with a text for all else."""
    return honest_404(site, ask) if ask.path.endswith("/") else fixed(site, ask)


def by_section(site: Site, ask: Ask) -> Sheet:
    """Says it with an error, but for one section, which another program makes."""
    sections = sorted({path.split("/")[1] for path in site.some(400) if path.count("/") > 1})
    is_soft = bool(sections) and ask.path.split("/")[1] == sections[draws(1, *site.key)[0] % len(sections)]
    return fixed(site, ask) if is_soft else honest_404(site, ask)


def to_login(_site: Site, ask: Ask) -> Sheet:
    """Sends everybody to say who they are, and to come back then."""
    if ask.path.startswith("/account/login"):
        return Sheet("Log in", "<form method=post><input name=user><input type=password name=word></form>", GOOD)
    return moved(f"/account/login?next={quote(ask.path)}", SOFT)


def recommending(site: Site, ask: Ask) -> Sheet:
    """Shows the beginnings of other pages, and others with every request: a long text that is never the same."""
    dice = draws(14, *site.key, ask.path, ask.asks)
    pages = site.some(300)
    teasers = "".join(
        f"<h3>{link(pages[die % len(pages)], site.prose.title('teaser', die % 300))}</h3>"
        f"<p>{site.prose.text(22, 'teaser', die % 300)}</p>"
        for die in dice
    )
    return Sheet("Recommended for you", teasers, SOFT)


def unavailable(_site: Site, ask: Ask) -> Sheet:
    """Is called as a page would be that is there, and says that it is not to be had."""
    name = ask.path.rstrip("/").rpartition("/")[2].partition(".")[0].replace("-", " ").title()
    return Sheet(name, f"<p>{escape(name)} is currently unavailable.</p><p>{link('/', 'Go on shopping')}</p>", SOFT)


def refreshing(_site: Site, _ask: Ask) -> Sheet:
    """Sends everybody home, by what is written in the page."""
    html = "<html><head><meta http-equiv='refresh' content='0; url=/'></head><body></body></html>"
    return Sheet("", html, SOFT, is_bare=True)


def empty(_site: Site, _ask: Ask) -> Sheet:
    """Says nothing at all."""
    return Sheet("", "", SOFT, is_bare=True)


def section_copy(site: Site, ask: Ask) -> Sheet:
    """Shows the front page of the section."""
    first = f"/{ask.path.split('/')[1]}/"
    front = site.look(first) if first != "//" else None
    return (front or site.home())._replace(fact=SOFT)


def _sorry(lang: str) -> tuple[str, str]:
    title, text = SORRY[lang]
    return title, f"<p>{text}</p><p>{link('/', title)}</p>"


STYLES: dict[str, Missing] = {
    "fixed": fixed,
    "echoing": echoing,
    "advertising": advertising,
    "to_home": to_home,
    "to_error": to_error,
    "localised": localised,
    "by_directory": by_directory,
    "login": login,
    "suggesting": suggesting,
    "home_copy": home_copy,
    "tiny": tiny,
    "searching": searching,
    "shell": shell,
    "by_ending": by_ending,
    "by_section": by_section,
    "to_login": to_login,
    "recommending": recommending,
    "unavailable": unavailable,
    "refreshing": refreshing,
    "empty": empty,
    "section_copy": section_copy,
}
