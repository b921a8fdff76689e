"""Figures, kinds and reasons as people read them, wherever they do: on a terminal and on the dashboard."""
