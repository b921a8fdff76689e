"""Reading a hosts file, and what is said about one that can't be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from skitter.dns.hosts import parse_hosts, read_hosts
from skitter.errors import OperatorError

TEXTS = {
    "one": ("127.0.0.1 a.test", {"a.test": ("127.0.0.1",)}),
    "several names": ("127.0.0.1\ta.test  b.test\n", {"a.test": ("127.0.0.1",), "b.test": ("127.0.0.1",)}),
    "several addresses": ("127.0.0.2 a.test\n::1 a.test", {"a.test": ("127.0.0.2", "::1")}),
    "said twice": ("127.0.0.2 a.test\n127.0.0.2 a.test", {"a.test": ("127.0.0.2",)}),
    "comments": ("# 1.2.3.4 x\n\n  127.0.0.1 a.test # b.test\n \n", {"a.test": ("127.0.0.1",)}),
    "case and dot": ("127.0.0.1 A.Test.", {"a.test": ("127.0.0.1",)}),
    "windows": ("127.0.0.1 a.test\r\n127.0.0.2 b.test\r\n", {"a.test": ("127.0.0.1",), "b.test": ("127.0.0.2",)}),
    "nothing": ("", {}),
}


@pytest.mark.parametrize(("text", "expected"), TEXTS.values(), ids=TEXTS)
def test_names_get_their_addresses(text: str, expected: dict[str, tuple[str, ...]]) -> None:
    assert parse_hosts(text, "hosts") == expected


@pytest.mark.parametrize("line", ["a.test", "127.0.0.1", "127.0.0.1 # a.test", "127.1 a.test", "a.test 127.0.0.1"])
def test_a_bad_line_is_named_with_its_file(tmp_path: Path, line: str) -> None:
    file = tmp_path / "hosts"
    file.write_text(f"127.0.0.1 good.test\n\n{line}\n127.0.0.2 more.test\n")
    with pytest.raises(OperatorError) as caught:
        read_hosts(str(file))
    assert caught.value.key == "dns.hosts_file"
    assert caught.value.value == str(file)
    assert "line 3:" in caught.value.right


def test_a_file_that_is_not_there_or_not_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="can't be read"):
        read_hosts(str(tmp_path / "none"))
    (tmp_path / "binary").write_bytes(b"127.0.0.1 a\xff")
    with pytest.raises(OperatorError, match="not UTF-8"):
        read_hosts(str(tmp_path / "binary"))


def test_no_file_has_no_names() -> None:
    assert read_hosts("") == {}
