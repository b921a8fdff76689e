"""One simulated crawl from a seed, and many."""
