"""What we think of a page. Pure: what is known comes in, a verdict goes out."""
