"""Real servers for tests, on free loopback ports: a Kafka broker and an S3 server. None outlives its test."""
