"""The survey: all that the tables say of hosts and domains, gathered and brought together."""
