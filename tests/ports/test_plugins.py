"""The contract of plug-ins, which the examples of the cookbook keep: made with options, asked any number of times."""

from __future__ import annotations

from pathlib import Path

import pytest

from skitter.plugins.calls import Call, LookAt, OnDocument, OnPage, OnUrls, Part, Read, Trouble, Weigh, answered
from skitter.plugins.loading import Loaded, load
from skitter.ports import PageFilter, Parser, UrlFilter
from skitter.reading.seen import Document, SeenPage, SeenUrl
from skitter.settings import Option, PluginSettings

ROOT = Path(__file__).parents[2]
KEPT: list[tuple[str, str, dict[str, Option]]] = [
    ("examples/plugins", "products:Products", {}),
    ("examples/plugins", "language:OnlyLanguage", {"only": ["en"]}),
    ("examples/plugins", "docx:Docx", {}),
    ("tests/plugins", "naughty:Chooser", {}),
]
PROTOCOLS = {Part.PAGE: PageFilter, Part.URL: UrlFilter, Part.PARSER: Parser}
CALLS: dict[Part, list[Call]] = {
    Part.PAGE: [
        LookAt(SeenPage("http://a/")),
        LookAt(SeenPage("http://a/", body=b"\xff<script type=application/ld+json>[[{", media_type="text/html")),
        LookAt(SeenPage("http://a/", body=b"<p>x", media_type="text/html", lang="de-AT")),
        LookAt(SeenPage("http://a/", body=b"\x89PNG", media_type="image/png")),
    ],
    Part.URL: [Weigh([]), Weigh([SeenUrl("http://a/b", "a"), SeenUrl("http://a/c", "a")])],
    Part.PARSER: [Read(Document("http://a/", "x/y")), Read(Document("http://a/", "x/y", body=b"PK\x03\x04 no zip"))],
}
ANSWERS = {Part.PAGE: OnPage, Part.URL: OnUrls, Part.PARSER: OnDocument}


@pytest.fixture(params=KEPT, ids=lambda one: one[1])
def loaded(request: pytest.FixtureRequest) -> Loaded:
    folder, name, options = request.param
    return load(name, PluginSettings(use=(name,), folder=str(ROOT / folder), options={name: options}))


def test_a_plugin_keeps_the_protocol_of_each_of_its_parts(loaded: Loaded) -> None:
    for part in loaded.parts:
        assert isinstance(loaded.plugin, PROTOCOLS[part])


def test_it_answers_whatever_it_is_shown_and_the_same_again(loaded: Loaded) -> None:
    for part in loaded.parts:
        for call in CALLS[part]:
            answer = answered(loaded.plugin, call)
            assert isinstance(answer, ANSWERS[part]), answer
            assert answered(loaded.plugin, call) == answer


def test_what_it_returns_wrongly_is_no_answer(loaded: Loaded) -> None:
    for part in loaded.parts:
        wrong = type("Wrong", (), {part.value: lambda _self, _what: "rubbish"})()
        call = CALLS[part][-1]
        assert isinstance(answered(wrong, call), Trouble)
