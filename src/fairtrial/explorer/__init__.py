"""The explorer: a local web app that shows what the package knows of some score files."""
