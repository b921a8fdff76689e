"""Sinks of the operator: whatever they raise is a sink that does not take its rows, and is tried again."""

from __future__ import annotations

from pathlib import Path

import pytest

from skitter.errors import OperatorError, SinkError
from skitter.plugins.sinks import PluginSink, require_sink
from skitter.ports import Rows
from skitter.settings import PluginSettings
from skitter.sinks.address import parse_sink
from skitter.sinks.tables import TABLES
from skitter.supervisor.sinking import text_of

HERE = str(Path(__file__).parent)
SPILL = "naughty:Spill"


def settings(*use: str, how: str = "raise") -> PluginSettings:
    return PluginSettings(use=use, folder=HERE, options={SPILL: {"how": how}} if SPILL in use else {})


def test_what_it_raises_is_a_sink_error_and_closing_raises_nothing() -> None:
    sink = PluginSink(SPILL, settings(SPILL))
    assert sink.open() is None
    with pytest.raises(SinkError, match=r"The plug-in raised ZeroDivisionError: .*naughty:Spill") as caught:
        sink.write(Rows("captures", ("url",), 1, []))
    assert caught.value.kind == "refused"
    sink.close()


def test_what_it_returns_is_looked_at() -> None:
    with pytest.raises(SinkError, match=r"open\(\) returned int, and not bytes or None"):
        PluginSink(SPILL, settings(SPILL, how="number")).open()


@pytest.mark.slow
def test_what_is_no_sink_is_told_before_a_crawl_begins() -> None:
    require_sink(SPILL, settings(SPILL), "--sink", TABLES)
    for name, use, says in (
        (SPILL, (), "must be a plug-in of plugins.use: which is empty"),
        ("naughty:Chooser", ("naughty:Chooser",), "is no sink"),
        ("naughty:WrongTable", ("naughty:WrongTable",), "wants the table chairs: there are captures, "),
    ):
        with pytest.raises(OperatorError, match=says):
            require_sink(name, settings(*use), "--sink", TABLES)


def test_an_address_means_the_same_when_it_is_handed_on() -> None:
    address = parse_sink(f"plugin:{SPILL}")
    assert (address.scheme, address.target) == ("plugin", f"plugin:{SPILL}")
    assert parse_sink(text_of(address)) == address
    with pytest.raises(OperatorError, match="must be plugin:NAME"):
        parse_sink("plugin:")
