"""Starts the nodes of a crawl on one machine, starts again those that die, and ends the crawl in order."""
