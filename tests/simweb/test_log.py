from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from skitter.simweb.log import LogWriter, Request, read_log

ONE = Request(
    number=1,
    connection=4,
    host="h0001.sim.test:8080",
    address="127.20.0.2",
    method="GET",
    path="/search?q=3",
    agent="skitter/1",
    began=12.5,
    began_wall=1_700_000_000.25,
    at_host=1,
    at_address=2,
    waited=0.25,
)
TWO = structs.replace(ONE, number=2, path="/p/1", agent="", began=13.0)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    log = LogWriter(tmp_path / "log")
    log.ask(ONE)
    log.ask(TWO)
    log.end(structs.replace(ONE, status=404, size=321), 14.0, 0.0, 0, 1)
    log.close()
    assert read_log(tmp_path / "log") == [structs.replace(ONE, ended=14.0, status=404, size=321), TWO]
    assert ONE.url == "http://h0001.sim.test:8080/search?q=3"


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_log_of_a_killed_server_is_read_to_its_last_whole_line(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "log"
    log = LogWriter(path)
    log.ask(ONE)
    log.ask(TWO)
    log.close()
    path.write_bytes(path.read_bytes()[:-cut])
    assert read_log(path) == [ONE]


def test_nothing_is_in_the_file_until_it_is_flushed_and_all_is_after(tmp_path: Path) -> None:
    log = LogWriter(tmp_path / "log")
    log.ask(ONE)
    assert (tmp_path / "log").read_bytes() == b""
    log.flush()
    assert read_log(tmp_path / "log") == [ONE]
    log.close()


def test_without_a_path_nothing_is_kept() -> None:
    log = LogWriter(None)
    log.ask(ONE)
    log.close()
    assert log._lines == []
