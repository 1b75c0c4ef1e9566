"""What can be claimed, from the command line: one decision, what was tested, any measure, FAR and FRR."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from math import hypot
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from fairtrial import Trials, read_trials, write_trials
from fairtrial.cli.app import main
from fairtrial.published import proportion_interval

SETS = ["--dev", "dev.csv", "--test", "test.csv"]
SAME = ["--dev", "dev.csv", "--test", "dev.csv"]
BARE = ["--dev", "dev-bare.csv", "--test", "test-bare.csv"]
ALONE = ["--dev", "dev-alone.csv", "--test", "test-alone.csv"]
FEW = ["--resamples", "200"]
GIVEN = {"re-estimated", "fixed"}


@pytest.fixture(autouse=True, scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Scores of two systems: 30 people against each other, without ids, and of a single claim."""
    place = tmp_path_factory.mktemp("claims")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        for seed, name in enumerate(("dev", "test")):
            rng = np.random.default_rng(seed)
            claim, subject = np.divmod(np.arange(900), 30)
            scores = np.outer(claim == subject, [2.0, 3.0]) + rng.normal(size=(900, 2))
            known: dict[str, Any] = {"systems": ["face", "voice"]}
            write_trials(
                Trials.from_arrays(scores, claim == subject, claim=claim, subject=subject, **known), f"{name}.csv"
            )
            write_trials(Trials.from_arrays(scores, claim == subject, **known), f"{name}-bare.csv")
            genuine = np.arange(80) < 30
            alone = np.outer(genuine, [2.0, 3.0]) + rng.normal(size=(80, 2))
            write_trials(Trials.from_arrays(alone, genuine, claim=["ann"] * 80, **known), f"{name}-alone.csv")
        yield place


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def shown(*arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def answer(*arguments: str) -> Any:
    return json.loads(shown(*arguments, "--json"))


def page_of(*arguments: str) -> tuple[str, dict[str, Any]]:
    """The text of a page without its scripts, and what its figures draw."""
    shown(*arguments, "--report", "page.html")
    text = Path("page.html").read_text(encoding="utf-8")
    data = re.search(r"<script[^>]*>(\{.*?\})</script>", text, re.DOTALL)
    assert data is not None
    words = re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", text, flags=re.DOTALL)
    return " ".join(words.split()), json.loads(data[1])


def every(found: Any, *keys: str) -> Iterator[dict[str, Any]]:
    """All objects within that have these keys."""
    if isinstance(found, dict):
        if set(keys) <= set(found):
            yield found
        for value in found.values():
            yield from every(value, *keys)
    elif isinstance(found, list):
        for value in found:
            yield from every(value, *keys)


@pytest.mark.parametrize("cluster", ["none", "claim", "both"])
def test_table_and_slider_show_the_same_interval(cluster: str) -> None:
    base = ["evaluate", *SETS, "--criterion", "wer-min", "--system", "face", "--cluster", cluster]
    interval = answer(*base)["systems"][0]["test"]["interval"]
    words, drawn = page_of(*base)
    (view,) = drawn["systems"]
    assert view["alpha"][50] == view["asked"]["alpha"] == 0.5
    for low, high in ((view["low"][50], view["high"][50]), (view["asked"]["low"], view["asked"]["high"])):
        assert (low, high) == pytest.approx((interval["low"], interval["high"]), rel=1e-4)
    assert f"{100 * interval['low']:.2f} to {100 * interval['high']:.2f}" in words
    assert interval["method"] == ("wilson" if cluster == "none" else f"cluster-{cluster}")


@pytest.mark.parametrize("command", [["evaluate"], ["epc", "--bands", "pointwise"], ["compare", *FEW]])
def test_a_single_claim_is_no_error_and_is_said(command: list[str]) -> None:
    assert "all impostor trials have the same claim" in shown(*command, *ALONE)
    for interval in every(answer(*command, *ALONE), "low", "high", "method", "estimate"):
        assert interval["low"] < interval["high"]


@pytest.mark.parametrize("command", [["evaluate"], ["compare", *FEW]])
def test_a_single_claim_has_a_page(command: list[str]) -> None:
    assert "all genuine trials have the same claim" in page_of(*command, *ALONE)[0]


@pytest.mark.parametrize("command", [["evaluate"], ["compare", *FEW]], ids=["evaluate", "compare"])
def test_notes_are_in_words_of_the_command_line_wherever_they_are_read(command: list[str]) -> None:
    asked = [*command, *SETS, "--cluster", "none", "--person", "^[^/]+"]
    words, _ = page_of(*asked)
    shown(*asked, "--out", "r.md")
    told = json.dumps(answer(*asked))
    for text in (words, told, Path("r.md").read_text().replace("\\", "")):
        assert "as --cluster none asks" in text
        assert 'cluster="none"' not in text
        assert "person=" not in text
    assert "resampled by people" not in words
    assert "summed by person" not in words
    assert "new dev and test sets of these sizes" in words


def test_page_of_folds_says_held_out_and_cites_cross_validation() -> None:
    words, drawn = page_of("evaluate", "--dev", "dev.csv", "--folds", "3")
    assert "on held-out trials" in words
    assert "Stone, Cross-validatory choice" in words
    for wrong in ("test trials", "On test", "before the test trials are seen", "threshold from dev"):
        assert wrong not in words
    assert drawn["systems"][0]["axis"]["label"] == "HTER on held-out trials (%)"


def test_tables_of_folds_say_whose_thresholds_they_are() -> None:
    table = shown("evaluate", "--dev", "dev.csv", "--folds", "3", "-v")
    assert "Errors, each held-out block at a threshold by eer from other folds\n" in table
    assert "EER: step-mean, a posteriori on all trials" in table
    compared = shown("compare", "--dev", "dev.csv", "--folds", "3", *FEW)
    for text in (table, compared):
        assert "threshold from all trials" in text
    fixed = shown("evaluate", "--dev", "dev.csv", "--folds", "3", "--resample", "test", "--all")
    assert "given these thresholds" in fixed
    assert "given this threshold" not in fixed
    # the same people may be in several folds of trials, so nothing is said of other people
    for alone in ([], ["--cluster", "none"]):
        assert "other people" not in page_of("evaluate", "--dev", "dev.csv", "--folds", "3", *alone)[0]
    curve = shown("epc", "--dev", "dev.csv", "--folds", "3", "--points", "3")
    assert curve.split("\n\n")[1].startswith("Expected performance curve, threshold by wer-min from other folds")


@pytest.mark.parametrize("command", [["evaluate"], ["epc", "--points", "3"], ["compare", *FEW]])
def test_the_same_trials_are_a_posteriori(command: list[str]) -> None:
    text = shown(*command, *SAME)
    assert "a priori" not in text
    assert "a posteriori" in text
    assert "on the same trials" in text
    assert "dev and test are the same trials" in text
    found = answer(*command, *SAME)
    assert {each["kind"] for each in every(found, "kind", "hter") if "threshold" in each or "far" in each} <= {
        "a posteriori"
    }
    assert "a priori" not in json.dumps(found)


@pytest.mark.parametrize("command", [["evaluate"], ["compare", *FEW]])
def test_page_of_the_same_trials_is_a_posteriori(command: list[str]) -> None:
    words, _ = page_of(*command, *SAME)
    assert "a posteriori" in words
    for wrong in ("a priori", "threshold from dev", "the threshold from dev"):
        assert wrong not in words


@pytest.mark.parametrize(
    "command", [["calibrate"], ["compare", *FEW, "--measure", "cllr"]], ids=["calibrate", "compare"]
)
def test_evidence_of_the_same_trials_is_a_posteriori(command: list[str]) -> None:
    text = shown(*command, *SAME, "-v")
    for wrong in ("a priori", "on dev"):
        assert wrong not in text
    assert "on the same trials" in text


def test_comparison_of_evidence_speaks_of_calibrations() -> None:
    text = shown("compare", *SETS, *FEW, "--measure", "cllr", "--all")
    heads = [line for line in text.splitlines() if line.startswith(("test ", "A - B "))]
    assert "calibration" in heads[0]
    assert "threshold" not in heads[0] + heads[1]
    assert "calibration" in heads[1]


def test_published_rates_without_an_error_have_an_interval_of_some_width() -> None:
    rates = ["--far", "0", "--frr", "0", "--impostor", "1000", "--genuine", "100"]
    first, second = answer("interval", "rates", *rates)["intervals"]
    reach = [proportion_interval(0, trials, method="wilson").high / 2 for trials in (1000, 100)]
    assert (first["method"], first["high"]) == ("wilson", pytest.approx(hypot(*reach)))
    assert (second["method"], second["high"]) == ("independent", 0.0)


def test_the_same_rows_in_another_order_are_a_posteriori() -> None:
    head, *rows = Path("test.csv").read_text().splitlines()
    Path("turned.csv").write_text("\n".join([head, *rows[::-1], ""]))
    Path("half.csv").write_text("\n".join([head, *rows[::2], ""]))
    text = shown("evaluate", "--dev", "turned.csv", "--test", "test.csv")
    assert "a priori" not in text
    assert "dev and test are the same trials" in text
    assert "450 of 900 test trials are also in dev" in shown("evaluate", "--dev", "half.csv", "--test", "test.csv")


@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", *SETS, "--measure", "f1"],
        ["evaluate", "--dev", "dev.csv", "--folds", "3"],
        ["evaluate", *SETS, "--resample", "test"],
        ["compare", *SETS, *FEW, "--margin", ".1"],
        ["compare", *BARE, *FEW],
        ["epc", *SETS, "--compare", "face,voice", "--points", "5"],
        ["interval", "rates", "--far", ".01", "--frr", ".02", "--impostor", "1000", "--genuine", "100"],
        ["fuse", *SETS],
        ["benchmark", "--set", "LP1", "--protocol", "fp-intramodal", "--fusion", "mean,max"],
    ],
    ids=lambda command: " ".join(command[:1]),
)
def test_every_interval_and_test_says_what_became_of_the_threshold(command: list[str]) -> None:
    found = answer(*command)
    claimed = [*every(found, "low", "high", "method"), *every(found, "statistic", "p_value", "test")]
    assert claimed
    assert {each["threshold"] for each in claimed} <= GIVEN


