"""Addresses: what can be one, what is wrong with the others, and that none of them keeps a secret."""

from __future__ import annotations

import pytest

from skitter.config.load import load
from skitter.config.show import to_toml
from skitter.errors import OperatorError
from skitter.settings import Settings, SinksSettings
from skitter.sinks.address import POSTGRES_TABLES, absolute, parse_sink
from skitter.sinks.opening import require_sink
from skitter.sinks.tables import USUAL

GOOD = [
    ("postgres://me@db.test/crawl", "postgres://me@db.test/crawl", POSTGRES_TABLES),
    ("postgresql:///?service=crawl&tables=captures", "postgresql:///?service=crawl", ("captures",)),
    ("postgres://db/c?sslmode=verify-full&options=-csearch_path%3Dx", None, POSTGRES_TABLES),
    ("jsonl:-", "jsonl:-", USUAL),
    ("jsonl:/a/b?tables=links,captures", "jsonl:/a/b", ("links", "captures")),
    ("kafka://a:9092,b:9092/rows?tables=links", "kafka://a:9092,b:9092/rows", ("links",)),
    ("https://hook.test/a?b=c", "https://hook.test/a?b=c", USUAL),
    ("http://127.0.0.1:8080/a", "http://127.0.0.1:8080/a", USUAL),
]


@pytest.mark.parametrize(("text", "target", "tables"), GOOD)
def test_what_can_be_an_address(text: str, target: str | None, tables: tuple[str, ...]) -> None:
    address = parse_sink(text)
    assert (address.target, address.tables) == (target or text, tables)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rows.jsonl", "must be one of postgres://"),
        ("mysql://a/b", "must be one of postgres://"),
        ("postgres:me", "must be postgres://"),
        ("jsonl:", "must be jsonl:- or jsonl:FILE"),
        ("jsonl:a?tables=pages", "must be some of captures"),
        ("kafka://a:9092", "must be kafka://"),
        ("kafka:///topic", "must be kafka://"),
        ("kafka://a/b c", "must be kafka://"),
        ("https:///path", "must be https://HOST/PATH"),
        ("https://[/path", "can't be read as a URL"),
        ("http://hook.test/", "must be https:// beyond this machine"),
        ("https://me@hook.test/", "without a user"),
    ],
)
def test_what_can_not_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(OperatorError, match=words):
        parse_sink(text)


@pytest.mark.parametrize(
    "text",
    [
        "postgres://me:hunter2@db.test/crawl",
        "postgres://db.test/crawl?password=hunter2",
        "postgres://db.test/crawl?sslpassword=hunter2",
        "https://me:hunter2@hook.test/",
        "https://hook.test/?token=hunter2",
        "kafka://me:hunter2@a:9092/topic",
    ],
)
def test_passwords_are_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(OperatorError, match="must not hold a password") as caught:
        parse_sink(text)
    assert "hunter2" not in str(caught.value)
    assert "hunter2" not in str(caught.value.value)


def test_two_addresses_have_two_names() -> None:
    texts = ["jsonl:/a", "jsonl:/b", "jsonl:/a?tables=links", "postgres://a/b", "postgres://a/c"]
    assert len({parse_sink(text).name for text in texts}) == len(texts)
    assert parse_sink("jsonl:/a?tables=links,captures").name == parse_sink("jsonl:/a?tables=captures,links").name


@pytest.mark.parametrize(
    ("text", "whole"),
    [("jsonl:a/b", "jsonl:/here/a/b"), ("jsonl:-", "jsonl:-"), ("jsonl:/a", "jsonl:/a"), ("https://a/", "https://a/")],
)
def test_files_are_named_from_the_root_on(text: str, whole: str) -> None:
    assert absolute(text, "/here") == whole


def test_a_webhook_needs_a_secret_that_is_never_shown() -> None:
    hook = parse_sink("https://hook.test/")
    with pytest.raises(OperatorError, match="SKITTER_WEBHOOK_SECRET"):
        require_sink(hook, Settings(), {})
    with pytest.raises(OperatorError, match="at least 16 signs") as caught:
        require_sink(hook, Settings(), {"SKITTER_WEBHOOK_SECRET": "hunter2"})
    assert "hunter2" not in str(caught.value)
    require_sink(hook, Settings(), {"SKITTER_WEBHOOK_SECRET": "0123456789abcdef"})
    loaded = load((), {"SKITTER_WEBHOOK_SECRET": "0123456789abcdef"})
    assert "0123456789abcdef" not in to_toml(loaded.settings) + str(loaded.origins)


def test_files_that_are_not_there_are_named() -> None:
    settings = Settings(sinks=SinksSettings(secret_file="/nowhere/secret", kafka_file="/nowhere/kafka"))
    with pytest.raises(OperatorError, match=r"sinks\.secret_file"):
        require_sink(parse_sink("https://hook.test/"), settings, {})
    with pytest.raises(OperatorError, match=r"sinks\.kafka_file"):
        require_sink(parse_sink("kafka://a/b"), settings, {})


def test_what_libpq_can_not_read_is_refused() -> None:
    with pytest.raises(OperatorError, match="can't be read"):
        require_sink(parse_sink("postgres://db/crawl?nonsense=1"), Settings(), {})
