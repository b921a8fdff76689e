"""What is shipped for running Skitter as a service: it lints clean, and says only what our own commands understand."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer.testing

from skitter.cli.app import app
from skitter.config.load import load
from skitter.fleet.file import read_fleet

DEPLOY = Path(__file__).parents[2] / "deploy"
BIN = Path(sys.executable).parent
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
CHART = DEPLOY / "helm" / "skitter"
NEEDED = {"fleet.name": "news", "kafka.servers": "k1:9092", "identity.contact": "https://a.example/crawler"}
MORE = {"seeds[0]": "https://example.org/", "kafka.client.sasl\\.password": "env:KAFKA_PASSWORD", "secret": "keys"}
SETTINGS = "[politeness]\ndelay = 2.0"


def tool(name: str) -> str:
    """Returns where a linter is: in our environment, or on the machine."""
    found = shutil.which(name, path=str(BIN)) or shutil.which(name)
    if found is None:
        pytest.skip(f"no {name} on this machine")
    return found


def told(command: list[str]) -> str:
    """Returns what a command says, which must go well and be silent about mistakes."""
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


def help_of(command: list[str]) -> str:
    result = typer.testing.CliRunner().invoke(app(), [*command, "--help"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    return result.output


def is_understood(words: list[str]) -> None:
    """Fails if an option of a command line is none that our own command knows."""
    command = words[:2] if words[0] == "fleet" else words[:1]
    known = set(re.findall(r"--[a-z-]+", help_of(command)))
    assert {word for word in words if word.startswith("--")} <= known


def in_the_chart(values: dict[str, str]) -> str:
    given = [part for name, value in values.items() for part in ("--set-string", f"{name}={value}")]
    return told([tool("helm"), "template", "news", str(CHART), *given, "--set-string", f"settings={SETTINGS}"])


def test_the_image_lints_clean() -> None:
    assert told([tool("hadolint"), str(DEPLOY / "Containerfile")]) == ""


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_units_are_valid_and_harmless(unit: Path, tmp_path: Path) -> None:
    analyze = tool("systemd-analyze")
    here = tmp_path / unit.name
    here.write_text(unit.read_text().replace("ExecStart=skitter", f"ExecStart={BIN / 'skitter'}"))
    assert told([analyze, "verify", str(here)]) == ""
    exposure = re.search(r"exposure level for .*?: ([\d.]+)", told([analyze, "security", "--offline=true", str(here)]))
    assert exposure is not None
    assert float(exposure[1]) < 2.5


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_units_call_commands_as_they_are(unit: Path) -> None:
    line = re.search(r"(?m)^ExecStart=skitter (.*)$", unit.read_text())
    assert line is not None
    is_understood(shlex.split(line[1]))


@pytest.mark.slow
def test_the_chart_lints_clean() -> None:
    given = [part for name, value in NEEDED.items() for part in ("--set-string", f"{name}={value}")]
    assert "0 chart(s) failed" in told([tool("helm"), "lint", "--strict", str(CHART), *given])


@pytest.mark.slow
def test_the_chart_calls_commands_as_they_are_with_files_that_they_read(tmp_path: Path) -> None:
    made = in_the_chart(NEEDED | MORE)
    for arguments in re.findall(r"args: \[(.*)\]", made):
        is_understood([word.strip(' "') for word in arguments.split(",")])
    for name, text in re.findall(r"(?m)^  ([a-z.]+): \|\n((?:    .*\n|\s*\n)+)", made):
        (tmp_path / name).write_text(re.sub(r"(?m)^    ", "", text))
    fleet = read_fleet(tmp_path / "fleet.toml")
    assert fleet.kafka == {"bootstrap.servers": "k1:9092", "sasl.password": "env:KAFKA_PASSWORD"}
    settings = load([tmp_path / fleet.fleet.config]).settings
    assert (settings.identity.contact, settings.politeness.delay) == ("https://a.example/crawler", 2.0)
    assert (tmp_path / "seeds.txt").read_text().split() == ["https://example.org/"]


@pytest.mark.slow
@pytest.mark.parametrize("missing", NEEDED)
def test_the_chart_says_what_it_needs(missing: str) -> None:
    given = [part for name, value in NEEDED.items() if name != missing for part in ("--set-string", f"{name}={value}")]
    ended = subprocess.run(
        [tool("helm"), "template", "news", str(CHART), *given], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode
    assert f"{missing} must be set" in ended.stderr
