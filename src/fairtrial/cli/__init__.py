"""The command line: one file per command, each of which parses typed options, calls and prints tables."""
