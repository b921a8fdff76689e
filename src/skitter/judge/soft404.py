"""How a host says that there is nothing under a name, and whether a page is said so. Pure.

A page that is not there should be answered with 404. Many hosts answer with 200 and a text, or with a redirect to
their home page. Words can't tell: a page about such errors says them too. What tells is to ask the host for a name
that can't be there (a *probe*), once for each place that pages were doubted at, and to compare what comes back.
A sitemap that nobody named (`reading.listing.is_guess`) is such a name too, mostly, and costs nothing.

    told_by       a page and the ways that are known → why it is a soft 404, if it is
    doubt_of      a page that no known way tells → whether it is worth a probe
    told_anyway   a doubted page for which no probe is to be had → told by repetition, if at all
"""

from __future__ import annotations

import re
from enum import IntEnum

from skitter.judge import places
from skitter.judge.absence import WAYS, Absence, Answer, Way, has_title, is_homes, other_titles, repeated, times_of
from skitter.judge.likeness import Saying, adds_at_most, alike, echoes_of, is_nothing, is_short
from skitter.judge.telltale import telltale_of

HONEST = 2
"""Probes answered as they should be after which only what is repeated, and tells, is worth another."""
FEW_WORDS = 15
"""A main text so short is worth a thought whatever it says."""
MANY, FEW_ENOUGH = 3, 40
"""Ways with titles that tell, and words that they do not say of a page whose title tells too, if it is to be one more
of them: another language, mostly."""
VOICES = 2
"""Ways that have nothing in common, nor words that tell, after which a host is asked in every directory."""
REPEATED = 2
"""Other URLs that were answered alike, if that is to tell without any probe."""
RARE = 3
"""Other pages to each that has the title of what is not there, if that is to tell what a name is that was made up."""
TITLES, DIFFERENT = 8, 0.7
"""So many pages, and such a share of them with a title that no other has, show that a host names its pages one by one.
A page with the title of what is not there is that, then, whatever else is on it."""
SUBSTANTIAL = 300
"""Words. A page that says so much is told by what it says, not by its title."""

_ASKED = re.compile(r"sitemap[. ]xml", re.IGNORECASE)
_MAP = re.compile(r"site[-_ ]?map|\bmap\b|plan du site|übersicht", re.IGNORECASE)


class Doubt(IntEnum):
    """How much a page is doubted."""

    NONE = 0
    WEAK = 1  # it is short, or says what another says
    SOME = 2  # and so do others beside that one
    STRONG = 3  # it does what is done when there is nothing, or says so among other things
    OPEN = 4  # it says so and nothing else


_WHERE = {Doubt.OPEN: places.Where.BESIDE, Doubt.STRONG: places.Where.BEFORE_NUMBERS}


def is_beyond_doubt(absence: Absence, answer: Answer) -> bool:
    """Whether a page is one like most: nothing about it is a reason to look any closer. Then no way tells it.

    It says this and that, under a title of its own, on a host that is not known to answer for what is not there.
    """
    saying = answer.saying
    if answer.target or answer.has_password or answer.twin is not None or is_short(saying) or saying.words <= FEW_WORDS:
        return False
    if telltale_of(saying.title) or has_title(absence, saying.title):
        return False
    return not any(way.is_soft() for way in absence.ways)


def told_by(absence: Absence, answer: Answer) -> str:
    """Returns why a page is a soft 404 by what its host is known to say, in words; empty if it is not."""
    if places.is_root(answer.href) or not absence.ways:
        return ""
    for way in reversed(absence.ways):
        if likeness := _likeness(absence, way, answer):
            return f"{likeness}, as the host answers for {way.href}"
    return _told_by_many(absence, answer.saying)


def _told_by_many(absence: Absence, saying: Saying) -> str:
    """A host that has many ways to say it, each in so many words, may have one more: another language, mostly."""
    if not (saying.brief and telltale_of(saying.title)) or any(way.is_honest() for way in absence.ways):
        return ""
    others = [way.saying for way in absence.ways if way.is_soft() and telltale_of(way.saying.title)]
    titles = {other.title for other in others}
    if len(titles) < MANY or not any(adds_at_most(FEW_ENOUGH, saying, other) for other in others):
        return ""
    return f"it is called “{saying.title}”, and the host has {len(titles)} other ways to say that"


def told_made_up(absence: Absence, answer: Answer) -> str:
    """Returns why what is said to a name of our own making is a soft 404: pages are not called so, and the like is."""
    title = answer.saying.title
    if not title or is_homes(absence, title):
        return ""
    is_rare = RARE * times_of(absence, title) <= len(other_titles(absence, title))
    for way in _elsewhere(absence, answer):
        if way.is_soft() and way.saying.title == title and is_rare:
            return f"it is called “{title}”, as the host answers for {way.href}, and hardly a page is"
    return ""


