"""Keeps the indexes of years compact: the small files of a day become one."""