@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", *SETS],
        ["compare", *SETS, *FEW],
        ["epc", *SETS, "--compare", "face,voice", "--bands", "pointwise", "--points", "5"],
        ["fuse", *SETS],
        ["benchmark", "--set", "LP1", "--protocol", "fp-intramodal"],
    ],
    ids=lambda command: str(command[0]),
)
def test_tables_say_what_became_of_the_threshold(command: list[str]) -> None:
    assert "re-estimated" in shown(*command)


def test_conditional_claims_stand_beside_those_with_the_threshold_re_estimated() -> None:
    (system,) = answer("evaluate", *SETS, "--system", "face")["systems"]
    assert [each["threshold"] for each in system["test"]["intervals"]] == ["re-estimated", "fixed", "fixed"]
    (pair,) = answer("compare", *SETS, *FEW)["pairs"]
    assert [(test["test"], test["threshold"]) for test in pair["tests"][:2]] == [
        ("cluster", "re-estimated"),
        ("cluster", "fixed"),
    ]
    along = answer("epc", *SETS, "--compare", "face,voice", "--points", "5")["comparison"]
    assert (along["threshold"], along["fixed"]["threshold"]) == ("re-estimated", "fixed")
    fixed = ["epc", *SETS, "--compare", "face,voice", "--points", "5", "--resample", "test", "--bands", "pointwise"]
    only = answer(*fixed)["comparison"]
    assert only["threshold"] == "fixed"
    assert "along alpha, cluster test, given these thresholds\n" in shown(*fixed)
    assert "95 % band, pointwise, given these thresholds" in shown(*fixed, "--all")
    assert only["statistic"] == along["fixed"]["statistic"]


