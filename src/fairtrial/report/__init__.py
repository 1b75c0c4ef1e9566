"""One self-contained page of an evaluation, a comparison, a benchmark or a coverage study."""
