"""How a threshold is chosen, and what is reported at it."""