def _elsewhere(absence: Absence, answer: Answer) -> list[Way]:
    """Returns what a host said in other places: beside a page it may be a trap, whose pages are all alike."""
    return [way for way in absence.ways if places.top_of(way.href) != places.top_of(answer.href)]


def doubt_of(absence: Absence, answer: Answer, *, is_made_up: bool = False) -> Doubt:
    """Returns whether a page that no known way tells is worth asking for a name that is not there.

    One that was made up is, if nobody knows what the host says elsewhere.
    """
    if is_made_up:
        return Doubt.NONE if _elsewhere(absence, answer) else Doubt.OPEN
    doubt = Doubt.NONE if places.is_root(answer.href) else _doubt_of(absence, answer)
    if doubt is Doubt.NONE or _was_probed(absence, answer, doubt):  # nearly all
        return Doubt.NONE
    is_enough = _is_enough_for_honest if any(way.is_honest() for way in absence.ways) else _is_enough_for_soft
    return doubt if not absence.ways or is_enough(absence, answer, doubt) else Doubt.NONE


def _was_probed(absence: Absence, answer: Answer, doubt: Doubt) -> bool:
    """Whether a probe would tell nothing that is not known, or the host has had its share of them."""
    probes = [way for way in absence.ways if not way.is_guess]
    place = places.place_of(probe_for(answer.href, doubt, b""))
    return len(probes) >= WAYS or any(way.place == place for way in probes)


def _is_enough_for_honest(absence: Absence, answer: Answer, doubt: Doubt) -> bool:
    """Whether a host that says 404 elsewhere is doubted here all the same."""
    honest = sum(way.is_honest() and not way.is_guess for way in absence.ways)
    return doubt >= Doubt.STRONG and honest < HONEST and repeated(absence, answer) > 0


def _is_enough_for_soft(absence: Absence, answer: Answer, doubt: Doubt) -> bool:
    """Whether a host that is known to say it in one way may say it here in another."""
    if doubt is Doubt.STRONG:
        return bool(answer.target) or repeated(absence, answer) > 0
    return doubt is not Doubt.WEAK


def probe_for(href: str, doubt: Doubt, salt: bytes, *, is_made_up: bool = False) -> str:
    """Returns the name to ask for: beside the page if that tells by itself, else where no page has any say."""
    if is_made_up:
        return places.probe_of(href, salt, places.Where.AT_ROOT)
    return places.probe_of(href, salt, _WHERE.get(doubt, places.Where.AT_TOP))


def told_anyway(absence: Absence, answer: Answer) -> str:
    """Returns why a page for which there is no probe is a soft 404 all the same; empty if that can't be told."""
    # A host that is honest elsewhere has the benefit of the doubt; but probes have no parameters, and so a program that
    # finds nothing under a number of theirs was never asked.
    is_honest = any(way.is_honest() for way in absence.ways)
    if places.is_root(answer.href) or (is_honest and "?" not in answer.href):
        return ""
    others = repeated(absence, answer)
    if others >= REPEATED and (words := _telltale(answer)):
        return f"{others} other URLs of the host are answered alike, and it says “{words}”"
    if others >= REPEATED and not is_honest and answer.target and places.is_telling(answer.target):
        return f"{others} other URLs of the host lead to {answer.target} too"
    return ""


def _likeness(absence: Absence, way: Way, answer: Answer) -> str:
    """Returns in which way an answer is the one that a host has for what is not there; empty if it is not."""
    if not way.is_soft() or places.is_home(answer.href):
        return ""  # where the home page is shown in place of others, that is no other
    if answer.href == way.twin or way.href.startswith(f"{answer.href.rstrip('/')}/"):
        return ""  # nor is the front page of a section, or any other
    if places.is_login(answer.href) and not telltale_of(answer.saying.title):
        return ""  # where visitors log in is a page, though it be shown in place of others; and it leads on
    if way.target or answer.target:
        is_same = way.target == places.aim_of(answer.target) or _lead_up(way, answer)
        return f"it leads to {answer.target}" if is_same and not _leads_to_itself(answer) else ""
    if way.is_guess and (_MAP.search(answer.href) or _MAP.search(_ASKED.sub("", way.saying.title))):
        return ""  # the page that lists all pages, maybe under its other name
    if answer.saying.sketch == absence.home and not answer.saying.links:
        return ""  # the frame of a program that makes all pages of the host, the home page too
    echoes = echoes_of(way.href) | echoes_of(answer.href)
    likeness = alike(answer.saying, way.saying, echoes)
    if likeness or way.twin:  # where a page is shown in place of others, these must be the same as that
        return likeness
    if answer.saying.title == way.saying.title != "" and _is_peculiar(absence, answer.saying):
        return f"it is called “{answer.saying.title}”"
    return "it says nothing at all" if _are_silent(absence, way, answer) else ""


