from __future__ import annotations

import pytest

from skitter.node.rendering.refusals import refusal_of
from skitter.ports import Wanted


@pytest.mark.parametrize(
    ("wanted", "name", "refusal"),
    [
        (Wanted("http://a.test/", kind="document"), "a.test", ""),
        (Wanted("http://a.test/a.js", kind="script"), "a.test", ""),
        (Wanted("http://a.test/a", kind="fetch"), "a.test", ""),
        (Wanted("http://a.test/a.png", kind="image"), "a.test", "not_needed"),
        (Wanted("http://a.test/a.woff", kind="font"), "a.test", "not_needed"),
        (Wanted("http://a.test/a.css", kind="stylesheet"), "a.test", "not_needed"),
        (Wanted("http://a.test/a", "POST", "fetch", body=b"x"), "a.test", "method"),
        (Wanted("http://a.test/a", "DELETE", "fetch"), "a.test", "method"),
        (Wanted("https://www.google-analytics.com/a.js", kind="script"), "www.google-analytics.com", "counter"),
        (Wanted("https://notgoogle-analytics.com/a.js", kind="script"), "notgoogle-analytics.com", ""),
    ],
)
def test_what_is_refused(wanted: Wanted, name: str, refusal: str) -> None:
    assert refusal_of(wanted, name) == refusal
