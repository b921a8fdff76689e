"""Links that were not followed are found again in the tables, as the archive writes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from pyarrow import parquet  # type: ignore[import-untyped]

from skitter.errors import MachineError
from skitter.inspection.folder import Folder
from skitter.inspection.refused import MOST, RefusedLink, refused_links
from skitter.inspection.why import Story, why
from skitter.store.index.parquet import SCHEMAS

if TYPE_CHECKING:
    from tests.inspection.conftest import Crawler

Open = Callable[[], Folder]
PAGE = "http://a.org/page"


def write_table(folder: Path, name: str, *rows: tuple[str, str | None], schema: pa.Schema = SCHEMAS["links"]) -> None:
    """Writes a links table of links on PAGE, each to a target and with a reason or none."""
    (folder / "parquet" / "links").mkdir(parents=True, exist_ok=True)
    full = [
        {"source": PAGE, "target": target, "tag": "a", "kind": "navigation", "nofollow": False, "refused": reason}
        for target, reason in rows
    ]
    parquet.write_table(pa.Table.from_pylist(full, schema), folder / "parquet" / "links" / f"{name}.parquet")


def test_only_links_with_a_reason_are_told(tmp_path: Path) -> None:
    assert refused_links(tmp_path, ["http://b.org/"]) == []
    write_table(tmp_path, "one", ("http://b.org/", None), ("http://c.org/", "too_deep"))
    write_table(tmp_path, "two", ("http://b.org/", "out_of_scope"))
    assert refused_links(tmp_path, ["http://b.org/"]) == [RefusedLink(PAGE, "navigation", "out_of_scope")]


def test_a_few_are_told_of_many(tmp_path: Path) -> None:
    write_table(tmp_path, "one", *[("http://b.org/", "trap")] * 100)
    assert len(refused_links(tmp_path, ["http://b.org/"])) == MOST


def test_tables_from_before_there_were_reasons_say_nothing(tmp_path: Path) -> None:
    old = pa.schema([field for field in SCHEMAS["links"] if field.name != "refused"])
    write_table(tmp_path, "1-old", ("http://b.org/", "out_of_scope"), schema=old)
    write_table(tmp_path, "2-new", ("http://b.org/", "nofollow"))
    assert [link.reason for link in refused_links(tmp_path, ["http://b.org/"])] == ["nofollow"]


def test_a_damaged_table_is_named(tmp_path: Path) -> None:
    write_table(tmp_path, "one")
    (tmp_path / "parquet" / "links" / "one.parquet").write_bytes(b"PAR1")
    with pytest.raises(MachineError, match=r"one\.parquet"):
        refused_links(tmp_path, ["http://b.org/"])


ASKED = ["http://b.org/x", "b.org/x", "HTTP://B.org:80/x#part", "http://b.org/%7Ex", "http://b.org/~x"]


@pytest.mark.parametrize("text", ASKED)
def test_a_url_that_was_found_but_refused_has_a_story(crawler: Crawler, folder: Open, text: str) -> None:
    write_table(crawler.directory, "one", ("http://b.org/x", "out_of_scope"), ("http://b.org/%7Ex", "out_of_scope"))
    story = why(folder(), text, 0.0)
    assert isinstance(story, Story)
    told = [] if "~" in text else [RefusedLink(PAGE, "navigation", "out_of_scope")]
    assert (story.found, story.refused) == (None, told)


def test_of_a_url_that_is_known_no_refusals_are_told(crawler: Crawler, folder: Open) -> None:
    write_table(crawler.directory, "one", ("http://a.org/", "nofollow"))
    story = why(folder(), "http://a.org/", 0.0)
    assert isinstance(story, Story)
    assert story.refused == []


def test_what_is_not_indexed_yet_is_owned_up_to(crawler: Crawler, folder: Open) -> None:
    for name, is_all in (("one.warc.gz", True), ("two.warc.gz.open", False)):
        (crawler.directory / "warc").mkdir(exist_ok=True)
        (crawler.directory / "warc" / name).write_bytes(b"")
        story = why(folder(), "http://b.org/", 0.0)
        assert isinstance(story, Story)
        assert story.all_indexed is is_all
