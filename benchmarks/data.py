"""Scores, score files and cells of a study that every tool measures itself on.

Run as ``data.py scores FOLDER SHAPE GENUINE IMPOSTOR [TEST_GENUINE TEST_IMPOSTOR]``, ``data.py lines FOLDER COUNT``
or ``data.py cells FOLDER STEP``, in a process of its own, so that the memory it takes is not counted as a tool's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Draw: TypeAlias = Callable[[np.random.Generator, int], NDArray[np.float64]]

SHAPES: dict[str, tuple[Draw, Draw]] = {
    "normal": (lambda rng, n: rng.normal(2, 1, n), lambda rng, n: rng.normal(0, 1, n)),
    "wide": (lambda rng, n: rng.normal(2, 1.5, n), lambda rng, n: rng.normal(0, 1, n)),
    "saturated": (lambda rng, n: np.tanh(rng.normal(3, 2, n)), lambda rng, n: np.tanh(rng.normal(-3, 2, n))),
    "integers": (
        lambda rng, n: rng.poisson(30, n).astype(np.float64),
        lambda rng, n: rng.poisson(10, n).astype(np.float64),
    ),
    "log-normal": (lambda rng, n: np.exp(rng.normal(-20, 20, n)), lambda rng, n: np.exp(rng.normal(-60, 20, n))),
}
"""How genuine and impostor scores are drawn."""


def write_scores(folder: Path, shape: str, counts: list[int]) -> None:
    """Write the classes of dev and test apart, and dev as one array with labels for tools that want that."""
    rng = np.random.default_rng(1)
    draw_genuine, draw_impostor = SHAPES[shape]
    for name, (genuine_count, impostor_count) in (("dev", counts[:2]), ("test", counts[-2:])):
        genuine, impostor = draw_genuine(rng, genuine_count), draw_impostor(rng, impostor_count)
        np.save(folder / f"{name}_genuine.npy", genuine)
        np.save(folder / f"{name}_impostor.npy", impostor)
        if name == "dev":
            order = rng.permutation(genuine_count + impostor_count)
            np.save(folder / "dev.npy", np.concatenate([genuine, impostor])[order])
            np.save(folder / "dev_labels.npy", order < genuine_count)


def write_lines(folder: Path, count: int) -> None:
    """Write dev.txt and test.txt, each of `count` lines: claim, subject, probe, score; one in eleven is genuine."""
    people = 1000
    for seed, name in enumerate(("dev.txt", "test.txt")):
        rng = np.random.default_rng(seed)
        with (folder / name).open("w") as file:
            for start in range(0, count, 100_000):
                rows = np.arange(start, min(start + 100_000, count))
                claim = rng.integers(people, size=len(rows))
                genuine = rows % 11 == 0
                subject = np.where(genuine, claim, (claim + rng.integers(1, people, size=len(rows))) % people)
                score = rng.normal(2.0 * genuine, 1.0)
                columns = (claim.tolist(), subject.tolist(), rows.tolist(), score.tolist())
                file.writelines(
                    f"c{c:04d} c{s:04d} probe/{row:08x} {value:.6f}\n"
                    for c, s, row, value in zip(*columns, strict=True)
                )


def write_cells(folder: Path, step: int) -> None:
    """Write the cells of the coverage study, a few for a slow tool, and those of the fewest and the most people.

    Each row is n, m, pi and rho. 27 has no factor in common with the sides of the grid, so that the few are of
    all kinds.
    """
    from fairtrial.repeated import PAPER

    cells = np.array([(cell.n, cell.m, cell.pi, cell.rho) for cell in PAPER])[::step]
    np.save(folder / "cells.npy", cells)
    np.save(folder / "cells_few.npy", cells[::27])
    for name, n in (("fewest", min(PAPER.n)), ("most", max(PAPER.n))):
        np.save(folder / f"cells_{name}.npy", cells[cells[:, 0] == n])


if __name__ == "__main__":
    kind, target, *rest = sys.argv[1:]
    if kind == "scores":
        write_scores(Path(target), rest[0], [int(value) for value in rest[1:]])
    elif kind == "lines":
        write_lines(Path(target), int(rest[0]))
    else:
        write_cells(Path(target), int(rest[0]))
