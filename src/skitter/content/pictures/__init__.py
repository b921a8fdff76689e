"""What the headers of pictures say. Nothing is ever unpacked, so that no picture can be a bomb."""
