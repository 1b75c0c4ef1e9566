"""fairtrial datasets"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fairtrial.cli import options
from fairtrial.cli.output import print_json, print_tables

if TYPE_CHECKING:
    from fairtrial.benchmark.datasets import Dataset
    from fairtrial.tables import Table


@click.command()
@click.argument("name", required=False)
@options.json_option
def command(name: str | None, json_: bool) -> None:
    """List the score sets that benchmarks can use, or show one by its NAME.

    Scores are not part of fairtrial. Put them into the directory that $FAIRTRIAL_DATA names; those that can be
    downloaded are, when they are first used, into the cache ($FAIRTRIAL_CACHE, or your user's).

    \b
    Examples:
      fairtrial datasets
      fairtrial datasets bssr1-set1
    """
    from fairtrial.benchmark.datasets import DATASETS, find_dataset

    chosen = list(DATASETS.values()) if name is None else [find_dataset(name)]
    if json_:
        print_json({"datasets": [_facts(dataset) for dataset in chosen]})
    elif name is None:
        print_tables([_list(chosen)])
    else:
        print_tables([_details(chosen[0])])


def _facts(dataset: Dataset) -> dict[str, Any]:
    from fairtrial.benchmark.datasets import locate_dataset

    path = locate_dataset(dataset)
    return {
        "name": dataset.name,
        "title": dataset.title,
        "citation": dataset.citation,
        "licence": dataset.licence,
        "synthetic": dataset.synthetic,
        "available": path is not None or not dataset.files,
        "path": None if path is None else str(path),
        "contents": dataset.contents,
        "systems": [
            {"name": s.name, "modality": s.modality, "feature": s.feature, "classifier": s.classifier}
            for s in dataset.systems
        ],
        "source": dataset.source,
        "notes": list(dataset.notes),
    }


def _where(dataset: Dataset) -> str:
    from fairtrial.benchmark.datasets import DATA, locate_dataset

    path = locate_dataset(dataset)
    if path is not None:
        return str(path)
    if not dataset.files:
        return "made by fairtrial"
    if dataset.address:
        return f"downloaded when first used, or put into ${DATA}/{dataset.folder}"
    return f"to be put into ${DATA}/{dataset.folder}"


def _list(datasets: list[Dataset]) -> Table:
    from fairtrial.tables import Column, Table

    columns = (
        Column("name", "name"),
        Column("title", "what it is"),
        Column("systems", "systems", "count"),
        Column("contents", "people and trials"),
        Column("where", "where"),
        Column("licence", "licence"),
    )
    rows = tuple((d.name, d.title, len(d.systems), d.contents, _where(d), d.licence) for d in datasets)
    return Table("datasets", "Score sets", columns, rows, section="name")


def _details(dataset: Dataset) -> Table:
    from fairtrial.tables import Column, Table

    rows = (
        ("name", dataset.name),
        ("contents", dataset.contents),
        ("systems", ", ".join(f"{system.name} ({system.modality})" for system in dataset.systems)),
        ("synthetic", "yes" if dataset.synthetic else "no"),
        ("citation", dataset.citation),
        ("licence", dataset.licence),
        ("source", dataset.source),
        ("files", ", ".join(file.name for file in dataset.files) or "none"),
        ("where", _where(dataset)),
    )
    return Table("dataset", dataset.title, (Column("what", "what"), Column("value", "value")), rows, dataset.notes)
