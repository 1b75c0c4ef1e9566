"""Where fusion is measured: sets of systems, fusion protocols, and one call that runs them."""