def test_leading_test_is_named_by_what_it_knows() -> None:
    for files, name in ((SETS, "cluster"), (BARE, "paired"), ([*SETS, "--cluster", "none"], "paired")):
        (pair,) = answer("compare", *files, *FEW)["pairs"]
        assert pair["tests"][0]["test"] == pair["interval"]["method"] == name
        assert ("cluster" in {test["test"] for test in pair["tests"]}) == (name == "cluster")


def by_hand(system: str, threshold: float) -> dict[str, float]:
    """Figures on the test trials, counted one by one."""
    trials = read_trials("test.csv")
    accepted = trials.column(system) > threshold
    hits, alarms = (int((accepted & rows).sum()) for rows in (trials.genuine, ~trials.genuine))
    missed = int(trials.genuine.sum()) - hits
    return {"f1": 2 * hits / (2 * hits + alarms + missed), "class-error": (alarms + missed) / len(trials)}


def test_row_of_mcnemar_shows_its_own_difference() -> None:
    found = answer("compare", *SETS, *FEW)
    (test,) = [test for test in found["pairs"][0]["tests"] if test["test"] == "mcnemar"]
    errors = {rank["system"]: by_hand(rank["system"], rank["threshold"])["class-error"] for rank in found["ranking"]}
    assert test["measure"] == "class-error"
    assert test["difference"] == pytest.approx(errors["face"] - errors["voice"])
    assert test["difference"] != pytest.approx(found["pairs"][0]["difference"])
    assert "classification error" in test["note"]
    text = shown("compare", *SETS, *FEW, "--all")
    assert re.search(r"^ *mcnemar +fixed +Classification error ", text, re.MULTILINE)
    assert "mcnemar: compares the classification error over all trials" in text


