"""Text: what a reader sees, and what a link says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.parse import text
from skitter.parse.tokens import cut


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (b"", ""),
        (b" \n\t ", ""),
        (b"  a \n b\t", "a b"),
        (b"<p>a</p><p>b</p>", "a\nb"),
        (b"a<div>b</div>c", "a\nb\nc"),
        (b"W<b>or</b>d and H<sub>2</sub>O", "Word and H2O"),
        (b"<a><h1>Title</h1></a>text", "Title\ntext"),
        (b"<td>one</td><td>two</td>", "one\ntwo"),
        (b"one<br>two<hr/>three", "one\ntwo\nthree"),
        (b"<ul><li>a<li>b</ul>c", "a\nb\nc"),
        (b"<select><option>a<option>b</select>", "a\nb"),
        (b"<head><title>t</title><style>s</style></head><body>b<script>s</script></body>", "b"),
        (b"a<noscript>n</noscript><template>t</template><iframe>i</iframe>b", "ab"),
        (b"a &lt;b&gt; &amp;amp; &nbsp; c&#8203;", "a <b> &amp; c\u200b"),
        (b"a\xff\0b", "a\ufffdb"),
        ("Grüße, 世界".encode(), "Grüße, 世界"),
        (b"<pre>a\n  b</pre>", "a b"),
    ],
)
def test_visible(html: bytes, expected: str) -> None:
    assert text.visible(cut(html).text, 1000) == expected


def test_visible_is_cut() -> None:
    assert text.visible([b"a b", b"\f", b"cde"], 5) == "a b\nc"
    assert text.visible([b"abc"], 0) == ""


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (b"<a href=x>text</a>after", "text"),
        (b"<a href=x>  two \n words </a>", "two words"),
        (b"<a href=x><b>in</b>ner &amp; <i>tags</i></a>", "inner & tags"),
        (b"<a href=x><div>a</div><div>b</div></a>", "a b"),
        (b"<a href=x>never ended <a href=y>next</a>", "never ended"),
        (b"<a href=x><img src=i alt=' an &quot;image&quot; '></a>", 'an "image"'),
        (b"<a href=x><img alt=a><img><img alt=b></a>", "a b"),
        (b"<a href=x>text<img alt=a></a>", "text"),
        (b"<a href=x></a><img alt=after>", ""),
        (b"<a href=x>a\0b", "ab"),
        (b"<a href=x><script>s</script></a>", ""),
        (b"<area href=x alt='the area'>text", "the area"),
        (b"<iframe src=x></iframe>text", ""),
    ],
)
def test_anchor(html: bytes, expected: str) -> None:
    assert text.anchor(cut(html), 0, 100) == expected


@pytest.mark.parametrize("filling", [b"word ", b"<b>word</b> ", b" " * 100 + b"<img alt=word>", b"<img>"])
def test_anchor_is_cut(filling: bytes) -> None:
    found = text.anchor(cut(b"<a href=x>first " + filling * 1000 + b"</a>"), 0, 10)
    assert found == "first word"[: len(found)]
    assert 0 < len(found) <= 10


@given(st.text(max_size=50), st.integers(0, 60))
def test_short(written: str, limit: int) -> None:
    found = text.short(written.encode("utf-8", "replace"), limit)
    assert len(found) <= limit
    assert "  " not in found
    assert "\n" not in found
