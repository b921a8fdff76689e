"""`python -m skitter.node` is a node, see `process.py`.

While modules are loaded nothing becomes garbage, and looking for some takes a tenth of the time that loading takes.
"""

import gc

gc.disable()

from skitter.leaving import leave_after  # noqa: E402
from skitter.node.process import main  # noqa: E402

leave_after(main)
