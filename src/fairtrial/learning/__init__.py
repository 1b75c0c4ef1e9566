"""Figures in the training loops of other libraries, in their manners and without importing them."""
