"""Sites whose URLs have dates and numbers: a blog, a forum, a calendar that ends, a shop with honest pagination."""

from __future__ import annotations

from calendar import month_name
from datetime import date, timedelta
from functools import partial

from skitter.simweb.draw import draws
from skitter.simweb.judged.part import Listed, Maker
from skitter.simweb.judged.prose import Prose
from skitter.simweb.judged.sheet import Sheet, link, listed

PER_PAGE = 10
YEARS = (2023, 2024, 2025)


def blog(_name: str, prose: Prose, at: str = "/blog", posts: int = 240) -> Listed:
    """Returns a blog: dated paths, tags, archives by month, and pages of all of these."""
    entries = [(f"{at}/{2021 + n // 60}/{1 + n // 5 % 12:02d}/{prose.slug('post', n)}/", n) for n in range(posts)]
    tags = prose.distinct(15, "tag")
    pages: dict[str, Maker] = {path: partial(_post, prose, at, entries, n, tags) for path, n in entries}
    _paged(pages, prose, f"{at}/", [(path, prose.title("post", n)) for path, n in entries], "Blog")
    for number, tag in enumerate(tags):
        chosen = [(path, prose.title("post", n)) for path, n in entries if number in _tags_of(at, n)]
        _paged(pages, prose, f"{at}/tag/{tag}/", chosen, f"Tag {tag}")
    for month in sorted({path[: len(at) + 9] for path, _ in entries}):
        chosen = [(path, prose.title("post", n)) for path, n in entries if path.startswith(month)]
        _paged(pages, prose, month, chosen, f"Archive of {month[-8:-1]}")
    return Listed("blog", [(f"{at}/", "Blog")], pages)


def _tags_of(at: str, number: int) -> set[int]:
    return {die % 15 for die in draws(3, at, "tags", number)}


def _post(prose: Prose, at: str, entries: list[tuple[str, int]], number: int, tags: list[str]) -> Sheet:
    ways = [(f"{at}/tag/{tags[one]}/", tags[one]) for one in sorted(_tags_of(at, number))]
    ways.append((entries[number][0][: len(at) + 9], "This month"))
    ways += [
        (entries[place][0], "Older" if place < number else "Newer")
        for place in (number - 1, number + 1)
        if 0 <= place < len(entries)
    ]
    html = prose.paragraphs(120 + number * 37 % 250, "post", number) + listed(ways)
    return Sheet(prose.title("post", number), html)