def _are_silent(absence: Absence, way: Way, answer: Answer) -> bool:
    """Whether nothing is said by either, on a host whose pages say something."""
    is_silent = is_nothing(answer.saying) and is_nothing(way.saying) and answer.saying.links == way.saying.links
    return is_silent and len(absence.titles) > 0 and answer.saying.sketch != absence.home


def _is_peculiar(absence: Absence, saying: Saying) -> bool:
    """Whether a title tells: the host's pages have each their own, or what is not there has it and they do not."""
    others = other_titles(absence, saying.title)
    if len(others) < TITLES:
        return False
    are_own = saying.words <= SUBSTANTIAL and len(set(others)) >= DIFFERENT * len(others)
    return are_own or _is_only_theirs(absence, saying.title)


def _is_only_theirs(absence: Absence, title: str) -> bool:
    """Whether a title is that of what is not there, in two places, and of no more than one of the last pages."""
    theirs = sum(way.is_soft() and way.saying.title == title for way in absence.ways)
    return theirs >= VOICES and times_of(absence, title) <= 1 and not is_homes(absence, title)


def _leads_to_itself(answer: Answer) -> bool:
    """Whether a redirect leads to the same path elsewhere: to https, or to another name of the host."""
    return answer.target.split("/", 3)[-1] == answer.href.split("/", 3)[-1]


def _lead_up(way: Way, answer: Answer) -> bool:
    """Whether a host sends whoever asks for nothing to the folder that it would be in, and so it does here."""
    return places.leads_up(way.href, way.target) and places.leads_up(answer.href, answer.target)


def _doubt_of(absence: Absence, answer: Answer) -> Doubt:
    is_soft = any(way.is_soft() for way in absence.ways)
    if answer.target:
        is_up = is_soft and places.leads_up(answer.href, answer.target)
        is_telling = is_up or places.is_telling(answer.target) or repeated(absence, answer) >= REPEATED
        return Doubt.STRONG if is_telling and not _leads_to_itself(answer) else Doubt.NONE
    if is_short(answer.saying) and telltale_of(answer.saying.title):
        return Doubt.OPEN
    is_home_again = answer.twin is not None and places.is_root(answer.twin)
    if is_home_again or _telltale(answer) or answer.has_password:
        return Doubt.STRONG
    if repeated(absence, answer) >= (1 if is_soft else REPEATED) or _has_repeated_title(absence, answer.saying):
        return Doubt.SOME
    if is_soft and (_has_twin(answer) or _has_title_of_way(absence, answer.saying) or _has_voices(absence)):
        return Doubt.SOME
    return Doubt.WEAK if answer.saying.words <= FEW_WORDS or answer.twin is not None else Doubt.NONE


def _has_twin(answer: Answer) -> bool:
    """Whether another page of the same host says the same."""
    return answer.twin is not None and answer.twin.split("/", 3)[2] == answer.href.split("/", 3)[2]


def _has_voices(absence: Absence) -> bool:
    """Whether a host says something else in each place where there is nothing, so that a page may be told nowhere."""
    first, *others = [way for way in absence.ways if way.is_soft()]
    return any(_are_strange(first, other) for other in others)


def _are_strange(one: Way, other: Way) -> bool:
    if one.target or other.target or telltale_of(one.saying.title) or telltale_of(other.saying.title):
        return False
    return not alike(one.saying, other.saying, echoes_of(one.href) | echoes_of(other.href))


def _has_title_of_way(absence: Absence, saying: Saying) -> bool:
    titles = {way.saying.title for way in absence.ways if way.is_soft()}
    if not saying.title or saying.title not in titles or is_homes(absence, saying.title):
        return False
    return len(other_titles(absence, saying.title)) >= TITLES and times_of(absence, saying.title) <= 1


def _has_repeated_title(absence: Absence, saying: Saying) -> bool:
    return has_title(absence, saying.title) and _is_peculiar(absence, saying)


def _telltale(answer: Answer) -> str:
    return telltale_of(answer.saying.title) or telltale_of(answer.saying.brief)
