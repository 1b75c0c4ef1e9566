"""fairtrial compare"""

from __future__ import annotations

from fairtrial.cli.command import question

command = question(
    "compare",
    "fairtrial.evaluation.comparison:compare",
    summary="Test whether systems really differ on the same trials, each at its own threshold.",
    examples=[
        "fairtrial compare --dev dev.csv --test test.csv --systems face,voice",
        "fairtrial compare --dev dev.csv --test test.csv --reference baseline --correction bh --out tests.tex",
        "fairtrial compare --dev scores.csv --folds 5 --5x2cv",
    ],
    page="fairtrial.pages:page_of",
)
