"""Files of plug-ins lie beside the settings file that names them, wherever the crawl is taken up again."""

from __future__ import annotations

from pathlib import Path

import pytest

from skitter.config.load import load
from skitter.config.show import to_toml
from skitter.errors import OperatorError
from skitter.supervisor.job import settings_for

USE = '[plugins]\nuse = ["mine:Mine"]\n'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "conf").mkdir()
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    return tmp_path


def folder(directory: Path | None, *files: Path, **flags: object) -> str:
    return settings_for(
        directory, files, {f"plugins.{key}": value for key, value in flags.items()}
    ).settings.plugins.folder


def test_it_is_the_folder_of_the_file_that_names_them(here: Path) -> None:
    file = here / "conf" / "s.toml"
    file.write_text(USE)
    assert folder(None, file) == str(here / "conf")
    assert folder(None, file, use=["other:Other"]) == str(here / "cwd")
    file.write_text(f'{USE}folder = "plug"\n')
    assert folder(None, file) == str(here / "conf" / "plug")
    file.write_text("[plugins]\n")
    assert folder(None, file) == ""


def test_a_crawl_that_is_taken_up_again_keeps_it(here: Path) -> None:
    crawl, file = here / "crawl", here / "conf" / "s.toml"
    crawl.mkdir()
    file.write_text(USE)
    (crawl / "skitter.toml").write_text(to_toml(settings_for(None, [file], {}).settings))
    assert folder(crawl) == str(here / "conf")
    assert folder(crawl, use=["other:Other"]) == str(here / "cwd")


def test_options_come_from_a_table_and_as_json_and_are_written_again(here: Path) -> None:
    file = here / "conf" / "s.toml"
    file.write_text(f'{USE}[plugins.options."mine:Mine"]\nonly = ["en", "de"]\nleast = 0.5\nstrict = true\nnone = []\n')
    given = load(file)
    assert given.settings.plugins.options == {
        "mine:Mine": {"only": ["en", "de"], "least": 0.5, "strict": True, "none": []}
    }
    again = here / "conf" / "again.toml"
    again.write_text(to_toml(given.settings))
    assert load(again).settings == given.settings
    by_environment = load(environ={"SKITTER_PLUGINS_OPTIONS": '{"a": {"b": 1}}', "SKITTER_PLUGINS_USE": "a c:D"})
    assert (by_environment.settings.plugins.use, by_environment.settings.plugins.options) == (
        ("a", "c:D"),
        {"a": {"b": 1}},
    )


@pytest.mark.parametrize("wrong", ["x", '{"a": 1}', '{"a": {"b": {"c": 1}}}', "[1]", '{"a": {"b": null}}'])
def test_other_options_are_told(wrong: str) -> None:
    with pytest.raises(OperatorError, match=r"SKITTER_PLUGINS_OPTIONS = .*must be a table of tables of options"):
        load(environ={"SKITTER_PLUGINS_OPTIONS": wrong})
