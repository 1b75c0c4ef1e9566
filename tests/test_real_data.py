"""The EERs of the real score sets, as published or checked (../shared/data/README.md)."""

from pathlib import Path

import numpy as np
import pytest

from fairtrial import Trials, equal_error_rate, evaluate, evaluate_groups, read_pair, read_trials
from fairtrial.counting import as_source
from fairtrial.figures.groups import group_operating_curves


def eer(trials: Trials, system: str | None = None) -> float:
    return 100 * equal_error_rate(as_source(trials, system=system)).value


@pytest.mark.parametrize(
    ("file", "percent"),
    [("face-C", 4.45), ("face-G", 5.80), ("finger-left", 8.51), ("finger-right", 5.04)],
)
def test_bssr1_matchers(real_data: Path, file: str, percent: float) -> None:
    trials = read_trials(real_data / "bssr1_set1" / f"{file}.csv.gz")
    assert (int(trials.genuine.sum()), int((~trials.genuine).sum())) == (517, 266_772)
    assert eer(trials) == pytest.approx(percent, abs=0.005)


def test_bssr1_sum_of_four(real_data: Path) -> None:
    trials = read_trials(str(real_data / "bssr1_set1" / "*.csv.gz"))
    assert trials.systems == ("face-C", "face-G", "finger-left", "finger-right")
    impostor = trials.scores[~trials.genuine]
    total = ((trials.scores - impostor.mean(axis=0)) / impostor.std(axis=0)).sum(axis=1)
    assert eer(Trials.from_arrays(total, trials.genuine)) == pytest.approx(0.77, abs=0.005)


def test_asvspoof_speaker_verification(real_data: Path) -> None:
    file = real_data / "asvspoof2019_la" / "asv_trials_eval.csv.gz"
    nontarget = read_trials(file, genuine_labels=("target",), impostor_labels=("nontarget",))
    assert (int(nontarget.genuine.sum()), int((~nontarget.genuine).sum())) == (5370, 33_327)
    assert nontarget.notes[1:] == ("63,882 trials with label spoof were left out",)
    assert "label, claim from model, probe from utt; kept besides: attack" in str(nontarget.notes[0])
    assert eer(nontarget, "asv_ecapa") == pytest.approx(1.64, abs=0.005)
    spoof = read_trials(file, genuine_labels=("target",), impostor_labels=("spoof",))
    assert eer(spoof, "asv_ecapa") == pytest.approx(30.75, abs=0.005)
    assert any("negate" in str(note) for note in evaluate(spoof, spoof, systems="cm_resnet_ocsoftmax").notes)


def test_asvspoof_by_kind_of_attack(real_data: Path) -> None:
    file = real_data / "asvspoof2019_la" / "asv_trials_eval.csv.gz"
    trials = read_trials(file, genuine_labels=("target",), impostor_labels=("nontarget", "spoof")).select(["asv_ecapa"])
    found = evaluate_groups(trials, trials, by="attack", resample="test")
    attacks = [f"A{k:02d}" for k in range(7, 20)]
    assert [own.group for own in found.groups] == ["-", *attacks]
    curves = {curve.system: curve for curve in group_operating_curves(found)}
    # trials without an attack are those of target and nontarget, marked by a dash
    assert 100 * curves["-"].eer.value == pytest.approx(1.64, abs=0.005)
    spoof = sum(curves[name].point.counts.false_accepts for name in attacks)
    whole = read_trials(file, genuine_labels=("target",), impostor_labels=("spoof",))
    assert spoof == np.count_nonzero(whole.column("asv_ecapa")[~whole.genuine] > found.threshold)


def test_asvspoof_countermeasure_per_utterance(real_data: Path) -> None:
    file = real_data / "asvspoof2019_la" / "asv_trials_eval.csv.gz"
    trials = read_trials(file, genuine_labels=("target", "nontarget"), impostor_labels=("spoof",))
    assert trials.probe is not None
    _, first = np.unique(trials.probe.decode().astype(str), return_index=True)
    assert eer(trials.rows(first), "cm_aasist") == pytest.approx(0.83, abs=0.005)


def test_xm2vts_part(real_data: Path) -> None:
    trials = read_trials(real_data / "xm2vts_lp2_dev_2sys")
    assert (int(trials.genuine.sum()), int((~trials.genuine).sum())) == (400, 40_000)
    assert trials.claim is not None
    assert trials.subject is not None
    assert len(np.unique(trials.claim.numbered().codes)) == 200
    assert len(np.unique(trials.subject.numbered().codes[~trials.genuine])) == 25
    assert [eer(trials, system) for system in trials.systems] == pytest.approx([0.75, 5.54], abs=0.005)


@pytest.mark.parametrize("columns", ["4col", "5col"])
def test_banca(real_data: Path, columns: str) -> None:
    folder = real_data / "banca_mc_bob"
    dev, test = read_pair(folder / f"dev-{columns}.txt", folder / f"test-{columns}.txt")
    assert (eer(dev), eer(test)) == pytest.approx((6.70, 4.39), abs=0.005)
    assert evaluate(dev, test).test.hter != pytest.approx(evaluate(test, test).test.hter)
