"""The command line: what the operator types and sees. `run` is the program."""

from skitter.cli.app import main
from skitter.leaving import leave_after

__all__ = ["run"]


def run() -> None:
    """Runs the command line and ends the process."""
    leave_after(main)
