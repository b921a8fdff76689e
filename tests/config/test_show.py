"""What `skitter config` prints is itself a file that can be loaded."""

from __future__ import annotations

from pathlib import Path

from skitter.config.fields import FIELDS
from skitter.config.load import load
from skitter.config.show import default_file, show

CHANGED = {
    "politeness.delay": 2.5,
    "scope.deny": ["\\.pdf$", 'a"b\\\\\u007f#'],
    "scope.reach": "any",
    "url.drop_www": False,
}


def test_the_effective_settings_say_where_each_value_came_from() -> None:
    lines = show(load(environ={"SKITTER_URL_MAX_LENGTH": "99"}, flags=CHANGED)).splitlines()
    assert "max_length = 99  # SKITTER_URL_MAX_LENGTH" in lines
    assert "delay = 2.5  # flag" in lines
    assert "max_tries = 5  # default" in lines


def test_the_effective_settings_load_again(tmp_path: Path) -> None:
    file = tmp_path / "again.toml"
    before = load(flags=CHANGED)
    file.write_text(show(before), encoding="utf-8")
    assert load(file).settings == before.settings


def test_the_default_file_changes_nothing_until_a_line_is_uncommented(tmp_path: Path) -> None:
    file = tmp_path / "default.toml"
    file.write_text(default_file(), encoding="utf-8")
    assert set(load(file).origins.values()) == {"default"}
    file.write_text(default_file().replace("#delay = 1.0", "delay = 9.0"), encoding="utf-8")
    assert load(file).settings.politeness.delay == 9.0


def test_every_key_has_a_meaning_and_a_range() -> None:
    text = default_file()
    for field in FIELDS.values():
        assert f"# {field.meaning} ({field.right})\n#{field.key.split('.')[1]} = " in text
