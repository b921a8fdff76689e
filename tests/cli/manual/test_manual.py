"""The command line in other forms: as the code is now, and as the programs that read them understand it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from skitter import __version__
from skitter.cli.app import COMMANDS, app
from skitter.cli.manual.markdown import commands_page, settings_page
from skitter.cli.manual.roff import man_page
from skitter.cli.manual.shells import bash, fish, zsh
from skitter.cli.manual.tree import tree
from skitter.config.fields import FIELDS

ROOT = Path(__file__).parents[3]
TOP = tree(app())
MADE = {
    "deploy/skitter.1": man_page(TOP, __version__),
    "docs/reference/commands.md": commands_page(TOP),
    "docs/reference/settings.md": settings_page(FIELDS),
}
ASK = """
{script}
COMP_WORDS=({typed}) COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
_skitter
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.parametrize("path", MADE)
def test_what_is_committed_is_what_the_code_says(path: str) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == MADE[path], "run `make reference`"


def test_every_command_is_told_in_every_form() -> None:
    words = {command.words[1] for command in TOP.all() if len(command.words) > 1}
    assert words == set(COMMANDS)
    for form in (*list(MADE.values())[:2], bash(TOP), fish(TOP)):
        assert all(name in form for name in COMMANDS)


def completed(shell: str, typed: str, folder: Path) -> list[str]:
    """Returns what bash offers after `typed`, its last word being the one that is begun."""
    asked = ASK.format(script=shell, typed=typed)
    done = subprocess.run(
        [tool("bash"), "-c", asked], capture_output=True, text=True, check=True, cwd=folder, timeout=60
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("skitter aud", ["audit"]),
        ("skitter fleet gr", ["grow"]),
        ("skitter crawl --max-p", ["--max-pages"]),
        ("skitter crawl https://a.example/ --render ''", ["auto", "never", "always"]),
        ("skitter crawl --max-pages ''", []),
        ("skitter crawl --config set", ["settings.toml"]),
        ("skitter status cra", ["crawl-a"]),
        ("skitter completion z", ["zsh"]),
        ("skitter seeds add --he", ["--help"]),
    ],
)
def test_bash_offers_what_may_follow(typed: str, offered: list[str], tmp_path: Path) -> None:
    (tmp_path / "settings.toml").touch()
    (tmp_path / "crawl-a").mkdir()
    assert completed(bash(TOP), typed, tmp_path) == offered


def tool(*names: str) -> str:
    """Returns where the first of these programs is that is on this machine."""
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip(f"no {' or '.join(names)} on this machine")
    return found


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("skitter aud", {"audit"}),
        ("skitter fleet gr", {"grow"}),
        ("skitter fleet grow --fl", {"--fleet"}),
        ("skitter crawl --max-p", {"--max-pages"}),
        ("skitter crawl --render ", {"auto", "never", "always"}),
    ],
)
def test_fish_offers_what_may_follow(typed: str, offered: set[str], tmp_path: Path) -> None:
    (tmp_path / "script").write_text(fish(TOP), encoding="utf-8")
    command = [tool("fish"), "--no-config", "-c", f"source script; complete -C '{typed}'"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path, timeout=60)
    assert ({line.split("\t")[0] for line in done.stdout.splitlines()}, done.stderr) == (offered, "")


def test_zsh_reads_its_script(tmp_path: Path) -> None:
    (tmp_path / "script").write_text(zsh(TOP), encoding="utf-8")
    done = subprocess.run([tool("zsh"), "-n", str(tmp_path / "script")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_man_page_is_read_without_a_complaint() -> None:
    program = tool("groff", "mandoc")
    lint = ["-man", "-ww", "-z", "-Kutf8"] if program.endswith("groff") else ["-Tlint", "-Werror"]
    page = MADE["deploy/skitter.1"]
    done = subprocess.run([program, *lint], input=page, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
