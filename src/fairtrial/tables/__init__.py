"""What a result shows, said once: a result lists its tables; terminal, notebook, page and files render them."""

from fairtrial.tables.columns import COUNT_COLUMNS, RATE_COLUMNS, Column, Kind
from fairtrial.tables.notes import gather_notes
from fairtrial.tables.plain import json_text
from fairtrial.tables.result import Result
from fairtrial.tables.table import Row, Table, every_tenth, join_tables
from fairtrial.tables.words import (
    Terms,
    count_text,
    figure_text,
    figures_text,
    in_a_row,
    in_percent,
    interval_text,
    interval_title,
    latex_text,
    level_text,
    markdown_text,
    number_text,
    p_phrase,
    p_text,
    percent,
    plural,
    range_text,
    sure_text,
    threshold_text,
    translate,
)

__all__ = [
    "COUNT_COLUMNS",
    "RATE_COLUMNS",
    "Column",
    "Kind",
    "Result",
    "Row",
    "Table",
    "Terms",
    "count_text",
    "every_tenth",
    "figure_text",
    "figures_text",
    "gather_notes",
    "in_a_row",
    "in_percent",
    "interval_text",
    "interval_title",
    "join_tables",
    "json_text",
    "latex_text",
    "level_text",
    "markdown_text",
    "number_text",
    "p_phrase",
    "p_text",
    "percent",
    "plural",
    "range_text",
    "sure_text",
    "threshold_text",
    "translate",
]
