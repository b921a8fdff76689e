"""Whether a page is none: by style of saying so, and of pages that only look like it."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from skitter.judge.absence import NOTHING_KNOWN, WAYS, Absence, Answer, way_of, with_answer, with_way
from skitter.judge.host import HostJudgement
from skitter.judge.likeness import Saying, saying_of
from skitter.judge.places import Where, is_home, is_login, is_root, place_of, probe_of
from skitter.judge.soft404 import (
    REPEATED,
    Doubt,
    doubt_of,
    is_beyond_doubt,
    probe_for,
    told_anyway,
    told_by,
    told_made_up,
)
from skitter.judge.telltale import PHRASES, telltale_of
from skitter.messages import Said
from skitter.shard.records import JUDGEMENTS

HOST = "http://a.org"
NOBODY = f"{HOST}/shop/qhwpzkfnvbtrmxjgdlsyecauo"
PROSE = "the quick brown fox jumps over a lazy dog while seven wizards make toxic brew for an evil queen and jack"


def said(text: str, title: str = "", *, links: bool = True) -> Saying:
    """Returns what a page with this main text says, as `parse` would have it."""
    words = text.split()
    shingles = {xxhash.xxh32_digest(" ".join(words[at : at + 5]).encode()) for at in range(len(words) - 4)}
    sketch = xxhash.xxh32_digest(re.sub("[0-9]", "", title + text).encode())
    return Saying(title, text if len(text) <= 1000 else "", b"".join(sorted(shingles)[:64]), len(words), sketch, links)


def page(path: str, text: str = "", title: str = "", *, twin: str | None = None, password: bool = False) -> Answer:
    return Answer(f"{HOST}{path}", 200, saying=said(text, title), twin=twin, has_password=password)


def led(path: str, target: str) -> Answer:
    return Answer(f"{HOST}{path}", 302, target)


def known(*answers: Answer, guess: bool = False) -> Absence:
    """Returns what is known after a host gave these answers for what is not there."""
    absence = NOTHING_KNOWN
    for answer in answers:
        absence = with_way(absence, way_of(answer, is_guess=guess))
    return absence


def long(topic: str) -> str:
    """Returns more text than is kept as it is."""
    return " ".join(f"{word} {topic} {number}" for number in range(8) for word in PROSE.split())


class Style(NamedTuple):
    """How a host says that there is nothing: to a probe, and to who asks for a dead page."""

    nobody: Answer
    dead: Answer
    doubt: Doubt = Doubt.STRONG  # at first sight
    alive: Answer = page("/shop/red-shoes", f"Red shoes of leather. {PROSE}", "Red shoes - Shop")


def nobody(text: str = "", title: str = "") -> Answer:
    return page("/shop/qhwpzkfnvbtrmxjgdlsyecauo", text, title)


SORRY = "Sorry, the page you are looking for could not be found."
STYLES = {
    "fixed text": Style(nobody(SORRY, "Oops - Shop"), page("/shop/gone", SORRY, "Oops - Shop"), Doubt.OPEN),
    "echo": Style(
        nobody("There is no qhwpzkfnvbtrmxjgdlsyecauo at /shop/qhwpzkfnvbtrmxjgdlsyecauo", "Not found - Shop"),
        page("/shop/blue-hat.html", "There is no blue hat at /shop/blue-hat.html", "Not found - Shop"),
        Doubt.OPEN,
    ),
    "echo in the title": Style(
        nobody(PROSE, "Qhwpzkfnvbtrmxjgdlsyecauo was not found"),
        page("/shop/blue-hat", PROSE, "Blue Hat was not found"),
        Doubt.OPEN,
    ),
    "redirect home": Style(led("/shop/qhw", f"{HOST}/"), led("/shop/gone", f"{HOST}/"), alive=led("/a", f"{HOST}/b")),
    "redirect home, with a mark": Style(led("/qhw", f"{HOST}/?from=qhw"), led("/gone", f"{HOST}/?from=gone")),
    "redirect to an error page": Style(
        led("/qhw", f"{HOST}/error/404.html?u=/qhw"), led("/gone", f"{HOST}/error/404.html?u=/gone")
    ),
    "redirect to log in": Style(led("/qhw", f"{HOST}/login?next=/qhw"), led("/gone", f"{HOST}/login?next=/gone")),
    "in another language": Style(
        nobody("Diese Seite existiert leider nicht.", "Seite nicht gefunden"),
        page("/de/weg", "Diese Seite existiert leider nicht.", "Seite nicht gefunden"),
        Doubt.OPEN,
    ),
    "a wall to log in": Style(
        nobody("Members only. Your name and word:", "Shop"),
        page("/shop/gone", "Members only. Your name and word:", "Shop", password=True),
    ),
    "other suggestions each time": Style(
        nobody("This page is no longer available. Perhaps one of these: ducks, geese, swans", "Shop"),
        page("/shop/gone", "This page is no longer available. Perhaps one of these: hats, coats, gloves", "Shop"),
    ),
    "a copy of the home page": Style(
        nobody(long("shoes"), "Shop"), page("/shop/gone", long("shoes"), "Shop", twin=f"{HOST}/")
    ),
    "very short": Style(nobody("Nope."), page("/shop/gone", "Nope."), Doubt.WEAK),
    "a search without hits": Style(
        nobody("0 results for shop qhwpzkfnvbtrmxjgdlsyecauo.", "Search: qhwpzkfnvbtrmxjgdlsyecauo"),
        page("/shop/blue-hat", "0 results for shop blue hat.", "Search: blue hat"),
        Doubt.STRONG,
    ),
    "with a number of its own": Style(
        nobody("Page not found. Your request was 8f31a7.", "Shop"),
        page("/shop/gone", "Page not found. Your request was 77b0c2.", "Shop"),
    ),
}


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_the_first_dead_page_is_worth_a_probe_which_tells_it(style: Style) -> None:
    assert doubt_of(NOTHING_KNOWN, style.dead) is style.doubt
    absence = known(style.nobody)
    assert style.nobody.href in told_by(absence, style.dead), "the evidence names what was asked for"
    assert told_by(absence, style.alive) == ""


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_a_sitemap_that_nobody_named_tells_it_without_a_probe(style: Style) -> None:
    title, brief = (
        re.sub(NOBODY.rpartition("/")[2], "sitemap.xml", text, flags=re.IGNORECASE)
        for text in (style.nobody.saying.title, style.nobody.saying.brief)
    )
    saying = structs.replace(style.nobody.saying, title=title, brief=brief)
    guess = style.nobody._replace(href=f"{HOST}/sitemap.xml", saying=saying)
    assert told_by(known(guess, guess=True), style.dead)


ABOUT = "The status 404 means that a page was not found, or does not exist any more."
ALIVE = {
    "about 404s": page("/about/404-not-found", f"{ABOUT} {long('status')}", "404 Not Found explained - Shop"),
    "about 404s, in short": page("/about/404", ABOUT, "404 Not Found explained - Shop"),
    "the home page": page("/", SORRY, "Page not found - Shop"),
    "a short page": page("/about/contact", "Write to us.", "Contact - Shop"),
    "sold out": page("/shop/concert", "Sold out. This event is no longer available.", "Concert - Shop"),
    "with text of its own": page("/shop/hat", f"{SORRY} {long('hats')}", "Hats - Shop"),
    "named by its URL": page("/shop/red-hat", "Red hat", "Red hat - Shop"),
    "where one logs in": page("/login", SORRY, "Log in"),
    "moved to https": Answer(f"{HOST}/shop", 301, "https://a.org/shop"),
}


@pytest.mark.parametrize("alive", ALIVE.values(), ids=ALIVE)
def test_what_only_looks_like_it_is_a_page(alive: Answer) -> None:
    ways = [nobody(SORRY, "Page not found - Shop"), page("/about/qhw", SORRY, "Page not found - Shop")]
    assert told_by(known(*ways), alive) == ""
    assert told_anyway(NOTHING_KNOWN, alive) == ""


@pytest.mark.parametrize("path", ["/home", "/en/", "/logout", "/account"])
def test_what_leads_home_by_right_is_no_soft_404(path: str) -> None:
    assert told_by(known(led("/qhw", f"{HOST}/")), led(path, f"{HOST}/")) == ""


def test_an_honest_host_is_never_told() -> None:
    honest = known(Answer(NOBODY, 404))
    for style in STYLES.values():
        assert told_by(honest, style.dead) == ""
        assert doubt_of(honest, style.dead) is Doubt.NONE, "once is enough"


def test_a_program_that_makes_all_pages_is_no_soft_404() -> None:
    def shell(path: str) -> Answer:
        return Answer(f"{HOST}{path}", 200, saying=said("", "App", links=False))

    alone = with_answer(known(shell("/qhw")), shell("/"))
    among = with_answer(known(shell("/qhw")), page("/", long("home"), "Home"))
    for number in range(12):
        alone = with_answer(alone, shell(f"/{number}"))
        among = with_answer(among, page(f"/{number}", long(f"page {number}"), f"Page {number}"))
    assert told_by(alone, shell("/inbox")) == ""
    assert told_by(among, shell("/gone")), "where the others are pages, it says that there is nothing"


def test_a_title_tells_where_each_page_has_its_own() -> None:
    absence = known(nobody("Hats and coats and gloves", "You may like"))
    ads = page("/shop/gone", "Ducks and geese and swans", "You may like")
    assert told_by(absence, ads) == ""
    for number in range(12):
        absence = with_answer(absence, page(f"/p/{number}", PROSE, f"Page {number} of all"))
    assert told_by(absence, ads)
    same = known(nobody("Hats and coats and gloves", "You may like"))
    for number in range(12):
        same = with_answer(same, page(f"/p/{number}", PROSE, "Shop"))
    assert told_by(same, ads) == "", "where they have none of their own, it does not"
    twice = with_way(same, way_of(page("/blog/qhw", "Shirts and ties and belts", "You may like")))
    assert told_by(twice, ads), "but then what two made-up names have is theirs alone"
    for number in range(2):
        twice = with_answer(twice, page(f"/list/{number}", PROSE, "You may like"))
    assert told_by(twice, ads) == "", "unless pages have it too"


def test_a_page_that_is_shown_in_place_of_others_is_a_page() -> None:
    blog = page("/blog/", long("news"), "Blog")
    shown = page("/blog/qhw", long("news"), "Blog")._replace(twin=blog.href)
    absence = known(shown)
    for number in range(12):
        absence = with_answer(absence, page(f"/p/{number}", PROSE, f"Page {number} of all"))
    assert told_by(absence, page("/blog/gone", long("news"), "Blog"))
    assert told_by(absence, blog) == ""
    assert told_by(absence, page("/blog/page/2", long("older news of last year"), "Blog")) == ""
    other = known(shown._replace(twin=f"{HOST}/start"))
    assert told_by(other, page("/start", long("news"), "Blog")) == "", "wherever it is"
    assert told_by(known(shown._replace(twin=None)), blog) == "", "the folder of what was asked for may be shown"


def test_three_words_in_a_large_frame_are_a_page() -> None:
    frame = " ".join([PROSE] * 3)
    absence = known(page("/about/qhw", f"Qhw is currently unavailable. {frame}", "Qhw - Shop"))
    assert told_by(absence, page("/about/contact", f"Contact. Write to us. {frame}", "Contact - Shop")) == ""
    assert told_by(absence, page("/about/gone", f"Gone is currently unavailable. {frame}", "Gone - Shop"))


def test_silence_tells_where_pages_speak() -> None:
    absence, silent = known(nobody()), page("/shop/gone")
    assert told_by(absence, silent) == "", "nothing is known of its pages"
    absence = with_answer(absence, page("/", PROSE, "Shop"))
    assert told_by(absence, silent)
    assert told_by(absence, page("/shop/photo", "", "A photo")) == ""


def test_what_is_said_to_a_name_that_was_made_up() -> None:
    absence = with_answer(NOTHING_KNOWN, page("/", PROSE, "Shop"))
    for number in range(12):
        absence = with_answer(absence, page(f"/p/{number}", PROSE, f"Page {number} of all"))
    made_up = page("/wiki/nobody", long("teasers"), "You may like")
    assert doubt_of(absence, made_up, is_made_up=True) is Doubt.OPEN
    assert doubt_of(absence, made_up) is Doubt.NONE
    elsewhere = with_way(absence, way_of(page("/qhw", long("others"), "You may like")))
    beside = with_way(absence, way_of(page("/wiki/qhw", long("others"), "You may like")))
    assert told_made_up(absence, made_up) == ""
    assert told_made_up(elsewhere, made_up)
    assert doubt_of(elsewhere, made_up, is_made_up=True) is Doubt.NONE
    assert told_made_up(beside, made_up) == "", "there it may be a trap, whose pages are called alike"
    assert re.fullmatch(rf"{HOST}/[a-z]{{25}}", probe_for(made_up.href, Doubt.OPEN, b"1", is_made_up=True))
    missed = page("/wiki/1", PROSE, "You may like")
    assert told_made_up(with_answer(elsewhere, missed), made_up), "one that was missed is no reason"
    for number in range(9):
        elsewhere = with_answer(elsewhere, page(f"/wiki/{number}", PROSE, "You may like"))
    assert told_made_up(elsewhere, made_up) == ""
    homes = with_way(absence, way_of(page("/qhw", long("others"), "Shop")))
    assert told_made_up(homes, page("/wiki/nobody", PROSE, "Shop")) == "", "the name of the host tells nothing"


def test_a_title_that_echoes_much_is_still_an_echo() -> None:
    def search(path: str) -> Answer:
        words = path.replace("/", " ").replace("-", " ")
        return Answer(
            f"{HOST}{path}",
            200,
            saying=saying_of(f"Search: {words} - Shop", Said(words=2, brief="0 results"), b"", links=True),
        )

    assert told_by(known(search("/shop/qhw")), search(f"/docs/{'-'.join(PROSE.split() * 3)}"))


def test_a_host_with_a_word_for_each_directory_is_asked_in_each() -> None:
    shop, blog = nobody(long("hats"), "Hats"), page("/blog/qhw", long("birds"), "Birds")
    gone = page("/docs/gone", long("stones"), "Stones")
    assert doubt_of(known(shop), gone) is Doubt.NONE
    assert doubt_of(known(shop, blog), gone) is Doubt.SOME
    assert doubt_of(known(shop, blog, Answer(probe_for(gone.href, Doubt.SOME, b""), 404)), gone) is Doubt.NONE
    fixed = [page(f"/{at}/qhw", SORRY, "Oops") for at in "ab"]
    assert doubt_of(known(*fixed), gone) is Doubt.NONE, "one that says the same everywhere is not"


def test_a_copy_on_a_host_that_is_soft_is_worth_a_probe() -> None:
    copy = page("/docs/gone", long("stones"), "Stones", twin=f"{HOST}/docs/lost")
    assert doubt_of(known(nobody(SORRY, "Oops")), copy) is Doubt.SOME
    assert doubt_of(known(Answer(NOBODY, 404)), copy) is Doubt.NONE
    abroad = copy._replace(twin="http://b.a.org/docs/gone")
    assert doubt_of(known(nobody(SORRY, "Oops")), abroad) is Doubt.NONE, "another host of the domain tells nothing"


def test_a_host_that_says_it_in_many_languages_is_told_in_one_more() -> None:
    languages = ["Seite nicht gefunden", "Page introuvable", "Pagina non trovata"]
    ways = [page(f"/{at}/qhw", f"{title}.", title) for at, title in zip("abc", languages, strict=True)]
    polish = page("/d/gone", "Przepraszamy.", "Nie znaleziono strony")
    assert told_by(known(*ways), polish)
    assert told_by(known(*ways[:2]), polish) == ""
    assert told_by(known(*ways, Answer(f"{HOST}/e/qhw", 404)), polish) == ""
    about = page("/d/404", " ".join([PROSE] * 5), "404 Not Found explained")
    assert told_by(known(*ways), about) == "", "who has more to say is another"
    framed = [
        page(f"/{at}/qhw", f"{title}. {' '.join([PROSE] * 4)}", title)
        for at, title in zip("abc", languages, strict=True)
    ]
    beside = page("/d/gone", f"Przepraszamy. {' '.join([PROSE] * 4)}", "Nie znaleziono strony")
    assert told_by(known(*framed), beside), "what stands around all of them is not its own"


def test_without_a_probe_repetition_tells() -> None:
    absence, dead = NOTHING_KNOWN, [page(f"/shop/gone-{one}", SORRY, "Shop") for one in "abcd"]
    told = []
    for answer in dead:
        told.append(told_anyway(absence, answer))
        absence = with_answer(absence, answer)
    assert [bool(one) for one in told] == [number >= REPEATED for number in range(len(dead))]
    assert told_anyway(absence, dead[0]._replace(href=dead[1].href)), "its own earlier visit is not counted"
    short = page("/shop/x", "Write to us.", "Shop")
    for number in range(5):
        absence = with_answer(absence, short._replace(href=f"{HOST}/{number}"))
    assert told_anyway(absence, short) == "", "what does not say so is not told by that"
    assert told_anyway(with_way(absence, way_of(Answer(NOBODY, 404))), dead[0]) == "", "nor is an honest host"


def test_on_an_honest_host_a_program_that_finds_nothing_under_a_number_is_told_by_repetition() -> None:
    absence, dead = known(Answer(NOBODY, 404)), [page(f"/view?id={one}", SORRY, "Item") for one in range(4)]
    told = []
    for answer in dead:
        told.append(bool(told_anyway(absence, answer)))
        absence = with_answer(absence, answer)
    assert told == [number >= REPEATED for number in range(len(dead))]
    home = [led(f"/switch?to={one}", f"{HOST}/") for one in "abcd"]
    for answer in home:
        absence = with_answer(absence, answer)
    assert told_anyway(absence, home[0]) == "", "to lead home is no word that tells"


def test_who_is_sent_up_from_what_is_not_there_is_told_in_every_folder() -> None:
    absence = known(led("/shop/qhwpzkfnvbtrmxjgdlsyecauo", f"{HOST}/shop/"))
    assert told_by(absence, led("/shop/gone", f"{HOST}/shop/"))
    assert told_by(absence, led("/news/2020/gone", f"{HOST}/news/2020"))
    assert not told_by(absence, led("/news/old", f"{HOST}/news/new"))
    assert not told_by(absence, led("/about", f"{HOST}/")), "what leads home leads home"
    soft = known(led("/sitemap.xml", f"{HOST}/"), guess=True)
    assert doubt_of(soft, led("/shop/gone", f"{HOST}/shop/")) is Doubt.STRONG
    assert doubt_of(NOTHING_KNOWN, led("/shop/moved", f"{HOST}/shop/")) is Doubt.NONE


def test_a_page_seen_again_does_not_repeat_itself() -> None:
    once = page("/shop/gone", SORRY, "Shop")
    absence = with_answer(with_answer(with_answer(NOTHING_KNOWN, once), once), once)
    assert told_anyway(absence, once) == ""


def test_at_most_so_many_probes_go_to_a_host_and_one_to_a_place() -> None:
    dead = page("/shop/gone", SORRY, "Page not found")
    probed = Answer(probe_for(dead.href, Doubt.OPEN, b"1"), 200, saying=said("something else", "Hm"))
    assert doubt_of(known(probed), dead) is Doubt.NONE
    elsewhere = dead._replace(href=f"{HOST}/blog/gone")
    assert doubt_of(known(probed), elsewhere) is Doubt.OPEN
    many = [probed._replace(href=f"{HOST}/{number}x/{'q' * 25}") for number in range(WAYS)]
    assert doubt_of(known(*many), elsewhere) is Doubt.NONE


def test_what_is_remembered_of_a_host_is_bounded_and_survives_the_store() -> None:
    text = "word " * 199
    ways = [page(f"/{letter}/{'q' * 25}", f"{letter} {text}", "Not found") for letter in "abcdefghijklmnop"]
    absence = known(*ways)
    for number in range(100):
        absence = with_answer(absence, page(f"/{number}", f"{number} {text}", f"Title {number}"))
    record = HostJudgement(absence=absence)
    assert len(JUDGEMENTS.encode(record)) < 6000
    assert JUDGEMENTS.decode(JUDGEMENTS.encode(record)) == record
    assert told_by(absence, page("/p/gone", f"p {text}", "Not found")), "the last is what is remembered best"


PROBES = [
    ("/a/b/name.html", Where.BESIDE, r"/a/b/[a-z]{25}\.html"),
    ("/a/b/name/", Where.BESIDE, r"/a/b/[a-z]{25}/"),
    ("/name", Where.BESIDE, r"/[a-z]{25}"),
    ("/item/17", Where.BESIDE, r"/item/1[0-9]{9}"),
    ("/item/17.php?a=1&b=2", Where.BESIDE, r"/item/1[0-9]{9}\.php"),
    ("/?p=7", Where.BESIDE, r"/[a-z]{25}"),
    ("/news/123/any-words", Where.BESIDE, r"/news/123/[a-z]{25}"),
    ("/news/123/any-words", Where.BEFORE_NUMBERS, r"/news/[a-z]{25}"),
    ("/a/b/name.html", Where.AT_TOP, r"/a/[a-z]{25}\.html"),
    ("/2024/05/name/", Where.AT_TOP, r"/[a-z]{25}/"),
]


@pytest.mark.parametrize(("path", "where", "pattern"), PROBES)
def test_the_name_that_can_not_be_there(path: str, where: Where, pattern: str) -> None:
    one, other = (probe_of(f"{HOST}{path}", salt, where) for salt in (b"1", b"2"))
    assert re.fullmatch(HOST + pattern, one), one
    assert one != other
    assert place_of(one) == place_of(other)


def test_places_are_known_by_their_names() -> None:
    assert is_root("http://a.org/")
    assert not is_root("http://a.org/?p=1")
    assert all(is_home(f"http://a.org{path}") for path in ("/", "/en", "/de-at/", "/index.html", "/en/home"))
    assert not is_home("http://a.org/shop")
    assert is_login("http://a.org/user/sign-in?next=/")
    assert not is_login("http://a.org/authors/")


TOLD = {
    "en": "Sorry, we couldn't find that page",
    "de": "Die Seite wurde nicht gefunden",
    "fr": "Cette page n’existe pas",
    "es": "Página no encontrada",
    "pt": "Página não encontrada",
    "it": "Pagina non trovata",
    "nl": "Pagina niet gevonden",
    "sv": "Sidan hittades inte",
    "da": "Siden blev ikke fundet",
    "fi": "Sivua ei löytynyt",
    "pl": "Nie znaleziono strony",
    "cs": "Stránka nenalezena",
    "hu": "Az oldal nem található",
    "ro": "Pagina nu a fost găsită",
    "tr": "Sayfa bulunamadı",
    "vi": "Không tìm thấy trang",
    "id": "Halaman tidak ditemukan",
    "el": "Η σελίδα δεν βρέθηκε",
    "ru": "Страница не найдена",
    "bg": "Страницата не е намерена",
    "sr": "Stranica nije pronađena",
    "he": "הדף לא נמצא",
    "ar": "لم يتم العثور على الصفحة",
    "fa": "صفحه یافت نشد",
    "hi": "पृष्ठ नहीं मिला",
    "th": "ไม่พบหน้า",
    "ja": "ページが見つかりません",
    "zh": "页面不存在",
    "ko": "페이지를 찾을 수 없습니다",
    "et": "Lehte ei leitud",
    "numbers": "Error 404",
}


def test_the_table_of_words_has_a_case_for_each_language() -> None:
    assert sorted(TOLD) == sorted(PHRASES)


@pytest.mark.parametrize("text", TOLD.values(), ids=TOLD)
def test_words_that_tell(text: str) -> None:
    assert telltale_of(text)


@pytest.mark.parametrize("text", ["", "Red shoes", "Contact", "Opening hours, Monday to Friday", "Chapter 404"])
def test_words_that_do_not(text: str) -> None:
    assert telltale_of(text) == ""


TITLES = ["", "Chairs", "Not found", "Tables"]
TEXTS = ["", "few words", PROSE, long("a"), long("b"), f"{long('c')} page not found"]
ANSWERS = st.one_of(
    st.builds(
        page,
        st.sampled_from(["/", "/a", "/b/", "/shop/1"]),
        st.sampled_from(TEXTS),
        st.sampled_from(TITLES),
        twin=st.sampled_from([None, f"{HOST}/", f"{HOST}/c"]),
        password=st.booleans(),
    ),
    st.builds(led, st.sampled_from(["/a", "/b"]), st.sampled_from([f"{HOST}/", f"{HOST}/else"])),
)
NO_PAGES = st.one_of(ANSWERS, st.builds(Answer, st.sampled_from([NOBODY, f"{HOST}/nobody"]), st.sampled_from([0, 404])))


@given(st.lists(NO_PAGES, max_size=3), st.lists(ANSWERS, max_size=5), ANSWERS)
def test_of_what_is_beyond_doubt_nothing_is_told(nothing: list[Answer], before: list[Answer], answer: Answer) -> None:
    absence = known(*nothing)
    for one in before:
        absence = with_answer(absence, one)
    if is_beyond_doubt(absence, answer):
        assert not told_by(absence, answer)
        assert doubt_of(absence, answer) is Doubt.NONE
        assert not told_anyway(absence, answer)


def test_a_page_like_most_is_beyond_doubt() -> None:
    absence = known(Answer(NOBODY, 404))
    for number in range(9):
        answer = page(f"/{number}", long(str(number)), f"Number {number}")
        assert is_beyond_doubt(absence, answer)
        absence = with_answer(absence, answer)
