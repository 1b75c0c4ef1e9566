"""Exact counts and thresholds without sorting: the kernel everything else asks."""
