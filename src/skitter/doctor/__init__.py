"""Whether a machine is fit for a crawl: what is there, reachable and quick enough, and what to do where it is not."""
