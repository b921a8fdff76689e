"""`skitter plan --pages N …`: what a crawl would take, and cost."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import structs

from skitter.capacity.file import PlanFile, as_toml, checked, read_plan
from skitter.capacity.picture import picture
from skitter.capacity.reckon import Capacity, reckon
from skitter.cli.say import say
from skitter.errors import OperatorError
from skitter.kernel import IS_NATIVE
from skitter.parse import html
from skitter.settings import Settings
from skitter.words.capacity import figure_in_words

SAMPLE_BYTES = 100_000
REFERENCE = 0.79e-3
"""CPU seconds to read the sample on the machine that the costs were measured on."""
TRIES = 40


class Asked(NamedTuple):
    """What the command line says; None: what the file says, or what is usual."""

    pages: float | None
    page_bytes: float | None
    hosts: float | None
    urls: float | None
    delay: float | None
    rendered: float | None


def plan_capacity(
    asked: Asked, file: Path | None, plot: Path | None, *, measure: bool, as_file: bool, as_json: bool
) -> None:
    """Prints what a crawl takes."""
    given = _read(file) if file is not None else PlanFile()
    wanted = {name: value for name, value in asked._asdict().items() if value is not None}
    plan = structs.replace(given, need=structs.replace(given.need, **wanted))
    if measure:
        plan = structs.replace(plan, costs=structs.replace(plan.costs, times=measured()))
    checked(plan)
    if plot is not None:
        _write(plot, picture(plan))
    found = reckon(plan.need, plan.costs, plan.prices, plan.machine)
    if as_file:
        say(as_toml(plan))
    elif as_json:
        say(msgspec.json.encode({"plan": plan, "figures": found.figures, "problems": found.problems}).decode())
    else:
        say(in_words(found, plan))


def measured() -> float:
    """Returns how much slower this machine reads a page than the one that the costs are of: the best of many tries."""
    paragraph = b"<p>What a page of some length says, with <a href='/a/%d'>a link</a> in it, and more after that.</p>"
    body = b"<title>A sample</title><main>" + b"".join(paragraph % number for number in range(SAMPLE_BYTES // 94))
    settings = Settings()
    best = float("inf")
    for _ in range(TRIES):
        began = time.thread_time()
        html.read(body, "https://example.org/", (), settings.parse, settings.identity.robots_token, has_text=False)
        best = min(best, time.thread_time() - began)
    return best / REFERENCE


def in_words(found: Capacity, plan: PlanFile) -> str:
    """Returns a plan for people."""
    lines, part = list[str](), ""
    for figure in found.figures:
        if figure.part != part:
            part = figure.part
            lines += ["", part.capitalize()]
        lines.append(f"  {figure.name.removesuffix(', $'):<28}{figure_in_words(figure):>14}   {figure.how}")
    lines += ["", *found.problems] if found.problems else []
    kernel = "" if IS_NATIVE else " This installation has no native kernel: pages cost several times as much."
    lines += [
        "",
        f"Costs as measured by `make bench`, × {plan.costs.times:.2g}; --measure tells this machine's part.{kernel}",
        "Prices and all else: `skitter plan --print > plan.toml`, edit it, `skitter plan --file plan.toml`.",
    ]
    return "\n".join(lines[1:])


def _read(file: Path) -> PlanFile:
    try:
        return read_plan(file.read_text(encoding="utf-8"), str(file))
    except (OSError, UnicodeDecodeError) as error:
        raise OperatorError("--file", str(file), f"can't be read ({error})") from None


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OperatorError("--plot", str(path), f"can't be written ({error.strerror})") from None
