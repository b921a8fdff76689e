"""Settings from file, environment and flags, and what stops the start."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.config.fields import FIELDS
from skitter.config.load import Flag, load
from skitter.errors import OperatorError
from skitter.settings import Settings


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "crawl.toml"


def test_nothing_said_is_all_defaults() -> None:
    loaded = load()
    assert loaded.settings == Settings()
    assert set(loaded.origins.values()) == {"default"}


def test_flags_beat_the_environment_and_the_environment_beats_the_file(file: Path) -> None:
    file.write_text("[politeness]\ndelay = 2\nmax_tries = 3\nmax_delay = 100.5\n")
    environ = {"SKITTER_POLITENESS_DELAY": "4", "SKITTER_POLITENESS_MAX_TRIES": "7", "HOME": "/"}
    loaded = load(file, environ, {"politeness.delay": 8})
    politeness = loaded.settings.politeness
    assert (politeness.delay, politeness.max_tries, politeness.max_delay) == (8, 7, 100.5)
    assert loaded.origins["politeness.delay"] == "flag"
    assert loaded.origins["politeness.max_tries"] == "SKITTER_POLITENESS_MAX_TRIES"
    assert loaded.origins["politeness.max_delay"] == str(file)
    assert loaded.origins["url.max_length"] == "default"


def test_of_several_files_the_later_wins(tmp_path: Path) -> None:
    earlier, later = tmp_path / "earlier.toml", tmp_path / "later.toml"
    earlier.write_text("[politeness]\ndelay = 2\nmax_tries = 3\n")
    later.write_text("[politeness]\ndelay = 4\n")
    loaded = load([earlier, later])
    assert (loaded.settings.politeness.delay, loaded.settings.politeness.max_tries) == (4.0, 3)
    assert loaded.origins["politeness.delay"] == str(later)
    assert loaded.origins["politeness.max_tries"] == str(earlier)


def test_the_contact_has_a_short_variable() -> None:
    loaded = load(environ={"SKITTER_CONTACT": "me@a.org"})
    assert loaded.settings.identity.contact == "me@a.org"
    assert loaded.origins["identity.contact"] == "SKITTER_CONTACT"


def test_a_flag_is_called_as_the_operator_knows_it() -> None:
    assert load(flags={"politeness.delay": Flag("--delay", "3")}).origins["politeness.delay"] == "--delay"
    with pytest.raises(OperatorError, match=r"--delay = 'soon': must be a number from 0 to 86400"):
        load(flags={"politeness.delay": Flag("--delay", "soon")})


TEXTS = [
    ("politeness.delay", "0.25", 0.25),
    ("url.max_length", "100", 100),
    ("url.drop_www", "false", False),
    ("url.drop_www", "true", True),
    ("scope.reach", "any", "any"),
    ("scope.deny", r"\.pdf$ \.zip$", (r"\.pdf$", r"\.zip$")),
    ("scope.deny", '["a b", "c"]', ("a b", "c")),
    ("scope.deny", "[ab]", ("[ab]",)),
    ("scope.deny", "", ()),
]


@pytest.mark.parametrize(("key", "text", "value"), TEXTS)
def test_texts_from_the_environment_and_from_flags(key: str, text: str, value: object) -> None:
    section, name = key.split(".")
    for loaded in (load(environ={f"SKITTER_{section}_{name}".upper(): text}), load(flags={key: text})):
        assert getattr(getattr(loaded.settings, section), name) == value


WRONG = [
    ("[politeness]\ndelay = -1", r"politeness\.delay in .*crawl\.toml = -1: must be a number from 0 to 86400"),
    ("[politeness]\ndelay = nan", r"politeness\.delay .*= nan: must be a number from 0 to 86400"),
    ("[politeness]\ndelay = inf", r"must be a number from 0 to 86400"),
    ("[politeness]\ndelay = '1s'", r"politeness\.delay .*= '1s': must be a number"),
    ("[politeness]\ndelay = true", r"must be a number"),
    ("[politeness]\nmax_tries = 1.5", r"max_tries .*= 1\.5: must be a whole number from 1 to 100"),
    ("[url]\ndrop_www = 'yes'", r"must be true or false"),
    ("[url]\ndrop_www = 1", r"must be true or false"),
    ("[scope]\nreach = 'world'", r"scope\.reach .*= 'world': must be one of \"any\", \"domain\", \"host\""),
    ("[scope]\ndeny = 'x'", r"scope\.deny .*= 'x': must be a list of texts"),
    ("[scope]\ndeny = ['(']", r"scope\.deny\[0\] = '\(': not a pattern"),
    ("[identity]\nrobots_token = 'my bot'", r"must be text that matches \^\[A-Za-z_-\]\+\$"),
    ("[politeness]\ndealy = 1", r"politeness\.dealy = 1: no such key; did you mean politeness\.delay\?"),
    ("[politness]\ndelay = 1", r"politness\.delay = 1: no such key; did you mean politeness\.delay\?"),
    ("[zzz]\nqqq = 1", r"zzz\.qqq = 1: no such key; `skitter config` lists them all"),
    ("delay = 1", r"delay in .* = 1: a key belongs under its \[section\]; did you mean delay\?"),
    (
        "[politeness]\ndelay = 10\nmax_delay = 5",
        r"delay in .* = 10\.0: must be at most .*max_delay in .*which is 5:",
    ),
    ("[politeness", r"--config = .*: is not TOML"),
]


@pytest.mark.parametrize(("content", "message"), WRONG, ids=[content for content, _ in WRONG])
def test_what_is_wrong_is_named_with_what_would_be_right(file: Path, content: str, message: str) -> None:
    file.write_text(content)
    with pytest.raises(OperatorError, match=message):
        load(file)


def test_an_unknown_variable_is_not_passed_over() -> None:
    with pytest.raises(
        OperatorError, match=r"SKITTER_POLITENES_DELAY = '1': no such setting; did you mean SKITTER_POL"
    ):
        load(environ={"SKITTER_POLITENES_DELAY": "1"})


def test_a_wrong_variable_is_named_as_it_was_written() -> None:
    with pytest.raises(OperatorError, match=r"SKITTER_POLITENESS_DELAY = 'soon': must be a number from 0 to 86400"):
        load(environ={"SKITTER_POLITENESS_DELAY": "soon"})


def test_a_missing_file_and_a_file_that_is_no_text(file: Path) -> None:
    with pytest.raises(OperatorError, match="can't be read"):
        load(file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(OperatorError, match=r"is not UTF-8 \(byte 0\)"):
        load(file)


@given(st.dictionaries(st.sampled_from(sorted(FIELDS)), st.text(max_size=20) | st.integers() | st.floats()))
def test_any_values_either_load_or_name_a_key(flags: dict[str, object]) -> None:
    try:
        load(flags=flags)
    except OperatorError as error:
        assert error.key.split("[")[0] in FIELDS
