"""What robots.txt and robots directives allow, as values."""
