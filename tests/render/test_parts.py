"""The pure parts of rendering: the watch, the answers that nobody is asked for, the finding of a browser."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from skitter.ports import Given
from skitter.render.finding import NAMES, Found, find
from skitter.render.requests import EMPTY_STYLE, fulfilment, ready_answer, wanted
from skitter.render.stopwatch import Stopwatch


def test_the_watch_stands_still_while_anybody_waits() -> None:
    now = [0.0]
    watch = Stopwatch(lambda: now[0])
    now[0] = 1
    with watch.stopped():
        now[0] = 10
        with watch.stopped():
            now[0] = 20
        assert watch.seconds == 1
        now[0] = 30
    now[0] = 32
    assert watch.seconds == 3


def request(url: str = "http://a.test/", **headers: str) -> dict[str, Any]:
    return {"url": url, "method": "GET", "headers": {name.replace("_", "-"): text for name, text in headers.items()}}


@pytest.mark.parametrize(
    ("kind", "asked", "refusal"),
    [
        ("Image", request(), "not_needed"),
        ("Script", request("ftp://a.test/"), "not_http"),
        ("Document", request("file:///etc/passwd"), "not_http"),
        ("XHR", request(Accept="text/event-stream"), "not_needed"),
        ("XHR", request(Sec_Purpose="prefetch;prerender"), "not_needed"),
        ("SomethingNew", request(), "not_needed"),
    ],
)
def test_what_is_refused_without_asking(kind: str, asked: dict[str, Any], refusal: str) -> None:
    assert ready_answer(kind, asked) == Given(refusal=refusal)


@pytest.mark.parametrize("kind", ["Document", "Script", "XHR", "Fetch", "Other"])
def test_what_is_asked_for(kind: str) -> None:
    assert ready_answer(kind, request()) is None


def test_a_style_sheet_is_empty() -> None:
    assert ready_answer("Stylesheet", request()) == EMPTY_STYLE


def test_what_is_wanted() -> None:
    sent = [{"bytes": base64.b64encode(part).decode()} for part in (b"a=", b"\xff")]
    found = wanted("fetch", {**request(X_A="b"), "method": "POST", "postDataEntries": sent})
    assert (found.method, found.headers, found.body) == ("POST", (("X-A", "b"),), b"a=\xff")


def test_an_answer_is_handed_on_decoded_and_without_words_on_its_way() -> None:
    given = Given(200, (("Content-Encoding", "gzip"), ("Content-Length", "9"), ("X", "\xe4")), b"text")
    told = fulfilment(given)
    assert base64.b64decode(told["binaryResponseHeaders"]) == b"X: \xe4"
    assert (base64.b64decode(told["body"]), told["responseCode"]) == (b"text", 200)


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_leanest_browser_of_the_path_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    missing = find("")
    assert isinstance(missing, str)
    assert "chromium-headless-shell" in missing
    for name in reversed(NAMES):
        path = program(tmp_path / name)
        assert find("") == Found(str(path))


def test_a_browser_that_was_unpacked_has_its_libraries_beside_it(tmp_path: Path) -> None:
    path = program(tmp_path / "usr/lib/chromium/chromium-headless-shell")
    (tmp_path / "usr/lib/x86_64-linux-gnu/pulseaudio").mkdir(parents=True)
    found = find(str(path))
    assert isinstance(found, Found)
    libraries = tmp_path / "usr/lib/x86_64-linux-gnu"
    assert found.environment == {"LD_LIBRARY_PATH": f"{libraries}:{libraries}/pulseaudio"}


def test_a_name_that_is_no_program_is_told() -> None:
    assert "render.browser = '/no/such'" in str(find("/no/such"))
