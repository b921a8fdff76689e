"""The tables are a function of the archive: a row for each document, and what its site said then."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

from skitter.content.making import made_files, make_missing, missing_files
from skitter.messages import Errand, Rendering
from skitter.ports import Snapshot
from skitter.store.compact.compact import compact
from skitter.store.index.manifest import read_manifest
from skitter.store.warc.places import sealed_files
from tests.content.conftest import HTML, Stored, a_page, a_pdf, rows
from tests.store.conftest import BEGAN

SAID = "Es war einmal ein langer Satz, den man als Deutsch erkennt, und noch einer, der ihm folgt."
PAGE = (
    "<html lang=de><head><title>Ein Titel</title><meta name=description content='Worum es geht'>"
    "<meta property=article:published_time content=2026-01-02T03:04:05Z></head>"
    f"<body><h1>Ein Titel</h1><p>{SAID}</p></body></html>"
)
TOLD = f"Ein Titel\n{SAID}"
TEXT = (("Content-Type", "text/plain"),)
ROBOTS = {"errand": Errand.ROBOTS}
DAY = 86400.0


@pytest.mark.slow
def test_a_row_says_what_a_page_says(stored: Stored) -> None:
    directory = stored(a_page("https://a.example/x", PAGE))
    assert [made.text for made in make_missing(directory)] == [1]
    (row,) = rows(directory)
    assert (row["url"], row["host"], row["status"]) == ("https://a.example/x", "a.example", 200)
    assert (row["title"], row["description"], row["lang"]) == ("Ein Titel", "Worum es geht", "de")
    assert row["text"] == TOLD
    assert row["words"] == len(TOLD.split())
    assert row["lang_score"] > 0.8
    assert row["headings"] == [{"level": 1, "text": "Ein Titel"}]
    assert str(row["published_at"]) == "2026-01-02 03:04:05"
    assert (row["declared"], row["media"], row["how"], row["rendered"]) == ("text/html", "text/html", "html", False)
    assert (row["reserved"], row["tdm_reservation"], row["fields"]) == ([], None, None)


def test_it_joins_the_captures(stored: Stored) -> None:
    directory = stored(a_page("https://a.example/x", PAGE), a_page("https://a.example/y", "gone", status=404))
    make_missing(directory)
    joined = duckdb.sql(
        f"select count(*) from '{directory}/parquet/text/**/*.parquet' t join "
        f"'{directory}/parquet/captures/**/*.parquet' c using (url, fetched_at, digest, warc_file, warc_offset)"
    )
    assert joined.fetchall() == [(1,)]


def test_only_documents_have_rows(stored: Stored) -> None:
    directory = stored(
        a_page("https://a.example/robots.txt", "User-agent: *", headers=TEXT, lease=ROBOTS),
        a_page("https://a.example/sitemap.xml", "<urlset/>", lease={"errand": Errand.SITEMAP}),
        a_page("https://a.example/xyz", "no such page", lease={"errand": Errand.PROBE}),
        a_page("https://a.example/moved", "", status=301),
        a_page("https://a.example/empty", b""),
        a_page("https://a.example/plain", "Just this.", headers=TEXT),
    )
    make_missing(directory)
    assert [(row["url"], row["how"], row["text"]) for row in rows(directory)] == [
        ("https://a.example/plain", "plain", "Just this.")
    ]


def test_a_body_that_is_known_is_read_for_another_url_and_not_repeated_for_its_own(stored: Stored) -> None:
    again = {"began": BEGAN + 5}
    directory = stored(
        a_page("https://a.example/x", PAGE),
        a_page("https://a.example/copy", PAGE, **again),
        a_page("https://a.example/x", PAGE, began=BEGAN + 9),
    )
    make_missing(directory)
    copy, first, second = rows(directory)
    assert (copy["revisit"], copy["text"]) == (True, TOLD)
    assert (first["revisit"], first["text"]) == (False, TOLD)
    assert (second["revisit"], second["text"], second["title"]) == (True, None, "Ein Titel")
    assert second["digest"] == first["digest"]


@pytest.mark.slow
def test_what_robots_txt_said_when_the_page_was_fetched_counts(stored: Stored) -> None:
    """Here it is in a file of its own, as it is for a page that is fetched an hour later, and it changed since."""
    refusing = "User-agent: *\nContent-Signal: search=yes, ai-train=no\n"
    stored(a_page("https://a.example/robots.txt", refusing, headers=TEXT, lease=ROBOTS, began=BEGAN), at=BEGAN)
    stored(a_page("https://a.example/x", PAGE, began=BEGAN + 50), at=BEGAN + 50)
    stored(
        a_page("https://a.example/robots.txt", "User-agent: *", headers=TEXT, lease=ROBOTS, began=BEGAN + 90),
        a_page("https://a.example/y", PAGE + "<p>More</p>", began=BEGAN + 100),
        at=BEGAN + 90,
    )
    directory = stored(a_page("https://b.example/x", PAGE + "<p>b</p>", began=BEGAN + 120), at=BEGAN + 120)
    make_missing(directory)
    found = {row["url"]: (row["content_signal"], row["reserved"]) for row in rows(directory)}
    assert found == {
        "https://a.example/x": ("search=yes, ai-train=no", ["ai_train"]),
        "https://a.example/y": (None, []),
        "https://b.example/x": (None, []),
    }


def test_tdmrep_counts_if_it_was_fetched(stored: Stored) -> None:
    rules = json.dumps([{"location": "/x*", "tdm-reservation": 1, "tdm-policy": "https://a.example/policy"}])
    directory = stored(
        a_page("https://a.example/.well-known/tdmrep.json", rules, headers=(("Content-Type", "application/json"),)),
        a_page("https://a.example/x", PAGE, began=BEGAN + 1),
    )
    make_missing(directory)
    row = rows(directory)[-1]
    assert (row["tdm_reservation"], row["tdm_policy"], row["reserved"]) == (
        True,
        "https://a.example/policy",
        ["ai_train", "tdm"],
    )


def test_what_plug_ins_found_is_there(stored: Stored) -> None:
    directory = stored(a_page("https://a.example/x", PAGE, fields={"price": "12 €"}))
    make_missing(directory)
    assert json.loads(rows(directory)[0]["fields"]) == {"price": "12 €"}


def test_headers_and_metas_say_what_is_reserved(stored: Stored) -> None:
    directory = stored(
        a_page("https://a.example/1", PAGE, headers=(*HTML, ("X-Robots-Tag", "noai"))),
        a_page("https://a.example/2", PAGE.replace("<title>", "<meta name=robots content=noarchive><title>")),
    )
    make_missing(directory)
    one, two = rows(directory)
    assert (one["noai"], one["reserved"]) == (True, ["ai_input", "ai_train"])
    assert (two["noarchive"], two["reserved"]) == (True, ["archive"])


@pytest.mark.slow
def test_a_pdf_sent_as_html_is_read_as_what_it_is(stored: Stored) -> None:
    directory = stored(a_page("https://a.example/paper", a_pdf("Words of a paper.")))
    make_missing(directory)
    (row,) = rows(directory)
    assert (row["declared"], row["media"], row["how"]) == ("text/html", "application/pdf", "pdf")
    assert (row["title"], row["text"].strip()) == ("A paper", "Words of a paper.")
    assert str(row["published_at"]) == "2026-01-02 03:04:05"


def test_of_a_rendered_page_the_snapshot_is_read(stored: Stored) -> None:
    headers = (*HTML, ("X-Robots-Tag", "noai"))
    empty = "<div id=root></div><script src=a.js></script>"
    snapshot = Snapshot(PAGE.encode(), "https://a.example/app", Rendering("empty"))
    directory = stored(a_page("https://a.example/app", empty, headers=headers, snapshot=snapshot))
    make_missing(directory)
    (row,) = rows(directory)
    assert (row["url"], row["rendered"], row["text"], row["noai"]) == ("https://a.example/app", True, TOLD, True)


def test_quick_takes_all_that_is_visible(stored: Stored) -> None:
    directory = stored(a_page("https://a.example/x", f"<nav><a href=/>Home</a></nav>{PAGE}"))
    (directory / "skitter.toml").write_text('[content]\ntext = "quick"\n')
    make_missing(directory)
    (row,) = rows(directory)
    assert row["how"] == "html-quick"
    assert "Home" in row["text"]
    assert SAID in row["text"]


def test_what_is_made_is_not_made_again_and_is_the_same_if_it_is(stored: Stored) -> None:
    directory = stored(a_page("https://a.example/x", PAGE))
    make_missing(directory)
    before = rows(directory)
    assert make_missing(directory) == []
    for path in (directory / "parquet" / "text").rglob("*.parquet"):
        path.unlink()
    assert len(make_missing(directory)) == 1
    assert rows(directory) == before


def test_a_damaged_file_is_told_and_the_others_are_read(stored: Stored) -> None:
    stored(a_page("https://a.example/x", PAGE))
    directory = stored(a_page("https://a.example/y", PAGE + "<p>y</p>"), at=BEGAN + 60)
    first, _ = sealed_files(directory / "warc")
    raw = bytearray(first.read_bytes())
    raw[len(raw) // 2] ^= 0xFF
    first.write_bytes(raw)
    made = make_missing(directory)
    assert [bool(one.trouble) for one in made] == [True, False]
    assert "damaged" in made[0].trouble
    assert [row["url"] for row in rows(directory)] == ["https://a.example/y"]
    assert not list((directory / "parquet").rglob("*.tmp"))


def test_what_a_kill_left_half_made_is_removed(stored: Stored) -> None:
    directory = stored(a_page("https://a.example/x", PAGE))
    (path,) = sealed_files(directory / "warc")
    half = directory / "parquet" / "text" / "2026" / "11" / "15" / f"{path.name.removesuffix('.warc.gz')}.parquet.tmp"
    half.parent.mkdir(parents=True)
    half.write_bytes(b"PAR1 and no more")
    make_missing(directory)
    assert not half.exists()
    assert len(rows(directory)) == 1


def test_the_manifest_tells_every_file_with_its_digest(stored: Stored) -> None:
    from hashlib import sha256

    directory = stored(a_page("https://a.example/x", PAGE))
    make_missing(directory)
    (path,) = (directory / "parquet" / "text").rglob("*.parquet")
    manifest = read_manifest(path.parent)
    assert manifest is not None
    (file,) = manifest.files
    assert (manifest.rows, file.name, file.rows) == (1, path.name, 1)
    assert file.sha256 == sha256(path.read_bytes()).hexdigest()
    assert file.made_of == [path.stem]
    assert read_manifest(directory) is None


@pytest.mark.slow
def test_merged_tables_are_known_for_what_they_are_made_of(stored: Stored) -> None:
    stored(a_page("https://a.example/x", PAGE))
    directory = stored(a_page("https://a.example/y", PAGE + "<p>y</p>"), at=BEGAN + 60)
    make_missing(directory)
    compact(directory, BEGAN + 3 * DAY)
    (path,) = (directory / "parquet" / "text").rglob("*.parquet")
    assert "merged" in path.name
    assert len(made_files(directory)) == 2
    assert missing_files(directory) == []
    assert len(rows(directory)) == 2
    manifest = read_manifest(path.parent)
    assert manifest is not None
    assert (manifest.rows, [file.name for file in manifest.files]) == (2, [path.name])
    assert len(manifest.files[0].made_of) == 2


@pytest.mark.slow
def test_several_processes_make_what_one_makes(stored: Stored, tmp_path_factory: pytest.TempPathFactory) -> None:
    for number in range(3):
        directory = stored(a_page(f"https://a.example/{number}", f"{PAGE}<p>{number}</p>"), at=BEGAN + 60 * number)
    alone, together = (tmp_path_factory.mktemp(name) for name in ("alone", "together"))
    make_missing(directory, out=alone)
    make_missing(directory, 2, out=together)
    assert rows(alone) == rows(together)
    assert len(rows(alone)) == 3


def test_one_process_at_a_time(stored: Stored) -> None:
    import fcntl
    import os

    directory = stored(a_page("https://a.example/x", PAGE))
    folder = directory / "parquet" / "text"
    folder.mkdir(parents=True)
    held = os.open(folder, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    assert make_missing(directory) == []
    assert not list(folder.rglob("*.parquet"))
    os.close(held)


def test_pictures_have_a_table(stored: Stored) -> None:
    gif = b"GIF89a\x20\x03\x58\x02" + b"\0" * 20
    directory = stored(
        a_page(
            "https://a.example/i.gif",
            gif,
            headers=(("Content-Type", "image/png"),),
            lease={"parent": "https://a.example/"},
        )
    )
    make_missing(directory)
    (row,) = rows(directory, "images")
    assert (row["media"], row["declared"]) == ("image/gif", "image/png")
    assert (row["width"], row["height"], row["kept"], row["page"]) == (800, 600, True, "https://a.example/")
    assert [row["how"] for row in rows(directory)] == ["none"]


def test_any_folder_that_is_no_crawl_has_nothing(tmp_path: Path) -> None:
    assert make_missing(tmp_path) == []