def test_comparison_by_f1() -> None:
    found = answer("compare", *SETS, *FEW, "--measure", "f1")
    f1 = {rank["system"]: by_hand(rank["system"], rank["threshold"])["f1"] for rank in found["ranking"]}
    assert {rank["system"]: rank["value"] for rank in found["ranking"]} == pytest.approx(f1)
    (pair,) = found["pairs"]
    assert pair["difference"] == pytest.approx(f1["face"] - f1["voice"])
    assert pair["tests"][0]["measure"] == "f1"
    assert "in F1" in shown("compare", *SETS, *FEW, "--measure", "f1")
    assert "differ in F1" in page_of("compare", *SETS, *FEW, "--measure", "f1")[0]


def test_curves_compared_by_f1() -> None:
    base = ["epc", *SETS, "--measure", "f1", "--points", "5", "--compare", "face,voice", "--bands", "pointwise"]
    found = answer(*base)
    along, curves = found["comparison"], found["curves"]
    f1 = [[by_hand(curve["system"], threshold)["f1"] for threshold in curve["threshold"]] for curve in curves]
    assert along["measure"] == "f1"
    assert along["difference"] == pytest.approx([a - b for a, b in zip(*f1, strict=True)])
    for curve, values in zip(curves, f1, strict=True):
        for low, value, high in zip(curve["low"], values, curve["high"], strict=True):
            assert 0 <= low <= value <= high <= 1
    # the higher F1 is the better one
    sides = {along["better"][k] for k in range(len(along["regions"]))}
    assert sides <= {"voice"}
    assert all(first < second for first, second in zip(*f1, strict=True))
    assert [(curve["kind"], curve["band_kind"], curve["band_threshold"]) for curve in curves] == [
        ("a priori", "pointwise", "re-estimated")
    ] * 2
    assert "F1, A - B %" in shown(*base)


def test_interval_of_f1_is_around_it() -> None:
    (system,) = answer("evaluate", *SETS, "--measure", "f1", "--system", "voice")["systems"]
    interval = system["test"]["measure_intervals"]["f1"]
    assert system["test"]["measures"]["f1"] == pytest.approx(by_hand("voice", system["threshold"])["f1"])
    assert 0 <= interval["low"] < system["test"]["measures"]["f1"] < interval["high"] <= 1
    assert (interval["measure"], interval["threshold"]) == ("f1", "re-estimated")
    assert re.search(
        r"^ *F1 +\d+\.\d+ to \d+\.\d+ % +re-estimated", shown("evaluate", *SETS, "--measure", "f1", "--all"), re.M
    )


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        (["bootstrap", *FEW], ["F1 of face minus F1 of voice", "given these thresholds"]),
        (["epc-compare", "--points", "11"], ["F1 on test", "threshold re-estimated"]),
        (["epc-significance", "--points", "11"], ["F1 on test", "threshold re-estimated"]),
    ],
    ids=["bootstrap", "epc-compare", "epc-significance"],
)
def test_figures_of_f1_say_so(figure: list[str], words: list[str]) -> None:
    caption = shown("plot", *figure, *SETS, "--systems", "face,voice", "--measure", "f1", "--out", "figure.svg")
    drawn = caption + Path("figure.svg").read_text(encoding="utf-8")
    for word in words:
        assert word in drawn
    assert "HTER" not in drawn


def test_one_side_holds_for_the_bootstrap_too() -> None:
    found = {side: answer("compare", *SETS, *FEW, "--alternative", side)["pairs"][0] for side in ("less", "greater")}
    p = {}
    for side, pair in found.items():
        (test,) = [test for test in pair["tests"] if test["test"] == "bootstrap"]
        assert test["alternative"] == side
        p[side] = test["p_value"]
    # face makes more errors: that it makes fewer is hardly shown
    assert found["less"]["difference"] > 0
    assert p["greater"] < 0.5 < p["less"]
    # shares of the same replicates on either side of 0, each with one more
    assert p["less"] + p["greater"] == pytest.approx(1 + 1 / 201, abs=3 / 201)
    assert "face - voice in HTER, claimed to be below 0" in shown("compare", *SETS, *FEW, "--alternative", "less")


