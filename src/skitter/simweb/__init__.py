"""A simulated web of many hosts from a seed: behind `skitter demo`, the tests and bench/."""
