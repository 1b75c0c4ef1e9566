"""Beyond memory: counters that are fed, merged and saved, and figures with guaranteed bounds from them."""
