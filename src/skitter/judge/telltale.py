"""The words by which pages say that there is nothing, in many languages. Pure.

They are never a verdict: a page about such errors says them too. They are a reason to ask the host for a name that
can't be there, and what two answers must share if much else of them changes with every request.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from skitter.kernel import IS_NATIVE

if IS_NATIVE:
    from skitter import _native

PHRASES: dict[str, tuple[str, ...]] = {
    "numbers": (
        r"\b(error|erreur|fehler|errore|erro|status|http|code|ошибка|błąd|chyba|hata)[ :#-]*4(04|10)\b",
        r"\b4(04|10)\b.{0,20}\b(error|fehler|erreur|errore|found|page|seite|страница)",
        r"^4(04|10)\b",
    ),
    "en": (
        r"\bnot found\b",
        r"\b(can(no|')?t|could(n't| not)|unable to|didn't|did not|were not able to|failed to) (be found|find|locate)",
        r"\b(page|file|content|item|product|article|document|listing|post|url|address|link)\b.{0,30}"
        r"(\bno longer|\bnot|n't|\bnever)\b.{0,12}\b(exists?|available|here|there|live)\b",
        r"\b(no such|missing) (page|file|item|article|product|document)\b",
        r"\bno (results?|matches|hits|pages?|articles?|items?|products?)\b.{0,20}\b(found|for|match(ed)?)\b",
        r"\b0 (results?|hits|matches)\b",
        r"\bnothing (was |could be )?(found|here|to see|matched)\b",
        r"\b(has|have|was|been) (been )?(moved|removed|deleted|discontinued|expired|retired)\b",
        r"\b(page|this) (is|has) (gone|missing|vanished|disappeared)\b",
        r"\b(doesn't|does not|don't|do not|did not|didn't) (exist|match any)",
        r"\b(whoops|oops|uh[- ]oh|d'oh)\b",
        r"\b(dead|broken) (link|end)\b",
        r"\blost\?|\byou (seem|appear) to be lost\b|\bgot lost\b",
        r"\b(log|sign) ?in (to|is required|required|first)\b|\bplease (log|sign) ?in\b|\byou must (be )?(log|sign)",
    ),
    "de": (
        r"\bnicht (gefunden|verfügbar|vorhanden|vorhandene|mehr (da|verfügbar|vorhanden)|existent)",
        r"\bexistiert (leider )?nicht",
        r"\b(keine|0) (treffer|ergebnisse|seite)",
        r"\b(gelöscht|verschoben|entfernt)",
        r"\bbitte (melden|loggen) sie sich|\banmeldung erforderlich",
    ),
    "fr": (
        r"\b(introuvable|inexistante?)",
        r"\bn['’]existe (pas|plus)",
        r"\bn['’](a|ont) pas (pu être|été) trouvée?s?",
        r"\bnon trouvée?s?",
        r"\baucune? (résultat|page|article)",
        r"\bn['’]est (pas|plus) disponible",
    ),
    "es": (
        r"\bno (se )?(han? |hemos )?(pudo |podido |puede |pudimos )?(sido )?(encontrad[oa]|encontr[óa]|encuentra)",
        r"\bno (existe|está disponible|disponible)",
        r"\b(sin|ningún) resultados?",
    ),
    "pt": (
        r"\bnão (foi |foram |p[ôo]de ser |conseguimos )?(encontrad?[oa]|localizad[oa]|existe|está disponível)",
        r"\b(nenhum|sem) resultados?",
    ),
    "it": (
        r"\bnon (è |è stat[oa] |sono stati )?(trovat[oaie]|esiste|disponibile|presente)",
        r"\bnessun (risultato|articolo)|\bnessuna pagina",
    ),
    "nl": (r"\bniet (gevonden|beschikbaar|vinden)", r"\bbestaat niet", r"\bgeen (resultaten|pagina)"),
    "sv": (
        r"\b(hittades|hittas|finns|finnes) (inte|ikke|ej)|\b(kunde|kan) (inte|ikke) (hittas|finde|finne)",
        r"\b(inga|ingen) (resultat|träffar|resultater|treff)",
    ),
    "da": (r"\b(ikke|ej) (fundet|funnet|blev fundet|finnes)", r"\b(findes|eksisterer|finnes) (ikke|desværre ikke)"),
    "fi": (r"\b(ei|sivua ei) (löydy|löytynyt|löydetty|ole olemassa)",),
    "pl": (r"\bnie (został[ao]? )?(od)?(znalezion|znaleźć|istnieje|naleziono)", r"\bbrak (wyników|strony)"),
    "cs": (r"\b(nenalezena?|nebyla? nalezena?|neexistuje|nenájdená|nebola nájdená)", r"\bžádné výsledky"),
    "hu": (r"\bnem (található|talált|létezik|találtuk)", r"\bnincs találat"),
    "ro": (r"\bnu (a fost |au fost |s-a )?(găsită?|găsit|există|este disponibilă?)", r"\bniciun rezultat"),
    "tr": (r"\bbulunamad[ıi]|\bmevcut değil|\bsonuç bulun",),
    "vi": (r"không (tìm thấy|tồn tại|có kết quả)",),
    "id": (r"\btidak (ditemukan|ada|tersedia|dijumpai|wujud)",),
    "el": (r"δεν (βρέθηκε|βρέθηκαν|υπάρχει)",),
    "ru": (r"не (найден|существует|найти|знайден|існує|вдалося знайти)", r"(удален|видален)[аоы]"),
    "bg": (r"не (е|бе|беше) (намерен[ао]?|открит[ао]?)|не съществува",),
    "sr": (r"\b(nije|nisu) pronađen[aoi]?|није пронађен[ао]?|\bne postoji|\bni (bila )?najden[ao]",),
    "he": (r"לא (נמצא|נמצאה|נמצאו|קיים|קיימת)",),
    "ar": (r"(غير موجودة?|لم يتم العثور|غير متاحة?|لا توجد|لم نتمكن)",),
    "fa": (r"(یافت نشد|پیدا نشد|وجود ندارد)",),
    "hi": (r"नहीं (मिला|मिली|मिले|है)|मौजूद नहीं",),
    "th": (r"ไม่พบ|ไม่มีหน้า",),
    "ja": (r"見つかりません|存在しません|ございません|見つからない|削除され", r"ページが(ない|ありません)|お探しの"),
    "zh": (r"找不到|未找到|不存在|[没沒]有找到|[无無]法找到|已被?(删除|刪除|移除)|查無|没有结果",),
    "ko": (r"찾을 수 없|존재하지 않|없는 페이지|삭제되",),
    "et": (r"\bei (leitud|leia|eksisteeri)|\bnerasta?s?|\bnav atrasta?|\bneegzistuoja",),
}  # fmt: skip
"""By language; `no` is among `da` and `sv`, `sk` among `cs`, `uk` among `ru`, `hr` and `sl` among `sr`, the Baltic
ones among `et`, `ms` among `id`."""


_ANY = "(?i)" + "|".join(f"(?:{phrase})" for phrases in PHRASES.values() for phrase in phrases)
"""It takes the same time for one phrase and for all. Its `\\b` knows ASCII only, so that few phrases end with one."""


@lru_cache(1)
def _by_python() -> Any:
    import re2  # here and not above: with the kernel nobody asks for it

    return re2.compile(_ANY)


def first_by_python(text: str) -> str | None:
    """Returns the first words of a text that are among the phrases."""
    found = _by_python().search(text)
    return None if found is None else found.group()


# The kernel's `\b` knows all letters unless it is told not to.
_first = _native.Pattern(_ANY.replace(r"\b", r"(?-u:\b)")).first if IS_NATIVE else first_by_python


@lru_cache(64)  # a page's title is asked for several times in a row
def telltale_of(text: str) -> str:
    """Returns the first words of a text that say that there is nothing; empty if none do."""
    return (_first(text.replace("’", "'")) or "") if text else ""