def _paged(pages: dict[str, Maker], prose: Prose, at: str, entries: list[tuple[str, str]], title: str) -> None:
    """Adds a listing of entries, ten to a page."""
    count = max(1, -(-len(entries) // PER_PAGE))
    for page in range(count):
        path = f"{at}page/{page + 1}/" if page else at
        ways = entries[page * PER_PAGE : (page + 1) * PER_PAGE]
        steps = [(f"{at}page/{n}/" if n > 1 else at, str(n)) for n in range(max(1, page - 3), min(count, page + 6) + 1)]
        pages[path] = partial(_listing, prose, title, ways, steps)


def _listing(prose: Prose, title: str, ways: list[tuple[str, str]], steps: list[tuple[str, str]]) -> Sheet:
    rows = "".join(f"<h3>{link(*way)}</h3><p>{prose.text(15, 'teaser', way[0])}</p>" for way in ways)
    return Sheet(title, f"{rows}<p>{' '.join(link(*step) for step in steps)}</p>")


def forum(_name: str, prose: Prose, at: str = "/forum", threads: int = 260) -> Listed:
    """Returns a forum: threads of short posts, by query, some of several pages; few words of each page are its own."""
    pages: dict[str, Maker] = {}
    for board in range(4):
        mine = list(range(board, threads, 4))
        for start in range(0, len(mine), 20):
            target = f"{at}/viewforum.php?f={board}" + (f"&start={start}" if start else "")
            pages[target] = partial(_board, prose, at, board, mine, start)
        for thread in mine:
            for start in range(0, _posts_of(thread), 5):
                target = f"{at}/viewtopic.php?f={board}&t={thread}" + (f"&start={start}" if start else "")
                pages[target] = partial(_thread, prose, at, board, thread, start)
    return Listed("forum", [(f"{at}/viewforum.php?f={board}", f"Board {board}") for board in range(4)], pages)


def _posts_of(thread: int) -> int:
    return 1 + thread * 7 % 17


def _board(prose: Prose, at: str, board: int, mine: list[int], start: int) -> Sheet:
    ways = [(f"{at}/viewtopic.php?f={board}&t={n}", prose.title("thread", n)) for n in mine[start : start + 20]]
    if start + 20 < len(mine):
        ways.append((f"{at}/viewforum.php?f={board}&start={start + 20}", "Next"))
    return Sheet(f"Board {board}", listed(ways))


def _thread(prose: Prose, at: str, board: int, thread: int, start: int) -> Sheet:
    last = _posts_of(thread)
    posts = range(start, min(last, start + 5))
    rows = "".join(
        f"<tr><td>{prose.word('user', thread * post % 60)}<br>Posts: {thread * 3 % 500}</td>"
        f"<td>{prose.text(4 + thread * (post + 3) % 40, 'post', thread, post)}</td></tr>"
        for post in posts
    )
    ways = [(f"{at}/viewtopic.php?f={board}&t={thread}&start={at_}", "Next page") for at_ in [start + 5] if at_ < last]
    ways.append((f"{at}/viewforum.php?f={board}", "Back to the board"))
    return Sheet(prose.title("thread", thread), f"<table>{rows}</table>{listed(ways)}")


def shop(_name: str, prose: Prose, at: str = "/shop", products: int = 500) -> Listed:
    """Returns a shop: categories with many pages of products, which have a picture, a price and a line of text."""
    pages: dict[str, Maker] = {}
    names = prose.distinct(5, "category")
    for number, name in enumerate(names):
        mine = list(range(number, products, 5))
        last = -(-len(mine) // 8)
        for page in range(last):
            pages[f"{at}/{name}" + (f"?page={page + 1}" if page else "")] = partial(
                _shelf, prose, at, name, mine, page, last
            )
        for one in mine:
            pages[f"{at}/p/{prose.slug('product', one)}-{one}.html"] = partial(_product, prose, at, name, one, products)
    return Listed("shop", [(f"{at}/{name}", name.capitalize()) for name in names], pages)


def _shelf(prose: Prose, at: str, name: str, mine: list[int], page: int, last: int) -> Sheet:
    shown = mine[page * 8 : page * 8 + 8]
    ways = [(f"{at}/p/{prose.slug('product', one)}-{one}.html", prose.title("product", one)) for one in shown]
    steps = [(f"{at}/{name}" + (f"?page={n}" if n > 1 else ""), str(n)) for n in range(1, last + 1)]
    return Sheet(name.capitalize(), f"{listed(ways)}<p>{' '.join(link(*step) for step in steps)}</p>")


def _product(prose: Prose, at: str, name: str, one: int, products: int) -> Sheet:
    near = [n % products for n in (one + 5, one + 10, one + 15)]
    ways = [(f"{at}/p/{prose.slug('product', n)}-{n}.html", prose.title("product", n)) for n in near]
    text = (
        f"<img src='/i/{one}.jpg'><p>{prose.text(12 + one % 20, 'product', one)}</p><p>Price: {one * 37 % 900}.95</p>"
    )
    table = f"<table><tr><td>Weight</td><td>{one * 13 % 70} kg</td></tr><tr><td>In stock</td><td>yes</td></tr></table>"
    title = prose.title("product", one)
    return Sheet(title, f"{text}{table}<h4>Similar</h4>{listed(ways)}", crumbs=((f"{at}/{name}", name),))


def calendar(_name: str, prose: Prose, at: str = "/calendar") -> Listed:
    """Returns a calendar of three years, with events, with months in which nothing happens, and with an end."""
    months = [(year, month) for year in YEARS for month in range(1, 13)]
    pages: dict[str, Maker] = {}
    for place, (year, month) in enumerate(months):
        pages[f"{at}/{year}/{month:02d}/"] = partial(_month, prose, at, months, place)
        for event in range(_events_of(place)):
            pages[f"{at}/event/{place * 10 + event}"] = partial(_event, prose, at, year, month, place * 10 + event)
    return Listed("calendar", [(f"{at}/{YEARS[-1]}/12/", "Calendar")], pages)


def _events_of(place: int) -> int:
    return 0 if place % 7 == 3 else 2 + place * 5 % 7


def _month(prose: Prose, at: str, months: list[tuple[int, int]], place: int) -> Sheet:
    ways = [(f"{at}/event/{place * 10 + n}", prose.title("event", place * 10 + n)) for n in range(_events_of(place))]
    for other, word in (
        (place - 1, "Earlier"),
        (place + 1, "Later"),
        (place - 12, "A year ago"),
        (place + 12, "In a year"),
    ):
        if 0 <= other < len(months):
            ways.append((f"{at}/{months[other][0]}/{months[other][1]:02d}/", word))
    days = "".join(f"<td>{day}</td>" + "</tr><tr>" * (day % 7 == 0) for day in range(1, 29))
    text = "" if _events_of(place) else "<p>There are no events in this month.</p>"
    year, month = months[place]
    return Sheet(f"{month_name[month]} {year}", f"<table><tr>{days}</tr></table>{text}{listed(ways)}")


def _event(prose: Prose, at: str, year: int, month: int, number: int) -> Sheet:
    html = f"<p>{1 + number % 28} {month_name[month]} {year}</p>{prose.paragraphs(60, 'event', number)}"
    return Sheet(prose.title("event", number), html + listed([(f"{at}/{year}/{month:02d}/", "This month")]))


def days(_name: str, prose: Prose, at: str = "/kalender") -> Listed:
    """Returns every day of three years: on most of them nothing happens, and before and after them there is nothing."""
    every = [date(YEARS[0], 1, 1) + timedelta(n) for n in range(365 * len(YEARS) + 1)]
    pages: dict[str, Maker] = {_day_path(at, day): partial(_day, prose, at, every, n) for n, day in enumerate(every)}
    return Listed("days", [(_day_path(at, every[-1]), "Kalender")], pages)


def _day_path(at: str, day: date) -> str:
    return f"{at}/{day:%Y/%m/%d}"


def _day(prose: Prose, at: str, every: list[date], number: int) -> Sheet:
    others = [n for n in (number - 30, number - 1, number + 1, number + 30) if 0 <= n < len(every)]
    told = prose.text(20, "day", number) if number % 6 == 0 else "Keine Termine an diesem Tag."
    ways = [(_day_path(at, every[n]), f"{every[n]:%d.%m.%Y}") for n in others]
    return Sheet(f"{every[number]:%d.%m.%Y}", f"<p>{told}</p>{listed(ways)}")
