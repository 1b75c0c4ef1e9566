"""Figures: one file each, drawn with matplotlib from results; functions take ax=None and return the Axes."""