def test_interval_of_the_difference_is_by_the_leading_method() -> None:
    (pair,) = answer("compare", *SETS, *FEW)["pairs"]
    leading = pair["tests"][0]
    assert pair["interval"] == pair["intervals"][0]
    assert (pair["interval"]["method"], pair["interval"]["threshold"]) == ("cluster", "re-estimated")
    assert pair["interval"]["low"] < leading["difference"] < pair["interval"]["high"]
    # an interval that holds 0 goes with a p value above 5 %
    assert (pair["interval"]["low"] < 0 < pair["interval"]["high"]) == (leading["p_value"] > 0.05)
    assert [each["method"] for each in pair["intervals"]] == ["cluster", "cluster", "bootstrap"]
    ends = f"{100 * pair['interval']['low']:.2f} to {100 * pair['interval']['high']:.2f}"
    assert ends in shown("compare", *SETS, *FEW)


def test_far_and_frr_have_intervals_of_their_own() -> None:
    (system,) = answer("evaluate", *SETS, "--system", "face")["systems"]
    text = shown("evaluate", *SETS, "--system", "face", "--all")
    words, _ = page_of("evaluate", *SETS, "--system", "face")
    for name in ("far", "frr"):
        found = system["test"][f"{name}_interval"]
        assert (found["measure"], found["threshold"], found["method"]) == (name, "re-estimated", "cluster-both")
        assert 0 <= found["low"] < system["test"][name] < found["high"] <= 1
        ends = f"{100 * found['low']:.2f} to {100 * found['high']:.2f}"
        assert re.search(rf"{name.upper()} +{ends}", text)
        assert f"{name.upper()} {ends}" in words


def test_a_function_that_cannot_be_called_is_told_how_it_is() -> None:
    Path("own_measure.py").write_text("def gain(far, frr):\n    return 1 - far\n")
    for option, how in (("--measure", "called with an ErrorCounts"), ("--criterion", "called with FAR, FRR and alpha")):
        result = run("evaluate", *SETS, option, "own_measure:gain")
        assert (result.exit_code, result.stdout) == (2, "")
        assert how in result.stderr


def test_systems_that_do_not_differ_on_any_trial_are_no_error() -> None:
    for name in ("dev", "test"):
        trials = read_trials(f"{name}.csv", systems=["face"])
        scores = np.column_stack([trials.column("face"), 2 * trials.column("face")])
        ids: dict[str, Any] = {role: trials.ids[role].decode() for role in ("claim", "subject")}
        write_trials(Trials.from_arrays(scores, trials.genuine, systems=["one", "two"], **ids), f"{name}-alike.csv")
    files = ["--dev", "dev-alike.csv", "--test", "test-alike.csv"]
    assert "cannot be told apart" in page_of("compare", *FEW, "--margin", ".1", *files)[0]
    assert "cannot be told apart from the best of them" in page_of("fuse", *files)[0]
    (pair,) = answer("compare", *files, *FEW, "--margin", ".1")["pairs"]
    assert {test["p_value"] for test in pair["tests"]} == {1.0}
    assert pair["interval"]["low"] is None
    assert "the two do not differ on any trial that counts" in shown("compare", *files, *FEW)


def test_a_target_is_asked_for() -> None:
    for criterion in ("far", "far-at-most"):
        result = run("evaluate", *SETS, "--criterion", criterion)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"criterion {criterion} needs a target, as in --alpha" in result.stderr


def test_a_target_that_few_errors_support_is_noted_with_the_system() -> None:
    text = shown("evaluate", *SETS, "--criterion", "far-at-most", "--alpha", ".01")
    # one in a hundred of 870 impostor trials on dev, for both systems, in one note
    assert "face, voice: the target rests on 8 false accepts on dev" in text
    one = shown("evaluate", *SETS, "--system", "voice", "--criterion", "far-at-most", "--alpha", ".01")
    assert "voice: the target rests on 8 false accepts on dev" in one
    many = shown("evaluate", *SETS, "--criterion", "far-at-most", "--alpha", ".2")
    assert "rests on" not in many


SMALL = "label,claim,subject,s\n" + "".join(
    f"{label},{claim},{subject},{score}\n"
    for label, claim, subject, score in [
        (1, "a", "a", 2), (1, "b", "b", 0.5), (1, "c", "c", 3), (0, "a", "b", 0), (0, "b", "c", 1), (0, "c", "a", 0.2),
    ]
)  # fmt: skip


