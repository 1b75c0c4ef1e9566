"""fairtrial evaluate"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairtrial.cli.command import Output, question
from fairtrial.cli.opened import PlaceOptions
from fairtrial.cli.output import say

if TYPE_CHECKING:
    from fairtrial.evaluation.evaluation import Evaluation


def _check_decisions(path: str) -> None:
    from fairtrial.formats.decisions import ENDINGS
    from fairtrial.formats.results import check_target

    check_target(path, ENDINGS)


def _write_decisions(result: Evaluation, path: str) -> None:
    from fairtrial.formats.decisions import write_decisions

    write_decisions([own.decisions() for own in result], path)
    say(f"decisions in {path}", aside=True)


command = question(
    "evaluate",
    "fairtrial.evaluation.evaluation:evaluate",
    PlaceOptions,
    summary="Fix the threshold on dev, report the errors on test.",
    examples=[
        "fairtrial evaluate --dev dev.txt --test test.txt",
        "fairtrial evaluate --dev scores.csv --folds 5 --criterion far --alpha .001 --json",
        "fairtrial evaluate --dev dev.txt --test test.txt --out errors.csv --report evaluation.html",
        "fairtrial evaluate --dev dev.txt --test test.txt --trials-out decisions.csv",
        "fairtrial evaluate --dev dev.txt --test test.txt --threshold 1.5",
        "fairtrial evaluate --dev dev.ftc --test test.ftc",
        "fairtrial evaluate --dev dev.parquet --test test.parquet --memory 2GB",
    ],
    page="fairtrial.pages:page_of",
    outputs={
        "trials_out": Output(
            "--trials-out",
            "Write the decisions too, one row per system and judged trial: ids, label, score, threshold, decision and "
            "error; .csv, .tsv or .parquet.",
            _write_decisions,
            _check_decisions,
        )
    },
)
