"""The nightly look over the folder of a crawl: what it reads, what it publishes, and what it says of what it can't."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from skitter.errors import MachineError, OperatorError
from skitter.folder.inbox import FolderInbox
from skitter.ports import HostRank, Ranks
from skitter.rank.forms import FORMS, form_of
from skitter.rank.look import look
from skitter.rank.published import Rank, newest, ranks_folder, ranks_of
from skitter.rank.survey import quick
from skitter.rank.survey.form import Form
from tests.rank.folders import made, table_path, write_captures, write_links
from tests.rank.webs import ROUTES

NOW = 1_800_000_000.0
DAY = 86400.0


def ranks(folder: Path) -> dict[str, Rank]:
    """Returns all ranks: of domains by their names, of hosts by `host ` and theirs."""
    path = newest(folder)
    assert path is not None
    return {f"host {one.name}" if one.kind == "host" else one.name: one for one in ranks_of(path, range(8))}


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    return made(tmp_path / "crawl")


@pytest.mark.parametrize("is_native", [True, False], ids=["kernel", "Python"])
def test_from_tables_to_ranks(crawl: Path, monkeypatch: pytest.MonkeyPatch, *, is_native: bool) -> None:
    monkeypatch.setattr(quick, "IS_NATIVE", is_native)
    write_links(crawl, ("http://a.com/", "https://www.b.com/x"), ("http://a.com/", "http://sub.b.com/"))
    write_links(crawl, ("http://c.com/", "http://b.com/"), ("http://c.com/", "http://c.com/own"), file="later")
    write_links(crawl, ("http://a.com/", "http://d.com/"), file="asked not to", nofollow=True)
    write_links(crawl, ("http://a.com/", "http://e.com/"), file="by its page", refused="nofollow")
    write_links(crawl, ("http://a.com/", "http://f.com/i.png"), file="embeds", kind="embed")
    write_captures(crawl, [{"url": "http://b.com/x", "host": "b.com", "digest": "1"}])
    done = look(crawl, NOW)
    assert (done.links, done.captures, done.domains, done.hosts, done.mirrors) == (7, 1, 5, 6, 0)
    found = ranks(crawl)
    assert found.keys() == {f"{kind}{name}.com" for kind in ("", "host ") for name in "abcde"} | {"host sub.b.com"}
    assert {name: one.in_degree for name, one in found.items() if one.in_degree} == {
        "b.com": 2,
        "host b.com": 2,
        "host sub.b.com": 1,
    }
    assert found["host sub.b.com"].domain == "b.com"
    assert found["a.com"].reasons == ["seed"]
    assert found["a.com"].worth == 0.5
    assert found["d.com"].reasons == found["e.com"].reasons == ["unknown", "nofollow"]
    assert (found["b.com"].pages, found["b.com"].errors, found["a.com"].errors) == (1, 0.0, None)
    assert found["host b.com"].pagerank is None
    assert sum(one.pagerank or 0 for one in found.values()) == pytest.approx(1, abs=1e-5)
    assert all(one.shard == ROUTES.shard_of(one.name) for one in found.values())


@pytest.mark.parametrize(
    ("reasons", "kind"),
    [("noindex soft_404", pa.string()), (["noindex", "soft_404"], pa.list_(pa.string()))],
    ids=["one text", "a list"],
)
def test_what_the_judge_said(crawl: Path, reasons: object, kind: pa.DataType) -> None:
    write_links(crawl, ("http://a.com/", "http://b.com/"))
    usual = {"host": "b.com", "digest": "x"}
    rows = [
        {**usual, "url": "http://b.com/1", "reasons": reasons, "digest": "1"},
        {**usual, "url": "http://b.com/2", "duplicate_of": "http://b.com/1", "digest": "2"},
        {**usual, "url": "http://b.com/3", "content_bytes": 10, "digest": "3"},
        {**usual, "url": "http://b.com/4", "status": 404, "digest": "4"},
        {**usual, "url": "http://b.com/robots.txt", "errand": "robots", "digest": "5"},
    ]
    write_captures(crawl, rows, reasons=kind, duplicate_of=pa.string(), simhash=pa.uint64())
    look(crawl, NOW)
    found = ranks(crawl)["host b.com"]
    thirds = pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert (found.duplicates, found.soft_404, found.thin) == thirds
    assert (found.pages, found.errors, found.changed) == (3, 0.25, None)


def test_a_word_that_only_begins_alike_is_no_reason(crawl: Path) -> None:
    write_links(crawl, ("http://a.com/", "http://b.com/"))
    write_captures(crawl, [{"url": "http://b.com/1", "host": "b.com", "digest": "1", "reasons": "not_soft_404"}])
    look(crawl, NOW)
    assert ranks(crawl)["b.com"].soft_404 == 0


def test_a_mirror_is_told(crawl: Path) -> None:
    write_links(crawl, ("http://a.com/", "http://b.com/"), ("http://c.com/", "http://b.com/"))
    pages = [
        {"url": f"http://{host}/{number}", "host": host, "digest": f"{host}{number}", "simhash": (7**19 * number) ^ bit}
        for number in range(1, 6)
        for host, bit in (("b.com", 0), ("copy.com", 4))
    ]
    write_captures(crawl, pages, simhash=pa.uint64())
    assert look(crawl, NOW).mirrors == 1
    found = ranks(crawl)
    assert (found["host copy.com"].mirror_of, found["copy.com"].mirror_of) == ("b.com", "b.com")
    assert found["copy.com"].reasons == ["unknown", "mirror"]
    assert found["b.com"].mirror_of is None
    copy = found["host copy.com"]
    assert (copy.mirrored_at, copy.same_paths, copy.other_paths) == ("http://b.com", 5, 0)
    assert (found["copy.com"].mirrored_at, found["host b.com"].same_paths) == (None, None)
    told = [one for _, ranks in FolderInbox(crawl).pending(range(8)) if isinstance(ranks, Ranks) for one in ranks.hosts]
    assert {one.host: one for one in told} == {
        "b.com": HostRank("b.com", round(found["host b.com"].worth, 4)),
        "copy.com": HostRank("copy.com", round(copy.worth, 4), "http://b.com", 5),
    }, "hosts of which nothing was fetched are not told of"


@pytest.mark.parametrize("is_native", [True, False], ids=["kernel", "Python"])
def test_of_several_forms_the_one_with_most_inlinks(
    crawl: Path, monkeypatch: pytest.MonkeyPatch, *, is_native: bool
) -> None:
    monkeypatch.setattr(quick, "IS_NATIVE", is_native)
    page, print_form = "http://b.com/x", "http://b.com/x/print"
    write_links(crawl, ("http://a.com/", print_form), ("http://c.com/", print_form), ("http://c.com/", page))
    copies = [{"url": page, "host": "b.com", "digest": "1"}, {"url": print_form, "host": "b.com", "digest": "2"}]
    write_captures(crawl, [copies[0], copies[1] | {"duplicate_of": page}])
    for day in range(3):
        look(crawl, NOW + day * DAY)
    assert form_of(crawl, page) == Form(page, print_form, 1, 2)
    assert form_of(crawl, print_form) == Form(print_form, print_form, 2, 2)
    assert form_of(crawl, "http://b.com/") is None
    assert len(list(ranks_folder(crawl).glob(FORMS))) == 2
    write_captures(crawl, [{**copies[1], "fetched_at": 9}], file="skitter-20270101000000-0-0000")
    look(crawl, NOW + 9 * DAY)
    assert form_of(crawl, page) is None, "it says something else now"


def test_the_two_newest_are_kept_and_the_newest_counts(crawl: Path) -> None:
    assert newest(crawl) is None
    write_links(crawl, ("http://a.com/", "http://b.com/"))
    left = ranks_folder(crawl) / ".ranks-20200101000000.parquet"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")
    made_of = [look(crawl, NOW + day * DAY).ranks for day in range(3)]
    assert str(newest(crawl)) == made_of[-1]
    assert sorted(map(str, ranks_folder(crawl).glob("ranks-*.parquet"))) == made_of[1:]
    assert not left.exists()


def test_a_node_reads_its_shards_alone(crawl: Path) -> None:
    write_links(crawl, *((f"http://s{number}.com/", f"http://t{number}.com/") for number in range(200)))
    path = Path(look(crawl, NOW).ranks)
    whole = list(ranks_of(path, range(8)))
    assert len(whole) == 802
    assert [one.shard for one in whole] == sorted(one.shard for one in whole)
    assert list(ranks_of(path, {3, 5})) == [one for one in whole if one.shard in (3, 5)]
    assert list(ranks_of(path, [])) == []
    about = pq.ParquetFile(path).metadata
    bounds = [about.row_group(group).column(0).statistics for group in range(about.num_row_groups)]
    assert all(one.min == one.max for one in bounds), "a row group holds more than one shard"


def test_not_a_crawl(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match=r"is not the folder of a crawl"):
        look(tmp_path, NOW)


def test_no_tables_yet(crawl: Path) -> None:
    with pytest.raises(OperatorError, match=r"DIR = .*: has no tables with links yet"):
        look(crawl, NOW)


def test_only_one_at_a_time(crawl: Path) -> None:
    write_links(crawl, ("http://a.com/", "http://b.com/"))
    look(crawl, NOW)
    with (ranks_folder(crawl) / "lock").open() as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        with pytest.raises(OperatorError, match="is being ranked just now"):
            look(crawl, NOW)


def test_a_table_that_is_none(crawl: Path) -> None:
    table_path(crawl, "links").write_bytes(b"PAR1 and no more PAR1")
    with pytest.raises(MachineError, match=rf"a table can't be read .*{crawl}.*Remove the index files of that day"):
        look(crawl, NOW)
    assert newest(crawl) is None


def test_a_table_that_is_damaged_in_the_middle(crawl: Path) -> None:
    write_links(crawl, *((f"http://a.com/{number}", f"http://b{number}.com/") for number in range(999)))
    path = table_path(crawl, "links")
    whole = bytearray(path.read_bytes())
    whole[20:2000] = bytes(1980)
    path.write_bytes(whole)
    with pytest.raises(MachineError, match="a table can't be read"):
        look(crawl, NOW)


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"source": ["a"], "target": ["b"]}, "it has no column kind"),
        ({"source": ["a"], "target": ["b"], "kind": ["c"], "nofollow": ["perhaps"]}, "perhaps"),
        ({"source": ["a"], "target": [[1]], "kind": ["c"], "nofollow": [True]}, "list"),
    ],
    ids=["a column less", "a word for a bit", "a list for a text"],
)
def test_a_table_of_something_else(crawl: Path, columns: dict[str, list[object]], told: str) -> None:
    pq.write_table(pa.table(columns), table_path(crawl, "links"))
    with pytest.raises(MachineError, match=rf"a table can't be read \(.*{told}"):
        look(crawl, NOW)


def test_ranks_that_are_none(crawl: Path) -> None:
    path = ranks_folder(crawl) / "ranks-20260101000000.parquet"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"")
    with pytest.raises(MachineError, match="ranks can't be read"):
        list(ranks_of(path, [0]))


def test_progress_is_told(crawl: Path) -> None:
    told: list[tuple[str, int, int]] = []
    write_links(crawl, ("http://a.com/", "http://b.com/"))
    look(crawl, NOW, lambda *what: told.append(what))
    assert [what for what, _, _ in told][:2] == ["reading links", "bringing together"]
    assert told[-1] == ("writing", 4, 4)
