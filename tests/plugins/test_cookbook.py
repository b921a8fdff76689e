"""The four examples of docs/plugins.md, each in a whole crawl: what the page shows is what is in the folder."""

from __future__ import annotations

import io
import json
import re
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

import skitter
from skitter.plugins.sinks import PluginSink
from skitter.reparse.run import reparse
from skitter.settings import PluginSettings
from tests.plugins.bulk import serving
from tests.plugins.site import HTML, options, page, served

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "plugins"
DOCS = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
NOW = datetime(2026, 11, 18, tzinfo=UTC)
PRODUCT = {
    "@context": "https://schema.org",
    "@graph": [{"@type": "Product", "name": "A lamp", "offers": [{"price": 12.5, "priceCurrency": "EUR"}]}],
}


def crawled(site: dict[str, tuple[str, bytes]], out: Path, *use: str, **of: Any) -> dict[str, skitter.Page]:
    """Returns the pages of a crawl with these plug-ins, by path."""
    with served(site) as url:
        given = options(use=list(use), folder=str(EXAMPLES), options=of.pop("options", {}))
        given["settings"]["content.text"] = "best"
        return {page.url.removeprefix(url): page for page in skitter.crawl(url, out, **given)}


def test_the_page_shows_the_examples_as_they_are() -> None:
    shown = re.findall(r"^```python\n(.*?)^```$", DOCS, re.DOTALL | re.MULTILINE)
    files = [EXAMPLES / f"{name}.py" for name in ("products", "language", "docx", "elasticsearch")]
    assert shown == [file.read_text(encoding="utf-8") for file in files]


def test_products_become_fields(tmp_path: Path) -> None:
    script = f'<script type="application/ld+json">{json.dumps(PRODUCT)}</script>'
    site = {
        "/": page("Shop", "all that we have", "lamp", "about", "broken"),
        "/lamp": (HTML, f"<title>Lamp</title>{script}<p>A lamp for the night".encode()),
        "/about": page("About", "we are a shop"),
        "/broken": (HTML, b'<title>x</title><script type="application/ld+json">{"@type": "Product",</script><p>odd'),
    }
    pages = crawled(site, tmp_path / "out", "products:Products")
    assert pages["lamp"].fields == {"product.name": "A lamp", "product.price": "12.5", "product.currency": "EUR"}
    assert {path for path, one in pages.items() if one.fields} == {"lamp"}
    assert not any(one.reasons for one in pages.values())
    (query,) = re.findall(r"^```sql\n(.*?)^```$", DOCS, re.DOTALL | re.MULTILINE)
    found = duckdb.sql(query.replace("DIR", str(tmp_path / "out")).rstrip(";\n")).fetchall()
    assert found == [(pages["lamp"].url, "A lamp", 12.5)]


def texts(out: Path) -> dict[str, tuple[str, str | None]]:
    """Returns how each page in the text table was read, and its text, by the last part of its URL."""
    rows = duckdb.sql(f"select url, how, text from '{out}/parquet/text/**/*.parquet'").fetchall()
    return {url.rpartition("/")[2]: (how, text) for url, how, text in rows}


def test_only_pages_in_a_language_are_followed_and_kept(tmp_path: Path) -> None:
    site = {
        "/": page("Home", "welcome", "de", "en"),
        "/de": page("Deutsch", "hier ist alles auf deutsch geschrieben", "nur-hier", lang="de"),
        "/en": page("English", "here all is written in English", "only-here"),
        "/nur-hier": page("Versteckt", "nur von der deutschen Seite aus", lang="de"),
        "/only-here": page("Hidden", "only linked from the English page"),
    }
    pages = crawled(
        site, tmp_path / "out", "language:OnlyLanguage", options={"language:OnlyLanguage": {"only": ["en"]}}
    )
    assert set(pages) == {"", "de", "en", "only-here"}
    assert (pages["de"].kept, list(pages["de"].reasons)) == (False, ["plugin:language.OnlyLanguage:lang_de"])
    assert all(one.kept for path, one in pages.items() if path != "de")
    assert set(texts(tmp_path / "out")) == {"", "en", "only-here"}
    toml = tmp_path / "out" / "skitter.toml"
    toml.write_text(toml.read_text().replace('"en"', '"de"'))  # and now the other way round, from the archive
    done = reparse(tmp_path / "out", tmp_path / "again", 1)
    assert set(texts(tmp_path / "again")) == {"de"}
    assert (done.documents, done.changed) == (1, 4)


