"""The hostile zoo: servers that misbehave, each by name. An animal has its own host and is let loose on every request.

It writes bytes until it is done or nobody listens any more; then the connection is closed.
"""

from __future__ import annotations

from skitter.simweb.animals.acts import Animal, Victim
from skitter.simweb.animals.framing import FRAMING
from skitter.simweb.animals.heads import HEADS
from skitter.simweb.animals.mazes import MAZES
from skitter.simweb.animals.packed import PACKED
from skitter.simweb.animals.pages import PAGES
from skitter.simweb.animals.redirects import REDIRECTS
from skitter.simweb.animals.waits import WAITS

__all__ = ["ANIMALS", "Animal", "Victim"]

ANIMALS: dict[str, Animal] = {**WAITS, **FRAMING, **HEADS, **PACKED, **PAGES, **REDIRECTS, **MAZES}
