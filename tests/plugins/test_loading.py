"""Names and options that can't be used are told before a crawl begins: the key, the value, what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from skitter.errors import OperatorError
from skitter.plugins.calls import Part
from skitter.plugins.loading import installed, load, require_named_well
from skitter.settings import Option, PluginSettings

HERE = str(Path(__file__).parent)


def settings(*use: str, folder: str = HERE, **options: dict[str, Option]) -> PluginSettings:
    return PluginSettings(use=use, folder=folder, options=options)


def refusal(name: str, options: dict[str, Option] | None = None, folder: str = HERE) -> OperatorError:
    given = PluginSettings(use=(name,), folder=folder, options={name: options} if options is not None else {})
    with pytest.raises(OperatorError) as caught:
        load(name, given)
    return caught.value


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("langage", "no such plug-in (none is installed); or write module:Class"),
        ("naughty:", "no such plug-in"),
        ("naughty:a b", "no such plug-in"),
        ("../naughty:Naughty", "no such plug-in"),
        ("naughtier:Naughty", "the module naughtier can't be imported (ModuleNotFoundError: "),
        ("naughty:Nice", "the module naughty has no Nice: it has Naughty, ByName, "),
        ("naughty:not_a_class", "must name a class, and that is int"),
        ("naughty:NoPlugin", "NoPlugin is no plug-in: it must have one of filter_page(page), filter_url(url), "),
        ("naughty:Asynchronous", "Asynchronous.filter_page must be a plain function, not async"),
        ("naughty:NoTypes", 'NoTypes.media_types must be a list of types, as ["application/rtf"]'),
        ("naughty:OurTypes", "text/html is read by Skitter itself"),
        ("naughty:OddTypes", "OddTypes.media_types has '.docx': must be as application/rtf"),
        ("naughty:HalfASink", "HalfASink writes as a sink does, but lacks open, commit, close, tables"),
    ],
)
def test_what_is_no_plugin_is_told(name: str, says: str) -> None:
    error = refusal(name)
    assert (error.key, error.value) == ("plugins.use", name)
    assert says in error.right


@pytest.mark.parametrize(
    ("options", "key", "value", "says"),
    [
        ({"size": 1, "sise": 2}, "plugins.options.naughty:Picky.sise", 2, "no such option: its options are size"),
        ({}, "plugins.options.naughty:Picky.size", None, "is needed by Picky: its options are size"),
        ({"size": -1}, "plugins.options.naughty:Picky", {"size": -1}, "(ValueError: size must be 0 or more)"),
        ({"size": "x"}, "plugins.options.naughty:Picky", {"size": "x"}, "is refused by Picky (TypeError: "),
    ],
)
def test_options_that_can_not_be_are_told(options: dict[str, Option], key: str, value: object, says: str) -> None:
    error = refusal("naughty:Picky", options)
    assert (error.key, error.value) == (key, value)
    assert says in error.right


def test_a_module_that_breaks_is_told_with_its_error(tmp_path: Path) -> None:
    (tmp_path / "broken_one.py").write_text("raise RuntimeError('not today')")
    assert "(RuntimeError: not today); it was looked for in" in refusal("broken_one:A", folder=str(tmp_path)).right
    (tmp_path / "leaving_one.py").write_text("import sys; sys.exit()")
    assert "SystemExit" in refusal("leaving_one:A", folder=str(tmp_path)).right


def test_a_name_is_used_once_and_options_are_for_somebody() -> None:
    with pytest.raises(OperatorError, match="is named twice"):
        require_named_well(settings("a:B", "a:B"))
    with pytest.raises(OperatorError, match=r"plugins\.options\.c = .*is for no plug-in of plugins\.use: a:B"):
        require_named_well(settings("a:B", c={"x": 1}))
    with pytest.raises(OperatorError, match="which is empty"):
        require_named_well(settings(c={"x": 1}))


def test_a_plugin_says_what_it_can_do() -> None:
    loaded = load("naughty:Quick", settings("naughty:Quick", **{"naughty:Quick": {"how": "none"}}))
    assert (list(loaded.parts), loaded.media_types, loaded.is_quick) == ([Part.PAGE], (), True)
    assert list(load("naughty:Chooser", settings("naughty:Chooser")).parts) == [Part.URL]


def test_a_file_of_the_folder_goes_before_an_installed_module_only_for_the_plugin_itself(tmp_path: Path) -> None:
    (tmp_path / "colorsys.py").write_text("class Mine:\n    def filter_url(self, url): return None\n")
    (tmp_path / "json.py").write_text("raise RuntimeError('never imported')")
    (tmp_path / "uses_json.py").write_text(
        "import json\nclass Mine:\n    def filter_url(self, url): return json.dumps(1)\n"
    )
    for name in ("colorsys:Mine", "uses_json:Mine"):
        assert list(load(name, settings(name, folder=str(tmp_path))).parts) == [Part.URL]


def test_installed_ones_are_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = tmp_path / "someones-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: someones\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[skitter.plugins]\nlanguage = tests.plugins.naughty:Chooser\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert installed() == {"language": "tests.plugins.naughty:Chooser"}
    assert list(load("language", settings("language")).parts) == [Part.URL]
    assert "(installed are: language); did you mean language?" in refusal("langage").right
