"""Where hosts are, by the operator's table."""

from __future__ import annotations

import pytest

from skitter.errors import OperatorError
from skitter.work.regions import Regions

TABLE = Regions(["eu .de", "us .com", "eu 193.0.0.0/8", "lab 193.9.0.0/16", "asia 2001:db8::/32", "bavaria .by.de"])

CASES = {
    ("a.de", "8.8.8.8"): "eu",
    ("by.de", "8.8.8.8"): "bavaria",  # the longer name
    ("a.com", "193.1.1.1"): "eu",  # the address counts before the name
    ("a.com", "193.9.1.1"): "lab",  # the narrower network
    ("a.com", "2001:db8::1"): "asia",
    ("a.org", "8.8.8.8"): "",
    ("code", "8.8.8.8"): "",  # ends in `de`, and not in `.de`
}


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_a_host_is_in_the_region_of_its_address_or_its_name(case: tuple[str, str]) -> None:
    assert TABLE.region_of(*case) == CASES[case]


def test_the_next_nearest_are_the_others_in_the_order_of_the_table() -> None:
    assert TABLE.nearest("asia") == ("asia", "eu", "us", "lab", "bavaria", "")
    assert TABLE.nearest("") == ("", "eu", "us", "lab", "asia", "bavaria")


@pytest.mark.parametrize("row", ["eu", "eu .de .fr", "eu 193.0.0.0/33", "eu de", "e/u .de", ""])
def test_a_row_that_means_nothing_is_refused_by_its_place(row: str) -> None:
    with pytest.raises(OperatorError, match=r"work.regions\[1\]") as caught:
        Regions(["eu .de", row])
    assert "must be REGION CIDR or REGION .SUFFIX" in str(caught.value)
