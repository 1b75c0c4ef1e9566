"""The released layout, written from synthetic scores: read back, and all 32 experiments with one command."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from fairtrial import InputError, Trials, run_benchmark
from fairtrial.benchmark import read_benchmark
from fairtrial.benchmark.lausanne import load_lausanne
from fairtrial.benchmark.run import RunSettings
from fairtrial.benchmark.sets import Benchmark, BenchmarkSet
from fairtrial.cli.app import main
from fairtrial.core.notes import Note
from reference.fusion_2006 import DEV_GENUINE, DEV_IMPOSTOR, TEST_GENUINE, TEST_IMPOSTOR

FEW = 12
"""Clients of the files."""


def small() -> dict[str, BenchmarkSet]:
    """Some clients of the synthetic set, with people numbered as in the release."""
    found = {}
    for one in load_lausanne().sets:
        parts = []
        for part in (one.dev, one.test):
            claims, subjects = part.ids["claim"].decode(), part.ids["subject"].decode()
            clients = sorted({*one.dev.ids["claim"].decode()})[:FEW]
            rows = np.flatnonzero(np.isin(claims, clients))
            names = {name: str(k) for k, name in enumerate(sorted({*claims, *subjects}))}
            claim, subject = ([names[name] for name in column[rows]] for column in (claims, subjects))
            scores = np.round(part.scores[rows].astype(np.float64), 6)
            parts.append(
                Trials.from_arrays(scores, part.genuine[rows], systems=part.systems, claim=claim, subject=subject)
            )
        found[one.name] = BenchmarkSet(one.name, parts[0], parts[1], one.systems)
    return found


def lines(trials: Trials, rows: np.ndarray, *, nobody: bool = False) -> str:
    claims, subjects = trials.ids["claim"].decode(), trials.ids["subject"].decode()
    return "".join(
        f"{'0' if nobody and not trials.genuine[k] else subjects[k]} {claims[k]} "
        + " ".join(f"{score:f}" for score in trials.scores[k])
        + "\n"
        for k in np.flatnonzero(rows)
    )


def write(folder: Path, *, nobody: bool = False) -> None:
    """LP1 with one file per set, LP2 with one per class, gzipped, in the author's words for protocols."""
    sets = small()
    (folder / "LP1").mkdir()
    for name, part in (("dev", sets["LP1"].dev), ("eva", sets["LP1"].test)):
        text = lines(part, np.ones(len(part), dtype=bool), nobody=nobody)
        (folder / "LP1" / f"{name}.scores").write_text(text)
    for name, part in (("dev", sets["LP2"].dev), ("eva", sets["LP2"].test)):
        (folder / "PII" / name).mkdir(parents=True)
        for word, rows in (("gen", part.genuine), ("imp", ~part.genuine)):
            text = lines(part, rows, nobody=nobody)
            (folder / "PII" / name / f"{word}.scores.gz").write_bytes(gzip.compress(text.encode()))


def test_released_files_are_the_trials_they_were_made_of(tmp_path: Path) -> None:
    write(tmp_path)
    found = read_benchmark(tmp_path)
    assert [one.name for one in found.sets] == ["LP1", "LP2"]
    assert not found.synthetic
    for one, expected in zip(found.sets, small().values(), strict=True):
        assert one.systems == expected.systems
        for part, before in ((one.dev, expected.dev), (one.test, expected.test)):
            order = np.argsort(~before.genuine, kind="stable") if one.name == "LP2" else np.arange(len(before))
            np.testing.assert_array_equal(part.scores, before.scores[order])
            np.testing.assert_array_equal(part.genuine, before.genuine[order])
            for role in ("claim", "subject"):
                assert part.ids[role].decode().tolist() == before.ids[role].decode()[order].tolist()
    notes = [note for note in found.notes if isinstance(note, Note)]
    counts = {
        note.about: (note.values["expected_genuine"], note.values["expected_impostor"])
        for note in notes
        if note.code == "other-counts"
    }
    for name, genuine in DEV_GENUINE.items():
        assert counts.pop(f"{name}, dev") == (genuine, DEV_IMPOSTOR)
        assert counts.pop(f"{name}, test") == (TEST_GENUINE, TEST_IMPOSTOR)
    assert not counts
    assert "column-order" in [note.code for note in notes]
    assert len(found.files) == 6


def test_all_32_experiments_with_one_command(tmp_path: Path) -> None:
    write(tmp_path)
    result = CliRunner().invoke(main, ["benchmark", "--data", str(tmp_path), "--json"], catch_exceptions=False)
    values = json.loads(result.stdout)
    assert len(values["experiments"]) == 32
    made = Benchmark("x", "x", tuple(small().values()), never_paired=(("DCTs", "DCTb"), ("LFCC", "PAC")))
    expected = run_benchmark(made, settings=RunSettings(points=2))
    assert [e["hter"] for e in values["experiments"]] == [e.counts.hter for e in expected.experiments]


def test_impostors_under_one_id_are_unknown(tmp_path: Path) -> None:
    write(tmp_path, nobody=True)
    found = read_benchmark(tmp_path)
    for one in found.sets:
        assert list(one.dev.ids) == list(one.test.ids) == ["claim"]
    assert [note.code for note in found.notes if isinstance(note, Note)].count("one-impostor") == 2
    result = run_benchmark(found, settings=RunSettings(points=2))
    assert {e.interval.method for e in result.experiments} == {"cluster-claim"}


def test_what_does_not_go_together(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "LP1" / "eva.scores").unlink()
    with pytest.raises(InputError, match="LP1 has no files of test"):
        read_benchmark(tmp_path)
    (tmp_path / "LP1" / "eva.scores").write_text("1 1 .5 .5\n1 2 .1 .2\n")
    with pytest.raises(InputError, match="2 columns of scores, but LP1 has 8 systems"):
        read_benchmark(tmp_path)
    (tmp_path / "LP1" / "eva.scores").write_text("1 .5\n")
    with pytest.raises(InputError) as caught:
        read_benchmark(tmp_path)
    assert caught.value.code == "columns-unclear"
    (tmp_path / "PII" / "dev" / "imp.scores.gz").unlink()
    (tmp_path / "LP1" / "dev.scores").unlink()
    (tmp_path / "LP1" / "eva.scores").unlink()
    with pytest.raises(InputError, match=r"expected one file of all accesses, or one of clients \(gen\)"):
        read_benchmark(tmp_path)
    (tmp_path / "PII" / "test-gen.scores").write_text("1 1 .5 .5\n")
    with pytest.raises(InputError, match="there are two files of LP2, test"):
        read_benchmark(tmp_path)


def test_a_directory_without_score_files_still_asks_for_a_manifest(tmp_path: Path) -> None:
    (tmp_path / "LP1").mkdir()
    (tmp_path / "LP1" / "readme.txt").write_text("nothing")
    with pytest.raises(InputError) as error:
        read_benchmark(tmp_path)
    assert error.value.code == "no-manifest"


def test_files_without_an_ending_with_labels_and_counts(tmp_path: Path) -> None:
    write(tmp_path)
    expected = read_benchmark(tmp_path)
    for path in (tmp_path / "LP1").iterdir():
        rows = [line.split() for line in path.read_text().splitlines()]
        text = "".join(f"{' '.join(row)} {int(row[0] == row[1])}\n" for row in rows)
        path.rename(path.with_suffix("")).write_text(f"{len(rows)} 8\n{text}")
    found = read_benchmark(tmp_path)
    for one, other in zip(found.sets, expected.sets, strict=True):
        assert np.array_equal(one.dev.scores, other.dev.scores)
        assert np.array_equal(one.test.genuine, other.test.genuine)
