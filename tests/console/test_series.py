"""Numbers over time: bounded on disk, read on from where we were, and rates only where there is something to say."""

from __future__ import annotations

from pathlib import Path

from msgspec import structs

from skitter.console.series import SeriesReader, series_of
from skitter.supervisor.progress import Progress, Snapshot
from skitter.supervisor.series import MOST_LINES, Point, SeriesWriter, read_points, thinned

DAY = 86400.0


def point(at: float, pages: int, began: float = 0.0, **more: int) -> Point:
    return Point(at, began, pages, pages, 0, 10 * pages, 1, 1, [0] * 7, failures=more)


def snapshot(at: float, pages: int) -> Snapshot:
    empty = Progress(1, 0.0).snapshot(at)
    return structs.replace(empty, counted=structs.replace(empty.counted, pages=pages))


def test_an_hour_is_kept_whole_and_a_day_by_the_minute() -> None:
    points = [point(at, at) for at in range(0, 2 * int(DAY), 5)]
    now = 2 * DAY
    kept = thinned(points, now)
    assert kept[0].at > now - DAY
    fine = [one.at for one in kept if one.at > now - 3600]
    assert fine == [one.at for one in points if one.at > now - 3600]
    coarse = [one.at // 60 for one in kept if one.at <= now - 3600]
    assert len(coarse) == len(set(coarse)) <= 1440
    assert thinned(kept, now) == kept


def test_rates_are_between_two_points_of_one_run() -> None:
    points = [point(0, 0), point(5, 10), point(10, 5, began=6.0), point(15, 15, began=6.0), point(900, 20, began=6.0)]
    found = series_of(points, 5.0)
    assert found.at == [0, 5, 10, 15, 900]
    assert found.columns["pages"] == [None, 2.0, None, 2.0, None]
    assert found.columns["received"][1] == 20.0
    assert found.columns["in_flight"] == [1] * 5
    assert series_of([], 5.0).columns["pages"] == []


def test_failures_have_a_column_by_kind() -> None:
    found = series_of([point(0, 0), point(5, 0, reset=10)], 5.0)
    assert found.columns["failed_reset"] == [None, 2.0]


def test_the_file_is_bounded_and_a_reader_goes_on_where_it_was(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    writer, reader = SeriesWriter(tmp_path), SeriesReader(tmp_path)
    assert reader.series(3600.0, 0.0).at == []
    for number in range(MOST_LINES + 500):
        writer.take(snapshot(5.0 * number, number))
        if not number % 500:
            assert reader.series(60.0, 5.0 * number).at[-1] == 5.0 * number
    now = 5.0 * (MOST_LINES + 499)
    assert len(read_points(tmp_path / "run" / "series.jsonl")) <= MOST_LINES
    hour = reader.series(3600.0, now)
    assert hour.at[0] == now - 3600.0 + 5.0
    assert set(hour.columns["pages"][1:]) == {0.2}
    day = reader.series(DAY, now)
    assert {round(rate or 0.2, 6) for rate in day.columns["pages"]} == {0.2}
    assert day.every == 60.0


def test_a_line_that_was_cut_off_is_left_out_and_a_full_disk_no_reason_to_stop(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    SeriesWriter(tmp_path).take(snapshot(5.0, 1))
    with (tmp_path / "run" / "series.jsonl").open("ab") as file:
        file.write(b"[10.0, 0.0, ")
    assert [one.at for one in read_points(tmp_path / "run" / "series.jsonl")] == [5.0]
    SeriesWriter(tmp_path / "nowhere").take(snapshot(5.0, 1))
