"""Scores as evidence: log-likelihood ratios, how good they are, and how to make them of scores."""
