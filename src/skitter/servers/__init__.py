"""A Kafka broker and an S3 server on loopback, for the demo of a fleet and for tests. No part of any crawl."""
