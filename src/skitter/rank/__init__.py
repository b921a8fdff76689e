"""The nightly look: what the tables of a crawl say of its domains and hosts, from all their links and captures."""