@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", "--measure", "recall", "--measure", "precision", "--measure", "wer"],
        ["epc", "--bands", "pointwise"],
        ["epc", "--bands", "simultaneous", "--measure", "f1"],
    ],
)
@pytest.mark.parametrize("cluster", ["none", "both"])
def test_no_rate_has_a_limit_below_0_or_above_1(command: list[str], cluster: str) -> None:
    Path("small.csv").write_text(SMALL)
    Path("small-test.csv").write_text(SMALL.replace("0.5", "0.9"))
    for more in ([], ["--negate"]):  # few errors, and nearly nothing but errors
        found = answer(*command, "--dev", "small.csv", "--test", "small-test.csv", "--cluster", cluster, *more)
        limits = [each[end] for each in every(found, "low", "high") for end in ("low", "high")]
        assert limits
        for limit in limits:
            for value in limit if isinstance(limit, list) else [limit]:
                assert 0 <= value <= 1


def test_published_rates_have_no_limit_below_0() -> None:
    found = answer(
        "interval",
        "rates",
        "--far",
        ".001",
        "--frr",
        ".02",
        "--impostor",
        "1000",
        "--genuine",
        "50",
        "--measure",
        "all",
    )
    assert all(0 <= each["low"] <= each["high"] <= 1 for each in found["intervals"])


def test_p_is_never_printed_as_0() -> None:
    for seed, name in enumerate(("far-apart-dev", "far-apart-test")):
        rng = np.random.default_rng(seed)
        genuine = np.arange(4000) < 2000
        scores = np.outer(genuine, [0.2, 8.0]) + rng.normal(size=(4000, 2))
        write_trials(Trials.from_arrays(scores, genuine, systems=["poor", "good"]), f"{name}.csv")
    files = ["--dev", "far-apart-dev.csv", "--test", "far-apart-test.csv"]
    text = shown("compare", *files, *FEW, "--all")
    row = next(line for line in text.splitlines() if line.startswith("paired "))
    assert row.rstrip().endswith("< 0.0001")
    tests = text.split("\n\n")[1]
    assert not re.search(r"\b0(\.0+)?(e-\d+)? *$", tests, re.MULTILINE)
    areas = shown("epc", *files, "--compare", "poor,good", "--points", "3", "--all").split("Tests of the areas")[1]
    assert re.search(r"^area-g .* < 0\.0001 +> 99\.99$", areas, re.MULTILINE)
    assert all(test["p_value"] > 0 for test in every(answer("compare", *files, *FEW), "p_value"))


def test_terms_of_iso_in_tables_and_on_a_page() -> None:
    text = shown("evaluate", *SETS, "--terms", "iso")
    words, drawn = page_of("evaluate", *SETS, "--terms", "iso")
    for found in (text, words):
        assert "FMR" in found
        assert "FNMR" in found
        assert not re.search(r"\b(FAR|FRR)\b", found)
    assert drawn["det"]["x"]["label"] == "FMR (%)"


OUT = {
    "evaluate": ["evaluate", *SETS, "--out"],
    "compare": ["compare", *SETS, *FEW, "--out"],
    "epc": ["epc", *SETS, "--points", "5", "--out"],
    "interval": ["interval", "rates", "--far", ".01", "--frr", ".02", "--impostor", "99", "--genuine", "9", "--out"],
    "plan": ["plan", "--pi", ".02", "--half-width", ".01", "--out"],
    "fuse": ["fuse", *SETS, "--out"],
}
FIRST = {"evaluate": "system", "compare": "pair", "epc": "system", "interval": "measure", "plan": "attempts"}


@pytest.mark.parametrize("name", OUT)
def test_results_in_files_of_every_kind(name: str) -> None:
    from pyarrow import parquet

    for ending in ("csv", "md", "tex", "parquet"):
        shown(*OUT[name], f"r.{ending}")
    header = Path("r.csv").read_text().splitlines()[0].split(",")
    assert header[0] == FIRST.get(name, "system")
    assert parquet.read_table("r.parquet").column_names == header
    assert Path("r.md").read_text().startswith("## ")
    assert "\\begin{tabular}" in Path("r.tex").read_text()
    if name in ("evaluate", "fuse"):
        assert "interval_threshold" in header
    if name == "compare":
        assert {"threshold", "measure"} <= set(header)
