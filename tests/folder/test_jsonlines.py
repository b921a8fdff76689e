"""Files of JSON lines: appended one by one, the last ones read, whatever was cut off."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from skitter.folder.jsonlines import append_line, last_lines, lines_in
from skitter.metrics.table import metrics
from skitter.metrics.text import rendered


class Line(Struct, frozen=True):
    number: int
    text: str = ""


def test_the_last_ones_are_read_newest_first(tmp_path: Path) -> None:
    file = tmp_path / "log"
    assert last_lines(file, Line, 5) == []
    for number in range(7):
        append_line(file, Line(number))
    with file.open("ab") as stream:
        stream.write(b'{"number": 7')  # killed in the middle
    assert [line.number for line in last_lines(file, Line, 3)] == [6, 5, 4]
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_long_file_is_read_from_its_end_only(tmp_path: Path) -> None:
    file = tmp_path / "log"
    line = b'{"number": 1, "text": "%s"}\n' % (b"x" * 10_000)
    file.write_bytes(line * 300)
    assert 90 < len(last_lines(file, Line, 1000)) < 110


def test_complaints_are_counted_and_shown(tmp_path: Path) -> None:
    file = tmp_path / "complaints.jsonl"
    assert lines_in(file) == 0
    append_line(file, Line(1))
    append_line(file, Line(2))
    shown = rendered(metrics([], [], lines_in(file))).decode()
    assert "skitter_webmaster_complaints_total 2" in shown
