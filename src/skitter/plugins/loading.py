"""From a name in the configuration to an object: found, imported, checked and made with its options.

Whatever is wrong with that is the operator's to mend: the error names the key, the value and what would be right.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from skitter.errors import OperatorError
from skitter.plugins.calls import Part
from skitter.settings import PluginSettings

GROUP = "skitter.plugins"
KEY = "plugins.use"
SHAPES = {
    Part.PAGE: "filter_page(page)",
    Part.URL: "filter_url(url)",
    Part.PARSER: "parse(document) and media_types",
    Part.SINK: "open(), write(rows), commit(bookmark), close() and tables",
}
SINK_WORDS = ("open", "commit", "close", "tables")
OURS = frozenset({"text/html", "application/xhtml+xml"})
"""Types that Skitter reads itself, always."""


class Loaded(NamedTuple):
    """A plug-in, made."""

    plugin: object
    parts: Sequence[Part]
    media_types: Sequence[str]
    is_quick: bool


def installed() -> Mapping[str, str]:
    """Returns the plug-ins that installed packages offer: `module:Class`, by name."""
    from importlib.metadata import entry_points  # here: it takes long to import

    return {one.name: one.value for one in entry_points(group=GROUP)}


def label_of(name: str) -> str:
    """Returns what a plug-in is called in reasons and metrics: `module.Class` for `module:Class`."""
    return name.replace(":", ".")


def require_named_well(settings: PluginSettings) -> None:
    """Raises for names that nobody could load, and for options of nobody. It imports nothing."""
    known = installed()
    for name in settings.use:
        if settings.use.count(name) > 1:
            raise OperatorError(KEY, name, "is named twice: a plug-in is asked once")
        _place_of(name, known)
    for name, options in settings.options.items():
        if name not in settings.use:
            there = ", ".join(settings.use) or "which is empty"
            raise OperatorError(f"plugins.options.{name}", options, f"is for no plug-in of {KEY}: {there}")


def load(name: str, settings: PluginSettings) -> Loaded:
    """Returns the plug-in of that name, made with its options. OperatorError if that can't be."""
    kind = _class_of(name, settings.folder)
    parts, media_types = _parts_of(name, kind), _media_types(name, kind)
    plugin = _made(name, kind, settings.options.get(name, {}))
    return Loaded(plugin, parts, media_types, getattr(kind, "quick", False) is True)


def _place_of(name: str, known: Mapping[str, str]) -> tuple[str, str]:
    """Returns the module and the class of a plug-in."""
    text = known.get(name, name)
    module, colon, kind = text.partition(":")
    if colon and module and all(part.isidentifier() for part in [*module.split("."), *kind.split(".")]):
        return module, kind
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    there = f"installed are: {', '.join(sorted(known))}" if known else "none is installed"
    raise OperatorError(KEY, name, f"no such plug-in ({there}){hint}; or write module:Class")


def _class_of(name: str, folder: str) -> type:
    module_name, class_name = _place_of(name, installed())
    module = _imported(name, module_name, folder)
    kind = getattr(module, class_name, None)
    if kind is None:
        here = [one for one, what in vars(module).items() if isinstance(what, type) and what.__module__ == module_name]
        has = f"it has {', '.join(here)}" if here else "it has no class of its own"
        raise OperatorError(KEY, name, f"the module {module_name} has no {class_name}: {has}")
    if not isinstance(kind, type):
        raise OperatorError(KEY, name, f"must name a class, and that is {type(kind).__name__}")
    return kind


def _imported(name: str, module: str, folder: str) -> ModuleType:
    file = Path(folder, *module.split(".")).with_suffix(".py") if folder else None
    try:
        if file is None or not file.is_file():
            return importlib.import_module(module)
        if folder not in sys.path:
            sys.path.append(folder)  # at the end: a file that happens to be there must not replace a library
        return _from_file(module, file)
    except BaseException as error:
        told = f"{type(error).__name__}: {error}"[:500]
        where = f" in {folder} and" if folder else ""
        right = f"the module {module} can't be imported ({told}); it was looked for{where} among installed packages"
        raise OperatorError(KEY, name, right) from error


def _from_file(module: str, file: Path) -> ModuleType:
    before = sys.modules.get(module)
    if before is not None and getattr(before, "__file__", None) == str(file):
        return before
    spec = importlib.util.spec_from_file_location(module, file)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[module] = made
    try:
        spec.loader.exec_module(made)
    except BaseException:
        del sys.modules[module]
        raise
    return made


def _parts_of(name: str, kind: type) -> Sequence[Part]:
    parts = [part for part in Part if callable(getattr(kind, part, None))]
    if not parts:
        shapes = ", ".join(SHAPES.values())
        raise OperatorError(KEY, name, f"{kind.__name__} is no plug-in: it must have one of {shapes} (docs/plugins.md)")
    lacks = [word for word in SINK_WORDS if not hasattr(kind, word)] if Part.SINK in parts else []
    if lacks:
        raise OperatorError(KEY, name, f"{kind.__name__} writes as a sink does, but lacks {', '.join(lacks)}")
    for part in parts:
        if inspect.iscoroutinefunction(getattr(kind, part)):
            raise OperatorError(KEY, name, f"{kind.__name__}.{part} must be a plain function, not async")
    return parts


def _media_types(name: str, kind: type) -> Sequence[str]:
    if not callable(getattr(kind, Part.PARSER, None)):
        return ()
    types = getattr(kind, "media_types", None)
    if isinstance(types, str) or not isinstance(types, Sequence) or not types:
        raise OperatorError(KEY, name, f'{kind.__name__}.media_types must be a list of types, as ["application/rtf"]')
    for one in types:
        if not isinstance(one, str) or one != one.strip().lower() or one.count("/") != 1:
            raise OperatorError(KEY, name, f"{kind.__name__}.media_types has {one!r}: must be as application/rtf")
        if one in OURS:
            raise OperatorError(KEY, name, f"{one} is read by Skitter itself: use a filter_page to add to that")
    return list(types)


def _made(name: str, kind: type, options: Mapping[str, object]) -> object:
    key = f"plugins.options.{name}"
    _require_taken(key, kind, options)
    try:
        return kind(**options)
    except OperatorError:
        raise
    except MemoryError:
        raise
    except BaseException as error:
        raise OperatorError(
            key, dict(options), f"is refused by {kind.__name__} ({type(error).__name__}: {error})"
        ) from error


def _require_taken(key: str, kind: type, options: Mapping[str, object]) -> None:
    """Raises for an option that the class does not take, and for one that it needs and has not."""
    with contextlib.suppress(ValueError, TypeError):  # a class without a signature is asked by making it
        taken = inspect.signature(kind).parameters
        if any(one.kind is one.VAR_KEYWORD for one in taken.values()):
            return
        names = [one for one, how in taken.items() if how.kind is not how.VAR_POSITIONAL]
        offer = f"its options are {', '.join(names)}" if names else "it has no options"
        for option, value in options.items():
            if option not in names:
                raise OperatorError(f"{key}.{option}", value, f"no such option: {offer}")
        for one, how in taken.items():
            if one in names and how.default is how.empty and one not in options:
                raise OperatorError(f"{key}.{one}", None, f"is needed by {kind.__name__}: {offer}")
