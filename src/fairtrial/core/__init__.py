"""Errors, notes, words, tables and trials: what every other room stands on."""
