"""The library's face: crawls as objects, pages as they are stored."""
