"""Error rates by group: one threshold for all, simultaneous intervals, differences, summaries."""
