"""What is fuzzed: each target takes any bytes, must not raise, and checks what must hold whatever they are.

What each promises is the first line under its name, in the file of its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from tests.fuzz import api, archive, choices, content, parsing, wire

Target: TypeAlias = Callable[[bytes], None]

PARTS = (parsing, wire, archive, choices, api, content)
TARGETS: Mapping[str, Target] = {name: one for part in PARTS for name, one in part.TARGETS.items()}

# Where a run starts: a few good inputs of each kind. What runs have found since is kept in tests/fuzz/corpus/TARGET/.
SEEDS: Mapping[str, list[bytes]] = {name: seeds for part in PARTS for name, seeds in part.SEEDS.items()}
