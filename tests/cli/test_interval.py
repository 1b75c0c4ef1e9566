"""`fairtrial interval individuals`: from tables of counts and from scores at a threshold."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from scipy import stats

from fairtrial import Trials, write_trials
from fairtrial.cli.app import main
from reference.individuals_2004 import EXAMPLE, QUANTILE

METHODS = ["dr", "bp", "sb", "bb", "lbb", "brr", "bb-ml"]


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["interval", "individuals", *map(str, arguments)], catch_exceptions=False)


def answer(*arguments: str | Path) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def refused(*arguments: str | Path) -> str:
    """The one line with which the command refuses."""
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.fixture
def counts(tmp_path: Path) -> Path:
    """A worked example."""
    place = tmp_path / "counts.csv"
    place.write_text(EXAMPLE.csv)
    return place


def test_json_of_the_example(counts: Path) -> None:
    # at 95 % the quantile is 1.959964 and not 1.96, so the last digits differ
    found = answer(counts, "--resamples", "0")
    assert (found["estimate"], found["individuals"], found["attempts"]) == (EXAMPLE.pi, 10, 50)
    assert found["rho"] == pytest.approx(EXAMPLE.rho)
    assert list(found["methods"]) == METHODS
    for name, expected in EXAMPLE.limits.items():
        each = found["methods"][name]
        assert {"low", "high", "note"} <= set(each)
        assert (each["low"], each["high"]) == pytest.approx(expected, abs=1e-5)
        assert isinstance(each["note"], str)
    assert "recommendation" in found


def test_table_for_people(counts: Path) -> None:
    result = run(counts)
    assert result.exit_code == 0
    assert "9 errors in 50 attempts of 10 people, 18.00 %, rho 0.5563 (" in result.stdout
    rows = {line.split()[0]: line for line in result.stdout.splitlines()[3:] if line}
    assert [name for name in rows if name in METHODS] == METHODS
    assert "5.67" in rows["lbb"]
    assert "44.5" in rows["lbb"]
    assert "only 9 errors" in rows["lbb"]
    assert "lbb" in result.stdout.splitlines()[-1]


def test_some_methods_and_another_confidence(counts: Path) -> None:
    found = answer(counts, "--method", "bp", "--method", "lbb", "--confidence", "0.9")["methods"]
    assert list(found) == ["bp", "lbb"]
    # the half-width of the example is 1.96 sigma, this one 1.644854 sigma
    sigma = (EXAMPLE.limits["bp"][1] - EXAMPLE.pi) / QUANTILE
    assert found["bp"]["high"] == pytest.approx(EXAMPLE.pi + 1.644854 * sigma, abs=2e-6)
    assert found["bp"]["confidence"] == 0.9
    assert answer(counts, "--method", "all") == answer(counts)


def test_seed_and_resamples(tmp_path: Path) -> None:
    place = tmp_path / "many.csv"
    place.write_text("errors,attempts\n" + "".join(f"{k % 5},{9 + k % 4}\n" for k in range(300)))
    first, same, other = (answer(place, "--seed", seed, "--resamples", "100")["methods"] for seed in ("1", "1", "2"))
    assert first == same
    assert first["sb"] != other["sb"]
    assert first["bp"] == other["bp"]


def test_no_errors(tmp_path: Path) -> None:
    place = tmp_path / "none.csv"
    place.write_text("errors,attempts\n" + "0,10\n" * 50)
    found = answer(place)
    assert (found["estimate"], found["rho"]) == (0, None)
    assert (found["methods"]["lbb"]["low"], found["methods"]["lbb"]["high"]) == (None, None)
    assert found["methods"]["lbb"]["note"] == "undefined without errors"
    bounds = found["zero_errors"]
    assert (bounds["rule_of_3"], bounds["rule_of_3_individuals"]) == pytest.approx((3 / 500, 3 / 50))
    assert bounds["bayes"] == pytest.approx(stats.beta(0.5, 500.5).ppf(0.95))
    shown = run(place).stdout
    (row,) = (line for line in shown.splitlines() if line.startswith("rule of 3"))
    assert row.split()[-3:] == ["95", "0.600", "6.00"]
    assert "No errors" in shown


def scores(folder: Path) -> tuple[Path, Trials]:
    rng = np.random.default_rng(4)
    claim, subject = np.divmod(np.arange(600) % 144, 12)
    genuine = claim == subject
    trials = Trials.from_arrays(
        np.stack([1.5 * genuine + rng.normal(size=600) for _ in range(2)], axis=1),
        genuine,
        systems=["face", "voice"],
        claim=[f"c{k}" for k in claim],
        subject=[f"c{k}" for k in subject],
    )
    write_trials(trials, folder / "scores.csv")
    return folder / "scores.csv", trials


def plain_count(
    values: Sequence[float], genuine: Sequence[bool], names: Sequence[str], threshold: float, error: str
) -> dict[str, tuple[int, int]]:
    """Errors and attempts by name."""
    found: dict[str, tuple[int, int]] = {}
    for value, own, name in zip(values, genuine, names, strict=True):
        if own == (error == "frr"):
            wrong, tried = found.get(name, (0, 0))
            found[name] = (wrong + ((value > threshold) != own), tried + 1)
    return found


def as_table(folder: Path, people: dict[str, tuple[int, int]]) -> Path:
    place = folder / "people.csv"
    place.write_text("errors,attempts\n" + "".join(f"{wrong},{tried}\n" for wrong, tried in people.values()))
    return place


@pytest.mark.parametrize("error", ["far", "frr"])
@pytest.mark.parametrize("by", ["claim", "subject"])
def test_scores_against_a_plain_count(tmp_path: Path, error: str, by: str) -> None:
    place, trials = scores(tmp_path)
    names = [str(name) for name in trials.ids[by].decode()]
    people = plain_count(trials.column("voice").tolist(), trials.genuine.tolist(), names, 0.6, error)
    found = answer(place, "--threshold", "0.6", "--error", error, "--by", by, "--system", "voice")
    assert found["errors"] == sum(wrong for wrong, _ in people.values())
    assert found["attempts"] == sum(tried for _, tried in people.values())
    assert found["individuals"] == 12
    # impostor trials are told to go together by the other role too
    elsewhere = found.pop("by_the_other", None)
    assert (elsewhere is None) == (error == "frr")
    if elsewhere is not None:
        role = "subject" if by == "claim" else "claim"
        other = answer(place, "--threshold", "0.6", "--error", error, "--by", role, "--system", "voice")
        assert elsewhere["lbb"] == other["methods"]["lbb"]
    # as if the counts had been a table
    assert found.pop("notes")[0]["code"] == "read-as"
    table = answer(as_table(tmp_path, people))
    assert {**found, "notes": [], "answer": table["answer"]} == table


@pytest.mark.parametrize(("error", "by"), [("frr", "claim"), ("far", "claim"), ("far", "subject")])
def test_real_scores_against_a_plain_count(real_data: Path, tmp_path: Path, error: str, by: str) -> None:
    place = real_data / "banca_mc_bob" / "dev-4col.txt"
    rows = [line.split() for line in place.read_text().splitlines()]
    people = plain_count(
        [float(row[3]) for row in rows],
        [row[0] == row[1] for row in rows],
        [row[0 if by == "claim" else 1] for row in rows],
        0.0,
        error,
    )
    found = answer(place, "--threshold", "0", "--error", error, "--by", by)
    assert ("by_the_other" in found) == (error == "far")
    found.pop("by_the_other", None)
    notes = found.pop("notes")
    assert [note["code"] for note in notes] == ["read-as", *(["other-role"] if error == "far" else [])]
    table = answer(as_table(tmp_path, people))
    assert {**found, "notes": [], "answer": table["answer"]} == table
    assert found["errors"] > 0
    assert found["attempts"] == sum(tried for _, tried in people.values())


def test_default_errors_are_false_rejects_by_claim(tmp_path: Path) -> None:
    place, _ = scores(tmp_path)
    base: list[str | Path] = [place, "--threshold", "0.6", "--system", "face"]
    assert answer(*base) == answer(*base, "--error", "frr", "--by", "claim")


def test_distances(tmp_path: Path) -> None:
    place, trials = scores(tmp_path)
    text = place.read_text().splitlines()
    head = text[0].split(",")
    column = head.index("face")
    lines = [line.split(",") for line in text[1:]]
    for cells in lines:
        cells[column] = str(-float(cells[column]))
    other = tmp_path / "distances.csv"
    other.write_text("\n".join([text[0], *(",".join(cells) for cells in lines)]) + "\n")
    expected = answer(place, "--threshold", "0.6", "--system", "face")
    found = answer(other, "--threshold", "-0.6", "--system", "face", "--negate")
    *others, negated = found.pop("notes")
    assert others == expected.pop("notes")
    assert (negated["code"], negated["values"]) == ("distances", {"names": ["face"]})
    assert found == expected
    assert trials.systems == ("face", "voice")


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["nowhere.csv"], ["nowhere.csv: there is no such file"]),
        (["."], ["is a directory"]),
        (["counts.csv", "--method", "wald"], ["method must be one of dr, bp", "'wald'"]),
        (["counts.csv", "--confidence", "1"], ["confidence must be between 0 and 1"]),
        (["counts.csv", "--resamples", "-1"], ["at least one resample, not -1"]),
        (["counts.csv", "--seed", "-1"], ["a seed must be a whole number of at least 0, not -1"]),
        (["counts.csv", "--threshold", "0.5"], ["counts.csv"]),
        (["scores.csv"], ["scores.csv: expected a header with the columns errors, attempts"]),
        (["scores.csv", "--threshold", "0.5"], ["the systems face, voice", "--system"]),
        (["scores.csv", "--threshold", "nan", "--system", "face"], ["threshold must be a number"]),
        (["scores.csv", "--threshold", "0.5", "--system", "iris"], ["iris"]),
        (["labels.csv", "--threshold", "0.5"], ["errors by claim need claim ids"]),
        (["labels.csv", "--threshold", "0.5", "--by", "subject"], ["errors by subject need subject ids"]),
        (["single.csv"], ["at least two individuals, not 1"]),
        (["bad.csv"], ["bad.csv, row 2: there cannot be more errors than attempts, not 6"]),
    ],
)
def test_bad_input(
    counts: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: list[str], parts: list[str]
) -> None:
    monkeypatch.chdir(counts.parent)
    scores(tmp_path)
    Path("labels.csv").write_text("label,face\n1,0.9\n0,0.1\n1,0.8\n0,0.3\n")
    Path("single.csv").write_text("errors,attempts\n1,5\n")
    Path("bad.csv").write_text("errors,attempts\n1,5\n6,5\n")
    message = refused(*arguments)
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    "arguments",
    [["--error", "eer"], ["--by", "probe"], ["--threshold", "high"], ["--resamples", "many"], []],
)
def test_misuse(counts: Path, arguments: list[str]) -> None:
    result = run(counts, *arguments) if arguments else run()
    assert result.exit_code == 2
    assert result.stdout == ""
