"""The crawl as numbers that Prometheus reads: `docs/metrics.md` has them all."""
