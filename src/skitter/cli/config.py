"""`skitter config`: the settings in force."""

from __future__ import annotations

from typing import Annotated

import typer

from skitter.cli.options import ConfigOption, SetOption, loaded
from skitter.cli.say import say
from skitter.config.show import default_file, show


def config(
    config: ConfigOption = None,
    set_: SetOption = None,
    default: Annotated[
        bool, typer.Option("--default", help="Print a commented file with every default instead.")
    ] = False,
) -> None:
    """Print the settings in force and where each one came from.

    The file, then SKITTER_SECTION_FIELD in the environment, then --set: the later wins.
    """
    say(default_file() if default else show(loaded(config, set_)), nl=False)
