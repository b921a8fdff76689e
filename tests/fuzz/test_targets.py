"""A short run of every fuzz target: its seeds, what is kept of earlier runs, and some hundred changed ones."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.targets import SEEDS, TARGETS

ROOT = Path(__file__).parents[2]
CORPUS = Path(__file__).parent / "corpus"
EXAMPLES = 120


def test_every_target_has_seeds_and_a_promise() -> None:
    assert set(SEEDS) == set(TARGETS)
    assert all(target.__doc__ for target in TARGETS.values())
    assert {folder.name for folder in CORPUS.iterdir()} <= set(TARGETS)


KEPT = [(file.parent.name, file) for file in sorted(CORPUS.glob("*/*"))]


@pytest.mark.parametrize(("name", "file"), KEPT, ids=[f"{name}/{file.name}" for name, file in KEPT])
def test_what_is_kept_does_not_break_its_target(name: str, file: Path) -> None:
    """Most of it once did: its name says how."""
    TARGETS[name](file.read_bytes())


@st.composite
def changed(draw: st.DrawFn, name: str) -> bytes:
    """A seed with some bytes replaced, cut out, doubled or spliced with another's."""
    data = draw(st.sampled_from(SEEDS[name]))
    for _ in range(draw(st.integers(0, 4))):
        at, end = sorted((draw(st.integers(0, len(data))), draw(st.integers(0, len(data)))))
        middle = draw(st.one_of(st.binary(max_size=8), st.just(data[at:end] * 3), st.sampled_from(SEEDS[name])))
        data = data[:at] + middle + data[end:]
    return data


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_changed_seeds_do_not_break_a_target(name: str) -> None:
    # The same inputs each time: what is new is for `make fuzz` to find.
    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(changed(name) | st.binary(max_size=300))
    def run(data: bytes) -> None:
        TARGETS[name](data)

    run()


@pytest.mark.slow
def test_make_fuzz_tries_inputs_of_its_own(tmp_path: Path) -> None:
    """The fuzzer itself runs, and says how many inputs it has tried."""
    command = [sys.executable, "-m", "tests.fuzz.run", "--seconds", "1", "--seed", "7", "--cache", str(tmp_path)]
    module = ("--targets", "tests.fuzz.wire", "bus")
    run = subprocess.run([*command, *module], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    tried = re.search(r"bus +nothing found, (\d+) inputs", run.stdout)
    assert tried is not None, run.stdout + run.stderr
    assert int(tried[1]) > 1000
    assert run.returncode == 0


@pytest.mark.slow
def test_make_fuzz_finds_what_is_broken(tmp_path: Path) -> None:
    """An input that breaks a target is found, written down and named, and the exit code says so."""
    (tmp_path / "broken.py").write_text(
        "def fuzz_bad(data):\n    assert data[:1] != b'b'\n\nTARGETS = {'bad': fuzz_bad}\nSEEDS = {'bad': [b'aa']}\n"
    )
    command = [sys.executable, "-m", "tests.fuzz.run", "--seconds", "10", "--seed", "7", "--cache", str(tmp_path / "c")]
    env = {"PATH": "", "PYTHONPATH": f"{ROOT}:{tmp_path}"}
    run = subprocess.run(
        [*command, "--targets", "broken"], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False, env=env
    )
    assert "bad            BROKEN" in run.stdout, run.stdout + run.stderr
    assert run.returncode == 1
    (found,) = (tmp_path / "c").glob("bad-broken-*")
    assert found.read_bytes().startswith(b"b")
