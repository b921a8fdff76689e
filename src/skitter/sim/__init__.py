"""The simulator: whole crawls in one process, in virtual time, from one seed, with every fault that can be placed."""
