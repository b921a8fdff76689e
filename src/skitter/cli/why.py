"""`skitter why`: the story of one URL."""

from __future__ import annotations

import time
from typing import Annotated

import msgspec
import typer

from skitter.cli.options import DirectoryArgument, JsonOption
from skitter.cli.say import say
from skitter.errors import OperatorError
from skitter.inspection.folder import Folder
from skitter.inspection.story import in_words
from skitter.inspection.why import why as look
from skitter.messages import Reason
from skitter.words.kinds import REASONS


def why(
    directory: DirectoryArgument,
    url: Annotated[str, typer.Argument(metavar="URL", help="As it was written anywhere: it is normalised first.")],
    json: JsonOption = False,
) -> None:
    """Tell the whole story of a URL: how it was found, what became of it and why, what comes next."""
    now = time.time()
    with Folder(directory) as folder:
        story = look(folder, url, now)
    if isinstance(story, Reason):
        raise OperatorError("URL", url, f"is none that could be crawled: {REASONS[story]}")
    say(msgspec.json.encode(story) if json else in_words(story, now))
