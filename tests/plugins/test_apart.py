"""What a plug-in does in its process stays there: whatever it is, there is an answer in time, and a next one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from skitter.errors import OperatorError
from skitter.plugins.apart import Apart
from skitter.plugins.calls import Answer, Fault, LookAt, OnPage, Trouble
from skitter.plugins.plugin import Plugin
from skitter.ports import Remark
from skitter.reading.seen import SeenPage
from skitter.settings import PluginSettings

pytestmark = pytest.mark.slow
HERE = str(Path(__file__).parent)
NAME = "naughty:Naughty"
BAD = LookAt(SeenPage("http://a/bad", body=b"<p>x", media_type="text/html"))
GOOD = LookAt(SeenPage("http://a/good", body=b"<p>x", media_type="text/html"))


def settings(how: str, deadline: float = 20.0, memory: int = 400_000_000, patience: int = 5) -> PluginSettings:
    return PluginSettings(
        use=(NAME,),
        folder=HERE,
        options={NAME: {"how": how, "part": "bad"}},
        deadline=deadline,
        memory=memory,
        patience=patience,
    )


@contextmanager
def begun(how: str, **limits: float) -> Iterator[Apart]:
    apart = Apart(NAME, settings(how, **limits))  # type: ignore[arg-type]
    try:
        apart.start()
        yield apart
    finally:
        apart.end()


def fault_of(answer: Answer) -> Fault:
    assert isinstance(answer, Trouble), answer
    return answer.fault


DEEDS = {
    Fault.ERROR: ("raise", "exit", "recurse"),
    Fault.RUBBISH: ("text", "number", "fields", "values", "huge", "reason", "ours", "object", "verdict"),
    Fault.DIED: ("die", "abort", "leak"),
}


def test_whatever_it_does_is_told_and_the_next_page_is_seen() -> None:
    name, died = "naughty:ByName", 0
    apart = Apart(name, PluginSettings(use=(name,), folder=HERE, deadline=20.0, memory=400_000_000))
    try:
        for fault, deeds in DEEDS.items():
            for deed in deeds:
                assert fault_of(apart.ask(LookAt(SeenPage(f"http://a/{deed}")))) is fault, deed
                assert apart.ask(LookAt(SeenPage("http://a/good"))) == OnPage(Remark(fields={"seen": "yes"})), deed
                died += fault is Fault.DIED
                assert apart.starts == 1 + died, deed
    finally:
        apart.end()


@pytest.mark.parametrize("how", ["hang", "spin"])
def test_one_that_hangs_is_ended_with_all_that_it_started(how: str) -> None:
    with begun(how, deadline=0.3) as apart:
        before = apart.pid
        assert before is not None
        assert fault_of(apart.ask(BAD)) is Fault.HUNG
        assert not Path(f"/proc/{before}").exists()
    with begun("none") as apart:
        assert apart.ask(BAD) == OnPage(None)


def test_what_is_wrong_is_told_in_words() -> None:
    with begun("values") as apart:
        answer = apart.ask(BAD)
    assert isinstance(answer, Trouble)
    assert answer.what == "returned what is no Remark: Expected `str`, got `int` - at `$.remark.fields[...]`"


def test_too_little_memory_is_the_operators_to_mend() -> None:
    heavy = PluginSettings(use=("naughty:Heavy",), folder=HERE, memory=256 * 1024**2)
    with pytest.raises(OperatorError, match=r"plugins\.memory = 268435456: is too little to load naughty:Heavy"):
        Apart("naughty:Heavy", heavy).start()


def test_after_too_many_faults_it_is_not_asked() -> None:
    plugin = Plugin(NAME, settings("raise", patience=2))
    try:
        faults = [fault_of(plugin.ask(BAD)) for _ in range(4)]
        assert faults == [Fault.ERROR, Fault.ERROR, Fault.OFF, Fault.OFF]
        told = plugin.statistics()
        assert told.calls == {"error": 2, "off": 2}
        assert told.off == "raised ZeroDivisionError: integer division or modulo by zero"
        assert told.seconds > 0
    finally:
        plugin.close()


def test_a_good_page_in_between_counts() -> None:
    plugin = Plugin(NAME, settings("raise", patience=2))
    try:
        for call in (BAD, GOOD, BAD, GOOD):
            plugin.ask(call)
        assert plugin.statistics().calls == {"error": 2, "ok": 2}
    finally:
        plugin.close()


HOLDER = """
import sys, threading
from skitter.plugins.apart import Apart
from tests.plugins.test_apart import BAD, NAME, settings
apart = Apart(NAME, settings("spin", deadline=600.0))
apart.start()
threading.Thread(target=apart.ask, args=(BAD,), daemon=True).start()
print(apart.pid, flush=True)
sys.stdin.read()
"""


def test_it_does_not_outlive_a_node_that_is_killed_whatever_it_is_doing() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]
    ) as holder:
        assert holder.stdout is not None
        pid = int(holder.stdout.readline())
        assert Path(f"/proc/{pid}").exists()
        os.kill(holder.pid, signal.SIGKILL)
    until = time.monotonic() + 30
    while Path(f"/proc/{pid}").exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert not Path(f"/proc/{pid}").exists()
