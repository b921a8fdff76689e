"""`skitter completion` and `skitter manual`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from skitter import __version__
from skitter.cli.app import app
from skitter.cli.manual.markdown import commands_page, settings_page
from skitter.cli.manual.roff import man_page
from skitter.cli.manual.shells import SHELLS
from skitter.cli.manual.tree import Command, tree
from skitter.cli.say import say
from skitter.config.fields import FIELDS
from skitter.errors import OperatorError

FORMS: dict[str, Callable[[Command], str]] = {
    "man": lambda top: man_page(top, __version__),
    "commands": commands_page,
    "settings": lambda _: settings_page(FIELDS),
}


def completion(
    shell: Annotated[str, typer.Argument(metavar="|".join(SHELLS), help="The shell that you type into.")],
) -> None:
    """Print a script that completes commands and options: `eval "$(skitter completion bash)"`."""
    if shell not in SHELLS:
        raise OperatorError("shell", shell, " or ".join(SHELLS))
    say(SHELLS[shell](_whole()), nl=False)


def manual(
    form: Annotated[str, typer.Argument(metavar="|".join(FORMS), help="Which of them.")] = "man",
) -> None:
    """Print the man page (`skitter manual | man -l -`), or the page with all commands or settings."""
    if form not in FORMS:
        raise OperatorError("form", form, " or ".join(FORMS))
    say(FORMS[form](_whole()), nl=False)


def _whole() -> Command:
    return tree(app())
