"""The language of a text: detected where there is enough of it, else as declared."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.parse import language
from skitter.parse.language import MIN_DETECTED, detect, language_of, tag

# The first article of the Universal Declaration of Human Rights, as each language has it.
TEXTS = {
    "cs": (
        "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím a mají "
        "spolu jednat v duchu bratrství."
    ),
    "de": (
        "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt "
        "und sollen einander im Geist der Brüderlichkeit begegnen."
    ),
    "en": (
        "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience "
        "and should act towards one another in a spirit of brotherhood."
    ),
    "es": (
        "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y "
        "conciencia, deben comportarse fraternalmente los unos con los otros."
    ),
    "fi": (
        "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on annettu järki ja "
        "omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä."
    ),
    "fr": (
        "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de "
        "conscience et doivent agir les uns envers les autres dans un esprit de fraternité."
    ),
    "he": (
        "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, לפיכך חובה עליהם לנהוג איש "
        "ברעהו ברוח של אחווה."
    ),
    "id": (
        "Semua orang dilahirkan merdeka dan mempunyai martabat dan hak-hak yang sama. Mereka dikaruniai akal dan "
        "hati nurani dan hendaknya bergaul satu sama lain dalam semangat persaudaraan."
    ),
    "ja": (
        "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授"
        "けられており、互いに同胞の精神をもって行動しなければならない。"
    ),
    "pt": (
        "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de "
        "consciência, devem agir uns para com os outros em espírito de fraternidade."
    ),
    "ru": (
        "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и "
        "должны поступать в отношении друг друга в духе братства."
    ),
    "zh": (
        "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。人人有资格享有本宣言所"
        "载的一切权利和自由，不分种族、肤色、性别、语言、宗教。"
    ),
}


@pytest.mark.parametrize("code", TEXTS)
def test_a_paragraph_is_enough_to_tell(code: str) -> None:
    assert language_of(TEXTS[code]) == code


@pytest.mark.parametrize("code", ["de", "ja"])
def test_a_long_text_is_believed_more_than_the_template(code: str) -> None:
    assert language_of(TEXTS[code], "en-US") == code


def test_the_page_may_say_more_of_the_language_than_can_be_seen() -> None:
    assert language_of(TEXTS["pt"], "pt-br") == "pt-BR"
    assert language_of(TEXTS["zh"], "zh_hant_tw") == "zh-Hant-TW"


def test_a_short_text_is_in_the_language_that_is_declared() -> None:
    short = TEXTS["en"][: MIN_DETECTED - 1]
    assert language_of(short, "nl") == "nl"
    assert language_of("", "nl") == "nl"


def test_a_short_text_is_looked_at_if_nothing_is_declared() -> None:
    assert language_of("Alle Menschen sind frei und gleich an Würde") == "de"
    assert language_of("", "") is None
    assert language_of("12345 67890 " * 20) is None


def test_what_is_no_language_is_not_declared() -> None:
    for written in ("", "english language", "e", "1", "-", "en/us", "en-", "x" * 100_000, "en-" * 100_000):
        assert tag(written) is None
    assert [tag(written) for written in (" DE ", "sr-LATN", "en_gb", "nds", "de-1996")] == [
        "de",
        "sr-Latn",
        "en-GB",
        "nds",
        "de-1996",
    ]


def test_old_names_of_languages_are_not_used() -> None:
    assert detect(TEXTS["he"]) == "he"


def test_where_there_is_no_detector_what_is_declared_is_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pycld2", None)  # as if it had no wheel here
    assert language_of(TEXTS["de"]) is None
    assert language_of(TEXTS["de"], "de") == "de"


@given(st.text(st.characters(), max_size=200))
def test_any_text_is_in_some_language_or_none(text: str) -> None:
    found = detect(text)
    assert found is None or tag(found) is not None


@pytest.mark.parametrize("odd", [0x0, 0xB, 0x1F, 0x7F, 0x9F, 0xD800, 0xDFFF, 0xFDD0, 0xFFFE, 0xFFFF, 0x1FFFE, 0x10FFFF])
def test_what_is_no_character_does_not_stop_it(odd: int) -> None:
    assert detect(TEXTS["fr"] + chr(odd)) == "fr"


def test_only_the_start_of_a_long_text_is_read() -> None:
    assert detect(TEXTS["fi"] * (language.MAX_READ // len(TEXTS["fi"]) + 1) + TEXTS["de"] * 10_000) == "fi"


@pytest.mark.slow
def test_a_crawl_does_not_load_the_detector() -> None:
    told = "import sys, skitter.tools, skitter.node.build; sys.exit('pycld2' in sys.modules)"
    subprocess.run([sys.executable, "-c", told], check=True, timeout=60)
