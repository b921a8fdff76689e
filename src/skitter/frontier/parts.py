"""What leasing and settling have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from skitter.clock import Clock
from skitter.frontier.budgets import Budgets
from skitter.frontier.host import Host
from skitter.frontier.leases import Leases
from skitter.frontier.market import NodeMarket
from skitter.frontier.policies import Policies
from skitter.frontier.sampling import Sampling
from skitter.frontier.tally import Tally
from skitter.frontier.window import Window
from skitter.settings import Settings


class Parts(NamedTuple):
    """The parts of a frontier. `after_commit` takes a host that is to rest as soon as all that is noted is durable."""

    window: Window
    budgets: Budgets
    policies: Policies
    leases: Leases
    tally: Tally
    settings: Settings
    clock: Clock
    after_commit: Callable[[Host], None]
    market: NodeMarket
    sampling: Sampling
