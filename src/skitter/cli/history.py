"""`skitter history`: every visit to a URL, whether it had changed, and when it is seen again."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec
import typer

from skitter.cli.options import DirectoryArgument, JsonOption
from skitter.cli.say import say
from skitter.errors import OperatorError
from skitter.inspection.folder import Folder
from skitter.inspection.history import History, Visit
from skitter.inspection.history import history as look
from skitter.messages import Reason, State
from skitter.words.figures import counted, moment, size, span, when
from skitter.words.kinds import REASONS, STATES, kind_in_words

MARKS = {True: "●", False: "○", None: "◆"}
FAILED = "×"
LEGEND = "● changed   ○ as before   ◆ first   × failed"
STRENGTH = FAILED + "○◆●"
"""Of several visits in one place of the plot, the one whose mark comes last here is shown."""

WIDEST = 100
SHOWN = 50


def history(
    directory: DirectoryArgument,
    url: Annotated[str, typer.Argument(metavar="URL", help="As it was found, or as you would type it.")],
    json: JsonOption = False,
) -> None:
    """Show every visit to a page: changed or not, how often it changes, and when it is seen again."""
    with Folder(directory) as folder:
        found = look(folder, url)
    if isinstance(found, Reason):
        raise OperatorError("URL", url, REASONS[found])
    now = time.time()
    width = min(WIDEST, shutil.get_terminal_size().columns)
    say(msgspec.json.encode(found) if json else "\n".join(in_words(found, now, width)))


def in_words(found: History, now: float, width: int) -> Iterable[str]:
    """Yields the history of a URL for people, in lines that fit into `width` where they are ours to break."""
    yield found.url
    if found.visits:
        yield from plot(found.visits, width)
        hidden = len(found.visits) - SHOWN
        if hidden > 0:
            yield f"  {counted(hidden, 'earlier visit')} not shown; --json has them all"
        yield from (_line(visit, width) for visit in found.visits[-SHOWN:])
    else:
        yield "No visit to it is in the tables."
    if not found.all_indexed:
        yield "Visits since the last WARC file was sealed are not in the tables yet."
    yield from _planned(found, now)


def plot(visits: Sequence[Visit], width: int) -> list[str]:
    """Returns a line of time with a mark for each visit, the times of its ends, and what the marks mean."""
    room = max(10, width - 4)
    begin, end = visits[0].at, visits[-1].at
    line = ["─"] * (room if end > begin else 1)
    for visit in visits:
        place = round((visit.at - begin) / (end - begin) * (room - 1)) if end > begin else 0
        line[place] = max(line[place], _mark(visit), key=STRENGTH.find)
    first, last = moment(begin), moment(end)
    gap = room - len(first) - len(last)
    ends = f"{first}{' ' * gap}{last}" if gap > 0 and end > begin else first
    return [f"  {''.join(line)}", f"  {ends}", f"  {LEGEND}"]


def _mark(visit: Visit) -> str:
    return FAILED if visit.failure or not visit.status else MARKS[visit.changed]


def _line(visit: Visit, width: int) -> str:
    """Returns what is to be said of a visit; the file that holds it is left out where there is no room."""
    told = {True: "changed", False: "as before", None: ""}[visit.changed]
    what = kind_in_words(visit.failure) if visit.failure else told or "first visit"
    status = str(visit.status) if visit.status else "---"
    line = f"  {_mark(visit)} {moment(visit.at)}  {status}  {what:<16} {size(visit.bytes):>10}"
    return f"{line}  {visit.file}" if len(line) + 2 + len(visit.file) <= width else line


def _planned(found: History, now: float) -> Iterable[str]:
    if found.state is None:
        yield "The crawl does not know this URL."
        return
    yield f"It is {found.state.value}: {STATES[found.state]}."
    if found.rate is not None:
        often = f"about once in {span(1 / found.rate)}" if found.rate else "never so far"
        yield f"It changes {often}, as far as its visits tell."
    if found.late is not None:
        yield f"It is queued to be seen again since {when(found.late, now)}."
    elif found.due is not None and found.state is State.SCHEDULED and found.interval is not None:
        why = f"{span(found.interval)} after the last visit, by its changes so far"
        yield f"It is seen again {when(found.due, now)}: {why}."
    elif found.due is not None and found.state is State.FAILED:
        yield f"It is tried again {when(found.due, now)}."
    else:
        yield "No further visit is planned. To have one: skitter recrawl DIR URL"
