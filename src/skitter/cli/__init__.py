"""The command line: what the operator types and sees. `main` runs it."""

from skitter.cli.app import main

__all__ = ["main"]
