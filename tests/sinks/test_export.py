"""What is there already, brought elsewhere: all of it, once, and on the terms that sites set."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from typer.testing import CliRunner

from skitter.cli.app import app
from skitter.errors import OperatorError, SkitterError
from skitter.sinks.signals import SIGNALS
from skitter.sinks.text import TextSource
from skitter.store.index.contents import TEXT
from tests.sinks.archives import BEGAN, Archive, lines_of
from tests.sinks.conftest import Database

FILE = "skitter-20261115203000-0-{:05d}"


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    made = Archive(tmp_path / "crawl")
    made.add(60)
    made.seal()
    made.add(40)
    return made


def export(archive: Archive, *arguments: str) -> Any:
    """Returns what `skitter export --json` says, or raises what it would end with."""
    done = CliRunner().invoke(app("export"), ["export", str(archive.directory), *arguments, "--json"])
    if done.exception is not None:
        raise done.exception
    return json.loads(done.stdout or "{}")


def text_rows(archive: Archive, number: int, *rows: dict[str, Any]) -> Path:
    """Writes a text table as `content` does."""
    name = FILE.format(number)
    path = archive.directory / "parquet" / "text" / "2026" / "11" / "15" / f"{name}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    usual = {
        "host": "a.test",
        "fetched_at": datetime.fromtimestamp(BEGAN, UTC).replace(tzinfo=None),
        "text": "words",
        "reserved": [],
        "warc_file": f"{name}.warc.gz",
        "warc_offset": 1,
        "noindex": False,
        "noarchive": False,
        "nosnippet": False,
        "noai": False,
    }
    pq.write_table(pa.Table.from_pylist([usual | row for row in rows], schema=TEXT), path)
    return path


SAID = {
    "noindex": {"noindex": True},
    "noarchive": {"noarchive": True},
    "nosnippet": {"nosnippet": True},
    "noai": {"noai": True},
    "tdm-reservation": {"tdm_reservation": True},
    "content-signal": {"content_signal": "search=yes, ai-train=no"},
    "content-usage": {"content_usage": "train-ai=n"},
}


def test_there_is_a_case_for_every_signal() -> None:
    assert SAID.keys() == SIGNALS.keys()


@pytest.mark.parametrize("signal", SAID)
def test_each_signal_keeps_a_text_back_unless_it_is_said(archive: Archive, tmp_path: Path, signal: str) -> None:
    text_rows(archive, 0, {"url": "http://a.test/open"}, {"url": "http://a.test/kept", **SAID[signal]})
    done = export(archive, "--to", "jsonl", "--out", str(tmp_path / "a.jsonl"), "--table", "text")
    assert (done["rows"], done["kept_back"], done["kept_back_by"]) == (1, 1, {signal: 1})
    assert [json.loads(line)["url"] for line in lines_of(tmp_path / "a.jsonl")] == ["http://a.test/open"]
    arguments = ["--to", "jsonl", "--out", str(tmp_path / "b.jsonl"), "--table", "text", "--despite", signal]
    done = export(archive, *arguments)
    assert (done["rows"], done["kept_back"], done["despite"]) == (2, 0, [signal])
    recorded = [json.loads(line) for line in lines_of(archive.directory / "sinks" / "exports.jsonl")]
    assert [one["despite"] for one in recorded] == [[], [signal]], "who passed over what is on record"


def test_signals_that_allow_keep_nothing_back(archive: Archive) -> None:
    text_rows(
        archive,
        0,
        {"url": "http://a.test/1", "content_signal": "search=yes, ai-train=yes", "content_usage": "train-ai=y"},
        {"url": "http://a.test/2", "tdm_reservation": False},
    )
    (batch,) = TextSource(archive.directory, None).batches()
    assert len(batch.rows[0].rows) == 2


def test_texts_go_on_where_they_were_also_after_a_merge(archive: Archive, tmp_path: Path) -> None:
    one = text_rows(archive, 0, *({"url": f"http://a.test/{n}"} for n in range(450)))
    source = TextSource(archive.directory, None)
    first = next(source.batches())
    assert len(first.rows[0].rows) == 200
    two = text_rows(archive, 1, {"url": "http://a.test/x"}, {"url": "http://a.test/y", "noai": True})
    tables = [pq.read_table(path) for path in (one, two)]
    pq.write_table(pa.concat_tables(tables), one.with_name("skitter-20261115-merged-00000.parquet"))
    one.unlink()
    two.unlink()
    rest = list(TextSource(archive.directory, first.bookmark).batches())
    urls = [row[0] for batch in rest for rows in batch.rows for row in rows.rows]
    assert urls == [*(f"http://a.test/{n}" for n in range(200, 450)), "http://a.test/x"]
    last = TextSource(archive.directory, rest[-1].bookmark)
    assert (list(last.batches()), last.rows_kept_back, last.behind()) == ([], 1, 0)


def test_terms_can_not_change_in_the_middle(archive: Archive) -> None:
    text_rows(archive, 0, {"url": "http://a.test/1"})
    (batch,) = TextSource(archive.directory, None, ["noai"]).batches()
    with pytest.raises(OperatorError, match="--despite noai"):
        TextSource(archive.directory, batch.bookmark)


def test_json_lines_equal_captures_and_go_on(archive: Archive, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    arguments = ("--to", "jsonl", "--out", str(file))
    assert export(archive, *arguments)["rows"] == archive.captures
    assert export(archive, *arguments)["rows"] == 0
    archive.add(7)
    assert export(archive, *arguments)["rows"] == 7
    rows = [json.loads(line) for line in lines_of(file)]
    assert len(rows) == archive.captures == len({(row["url"], row["fetched_at"]) for row in rows})


def test_a_file_of_somebody_else_is_left_alone(archive: Archive, tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text("precious\n")
    with pytest.raises(OperatorError, match="holds something else"):
        export(archive, "--to", "jsonl", "--out", str(file))
    assert file.read_text() == "precious\n"


def test_parquet_equals_captures_and_links(archive: Archive, tmp_path: Path) -> None:
    out = tmp_path / "tables"
    arguments = ("--to", "parquet", "--out", str(out), "--table", "captures", "--table", "links")
    export(archive, *arguments)
    archive.add(9)
    done = export(archive, *arguments)
    assert pq.read_table(out / "captures").num_rows == archive.answers
    assert pq.read_table(out / "links").num_rows == archive.links
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest == done
    assert sum(file["rows"] for file in manifest["files"]) == archive.answers + archive.links
    (out / "captures" / "part-00002.parquet").write_bytes(b"left by a kill before the commit")
    archive.add(1)
    export(archive, *arguments)
    assert pq.read_table(out / "captures").num_rows == archive.answers


def test_since_takes_what_was_fetched_from_then_on(archive: Archive, tmp_path: Path) -> None:
    moment = datetime.fromtimestamp(BEGAN + 90, UTC).isoformat()
    done = export(archive, "--to", "jsonl", "--out", str(tmp_path / "late.jsonl"), "--since", moment)
    assert done["rows"] == 10


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--to", "excel"], "--to = 'excel'"),
        (["--to", "parquet"], "name the folder"),
        (["--to", "jsonl", "--table", "pages"], "must be one of captures"),
        (["--to", "jsonl", "--table", "text", "--table", "links"], "export it by itself"),
        (["--to", "jsonl", "--since", "yesterday"], "must be a time"),
        (["--to", "jsonl", "--despite", "robots"], "must be one of noindex"),
        (["--to", "https://a.test/", "--out", "x"], "is for --to parquet and --to jsonl"),
        (["--to", "https://a.test/"], "SKITTER_WEBHOOK_SECRET"),
    ],
)
def test_mistakes_are_named(archive: Archive, arguments: list[str], words: str) -> None:
    with pytest.raises(SkitterError, match=words) as caught:
        export(archive, *arguments)
    assert caught.value.exit_code == 2


def test_a_folder_without_a_crawl_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(app("export"), ["export", str(tmp_path), "--to", "jsonl"])
    assert "is not the folder of a crawl" in str(done.exception)


@pytest.mark.slow
def test_to_postgres_it_goes_on_where_the_live_sink_was(archive: Archive, database: Database) -> None:
    done = export(archive, "--to", database.url)
    assert done["rows"] >= archive.captures
    assert export(archive, "--to", database.url)["rows"] == 0
    assert database.count("crawl_log") == archive.answers
    text_rows(
        archive,
        0,
        {"url": "http://a.test/1", "text": "n\0l", "facts": '{"og": "\\u0000"}', "reserved": ["ai_train"]},
        {"url": "http://a.test/2", "noindex": True},
    )
    for _ in range(2):
        export(archive, "--to", database.url, "--table", "text")
    assert database.rows("select url, text, reserved from page_text") == [("http://a.test/1", "n\ufffdl", ["ai_train"])]


@pytest.mark.slow
def test_tables_of_the_first_version_are_migrated(archive: Archive, database: Database) -> None:
    export(archive, "--to", database.url)
    database.do("drop table page_text")
    database.do("alter table crawl_log drop column rendered")
    database.do("update skitter_schema set version = 1")
    archive.add(5)
    export(archive, "--to", database.url)
    assert database.rows("select version from skitter_schema") == [(3,)]
    assert database.count("page_text") == 0
    assert database.count("crawl_log") == archive.answers


@pytest.mark.slow
def test_a_database_that_is_away_ends_it_in_words(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skitter.sinks.export.export.__kwdefaults__", {"on_batch": print, "patience": 0.1})
    with pytest.raises(SkitterError, match="can't be reached") as caught:
        export(archive, "--to", "postgres://nobody@127.0.0.1:1/nothing")
    assert caught.value.exit_code == 4
