"""Where the files of plug-ins are: what a settings file names lies beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from skitter.config.load import Loaded


def plugins_folder(given: Loaded, files: Sequence[Path], earlier: Path | None = None) -> str:
    """Returns the folder that was named, or the one of the file that names plug-ins, or where we are.

    `earlier` is what an earlier run kept: its folder is for its own plug-ins, not for those that are named anew.
    """
    plugins, origins = given.settings.plugins, given.origins
    if not plugins.use:
        return ""
    beside = {str(file): file.absolute().parent for file in files}
    is_old = origins["plugins.folder"] == str(earlier) and origins["plugins.use"] != str(earlier)
    if plugins.folder and not is_old:
        return str(beside.get(origins["plugins.folder"], Path.cwd()) / plugins.folder)
    return str(beside.get(origins["plugins.use"], Path.cwd()))