def word(text: str, *links: str, bomb: bool = False) -> bytes:
    """Returns a Word document."""
    main = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    hyperlink = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"
    dtd = '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>' if bomb else ""
    paragraphs = "".join(f"<w:p><w:r><w:t>{line}</w:t></w:r></w:p>" for line in text.split("\n"))
    targets = "".join(
        f'<Relationship Id="r{n}" Type="{hyperlink}" Target="{link}" TargetMode="External"/>'
        for n, link in enumerate(links)
    )
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f"{dtd}<w:document {main}><w:body>{paragraphs}</w:body></w:document>")
        archive.writestr(
            "docProps/core.xml",
            '<c:coreProperties xmlns:c="urn:c" xmlns:dc="http://purl.org/dc/elements/1.1/">'
            "<dc:title>A report</dc:title></c:coreProperties>",
        )
        archive.writestr(
            "word/_rels/document.xml.rels", f'<Relationships xmlns="{relations}">{targets}</Relationships>'
        )
    return made.getvalue()


def test_word_documents_are_read_and_their_links_followed(tmp_path: Path) -> None:
    site = {
        "/": page("Home", "welcome", "report.docx", "bomb.docx", "torn.docx"),
        "/report.docx": (DOCX, word("The first line\nand the second", "/behind")),
        "/bomb.docx": (DOCX, word("&b;", "/never", bomb=True)),
        "/torn.docx": (DOCX, word("cut off")[:200]),
        "/behind": page("Behind", "only the report leads here"),
    }
    pages = crawled(site, tmp_path / "out", "docx:Docx")
    assert set(pages) == {"", "report.docx", "bomb.docx", "torn.docx", "behind"}
    assert pages["report.docx"].title == "A report"
    assert [link.url.rpartition("/")[2] for link in pages["report.docx"].links] == ["behind"]
    assert pages["behind"].parent == pages["report.docx"].url
    said = texts(tmp_path / "out")
    assert said["report.docx"] == ("docx.Docx", "The first line\nand the second")
    assert said["bomb.docx"] == said["torn.docx"] == ("failed: docx.Docx it says nothing", None)
    assert not any(one.reasons for one in pages.values())


ELASTIC = "elasticsearch:Elasticsearch"


def test_every_capture_is_in_the_index_though_it_was_away_for_a_while(tmp_path: Path) -> None:
    site = {"/": page("Home", "welcome", "a", "b"), "/a": page("A", "this is a"), "/b": page("B", "this is b")}
    with serving() as index, served(site) as url:
        index.statuses, index.items = [503, 429], [201, 429]
        given = options(use=[ELASTIC], folder=str(EXAMPLES), options={ELASTIC: {"url": index.url, "prefix": "c"}})
        given["settings"]["sinks.urls"] = [f"plugin:{ELASTIC}"]
        pages = {one.url: one for one in skitter.crawl(url, tmp_path / "out", **given)}
        indexed = {one["url"]: one for (name, _), one in index.documents.items() if name == "c-captures"}
        assert set(indexed) == {*pages, f"{url}robots.txt"}
        assert {one: indexed[one]["title"] for one in pages} == {one: page.title for one, page in pages.items()}
        assert len(index.documents) == len(indexed)
        assert index.requests > 2


@pytest.mark.parametrize(
    ("statuses", "items", "kind"), [([503], [], "away"), ([400], [], "refused"), ([], [400], "refused")]
)
def test_what_the_index_refuses_is_no_commit(statuses: list[int], items: list[int], kind: str) -> None:
    with serving() as index:
        index.statuses, index.items = statuses, items
        sink = PluginSink(
            ELASTIC, PluginSettings(use=(ELASTIC,), folder=str(EXAMPLES), options={ELASTIC: {"url": index.url}})
        )
        rows = skitter.Rows(
            "captures", ("url", "fetched_at", "status"), 2, [("http://a/", NOW, 200), ("http://b/", NOW, None)]
        )
        assert sink.open() is None
        sink.write(rows)
        with pytest.raises(skitter.SinkError) as caught:
            sink.commit(b"1")
        assert caught.value.kind == kind
        sink.close()
        sink.open()
        sink.write(rows)
        sink.commit(b"1")
        assert {one["url"] for one in index.documents.values()} == {"http://a/", "http://b/"}
        assert len(index.documents) == 2


def test_an_index_that_is_not_there_is_away() -> None:
    sink = PluginSink(
        ELASTIC, PluginSettings(use=(ELASTIC,), folder=str(EXAMPLES), options={ELASTIC: {"url": "http://127.0.0.1:9"}})
    )
    with pytest.raises(skitter.SinkError, match="does not answer"):
        sink.open()
