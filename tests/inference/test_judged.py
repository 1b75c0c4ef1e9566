"""Intervals of judged figures: Wilson's limits put together, with ids and without, with no error, one error and two."""

from math import hypot, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import binomtest

from fairtrial import Trials, TrialsError, compare, compare_curves, evaluate, performance_curve
from fairtrial.counting.tallies import as_source, count_errors
from fairtrial.evaluation import curve_band, d_prime_interval
from fairtrial.inference import Judgement, TrialSets, judge, judge_at, judged_interval, rate_interval
from fairtrial.inference.estimates import intervals_along, judged_intervals
from fairtrial.inference.people import Cluster
from fairtrial.published import proportion_interval
from simulated import crossed, without_ids


def at(trials: Trials, threshold: float = 0.5, cluster: Cluster | None = None) -> Judgement:
    return judge_at(TrialSets(None, trials, cluster), threshold)


def with_errors(base: Trials, rows: list[int]) -> Trials:
    """The same trials, all decided rightly at 0.5 but those named."""
    scores = np.where(base.genuine, 1.0, 0.0)
    scores[rows] = 1 - scores[rows]
    return Trials(scores[:, None], base.genuine, ("s",), base.claim, base.subject)


def design(clients: int, impostors: int, attempts: int) -> Trials:
    return crossed(np.random.default_rng(0), clients=clients, impostors=impostors, attempts=attempts, systems=("s",))


def arrays(false_rejects: int, genuine: int, false_accepts: int, impostor: int) -> Judgement:
    """Counts as two arrays of scores, without any ids."""
    scores = (np.arange(genuine) >= false_rejects).astype(float), (np.arange(impostor) < false_accepts).astype(float)
    return judge_at(TrialSets(None, scores), 0.5)


@pytest.mark.parametrize(("rejects", "accepts"), [(0, 0), (0, 7), (1, 0), (12, 30)])
def test_without_ids_wilsons_limits_are_put_together(rejects: int, accepts: int) -> None:
    frr, far = (binomtest(k, n).proportion_ci(method="wilson") for k, n in ((rejects, 400), (accepts, 3000)))
    rates = rejects / 400, accepts / 3000
    reach = [
        sqrt((rates[0] - frr.low) ** 2 + (rates[1] - far.low) ** 2) / 2,
        sqrt((rates[0] - frr.high) ** 2 + (rates[1] - far.high) ** 2) / 2,
    ]
    found = judged_interval(arrays(rejects, 400, accepts, 3000))
    middle = sum(rates) / 2
    assert found.interval == pytest.approx((max(middle - reach[0], 0), middle + reach[1]), abs=1e-12)
    assert (found.method, found.threshold) == ("wilson", "fixed")
    assert found.high > 0.002
    for measure, own in (("frr", frr), ("far", far)):
        alone = judged_interval(arrays(rejects, 400, accepts, 3000), measure=measure)
        assert alone.interval == pytest.approx((own.low, own.high), abs=1e-12)


def test_few_errors_without_ids_are_covered() -> None:
    # 400 genuine trials at an FRR of 0.25 %: the normal interval of eq. (13) covers 63 % of the time
    rng = np.random.default_rng(1)
    truth = (0.0025 + 0.001) / 2
    inside = plain = 0
    for _ in range(600):
        judgement = arrays(int(rng.binomial(400, 0.0025)), 400, int(rng.binomial(20_000, 0.001)), 20_000)
        found, normal = judged_interval(judgement), rate_interval(judgement.at(0))
        inside += found.low <= truth <= found.high
        plain += normal.low <= truth <= normal.high
    assert inside / 600 >= 0.9
    assert plain / 600 < 0.8


def test_everybody_with_one_trial_is_as_good_as_independent() -> None:
    rng = np.random.default_rng(0)
    genuine = np.arange(2000) % 2 == 0
    trials = Trials.from_arrays(rng.normal(genuine, 1), genuine, claim=np.arange(2000), subject=np.arange(2000) + 5000)
    independent = rate_interval(count_errors(as_source(trials), 0.5).scalar())
    clusters: list[Cluster] = ["claim", "subject", "both"]
    for cluster in clusters:
        found = judged_interval(at(trials, 0.5, cluster))
        assert found.sigma == pytest.approx(independent.sigma, rel=3e-3)
        assert found.estimate == pytest.approx(independent.estimate)
        assert found.method == f"cluster-{cluster}"


def test_many_people_of_one_trial_give_wilsons_limits() -> None:
    count = 4000
    genuine = np.arange(2 * count) < count
    scores = np.where(genuine, 1.0, 0.0)
    scores[:60] = 0.0
    judgement = at(Trials.from_arrays(scores, genuine, claim=np.arange(2 * count)))
    found, recall = judged_interval(judgement, measure="frr"), judged_interval(judgement, measure="recall")
    expected = binomtest(60, count).proportion_ci(method="wilson")
    assert found.interval == pytest.approx((expected.low, expected.high), rel=0.03)
    # 1 - FRR: the limits turned round
    assert recall.interval == pytest.approx((1 - found.high, 1 - found.low))
    assert recall.estimate == pytest.approx(1 - 60 / count)


def test_coverage_with_client_and_impostor_effects() -> None:
    # 60 clients x 25 impostors, impostors with effects on the score; the true rates follow from the normal model
    rng = np.random.default_rng(1)
    clients, impostors, spread, threshold = 60, 25, 0.7, 1.3
    claim = np.concatenate([np.repeat(np.arange(clients), 4), np.repeat(np.arange(clients), impostors)])
    subject = np.concatenate([np.repeat(np.arange(clients), 4), 100 + np.tile(np.arange(impostors), clients)])
    genuine = claim == subject
    far = 1 - NormalDist(0, (1 + spread**2) ** 0.5).cdf(threshold)
    truth = (far + NormalDist(2.5).cdf(threshold)) / 2
    base = Trials.from_arrays(np.zeros(len(claim)), genuine, claim=claim, subject=subject)
    covered = {"both": 0, "independent": 0}
    for _ in range(500):
        effect = rng.normal(0, spread, 200)
        scores = np.where(genuine, 2.5, effect[subject]) + rng.normal(size=len(claim))
        data = Trials(scores[:, None], genuine, ("system",), claim=base.claim, subject=base.subject)
        robust = judged_interval(at(data, threshold))
        plain = rate_interval(count_errors(as_source(data), threshold).scalar())
        covered["both"] += robust.low <= truth <= robust.high
        covered["independent"] += plain.low <= truth <= plain.high
    assert 0.95 - 4 * sqrt(0.95 * 0.05 / 500) <= covered["both"] / 500 <= 0.985
    assert covered["independent"] / 500 < 0.85


@pytest.mark.parametrize("shape", [(20, 10, 4), (50, 25, 4), (100, 20, 2), (10, 5, 3), (30, 3, 2), (200, 10, 4)])
@pytest.mark.parametrize("measure", ["far", "frr"])
def test_the_first_error_never_lowers_the_upper_limit(shape: tuple[int, int, int], measure: str) -> None:
    base = design(*shape)
    rows = np.flatnonzero(base.genuine if measure == "frr" else ~base.genuine)
    order = np.random.default_rng(1).permutation(rows).tolist()
    same = np.flatnonzero(base.claim.decode() == base.claim.decode()[order[0]])  # type: ignore[union-attr]
    again = next(row for row in same.tolist() if row in order[1:])
    for reported in (measure, "hter"):
        none, one, other, twice = (
            judged_interval(at(with_errors(base, errors)), measure=reported)
            for errors in ([], order[:1], order[:2], [order[0], again])
        )
        assert 0 < none.high < one.high
        # a second error of the same client says more of how alike they are than one of somebody else
        assert twice.high > 0.8 * one.high
        assert other.high > 0.5 * one.high
        assert none.low == 0


def test_one_client_with_half_of_all_trials_is_said_and_widens() -> None:
    widths, notes = {}, {}
    for name, counts in (("half", np.array([60] + [3] * 20)), ("equal", np.full(21, 6))):
        claim = np.concatenate([np.repeat(np.arange(21), counts), np.repeat(np.arange(21), 20)])
        subject = np.concatenate([np.repeat(np.arange(21), counts), 100 + np.tile(np.arange(20), 21)])
        genuine = claim == subject
        errors = np.flatnonzero(genuine)[:: 12 if name == "half" else 13][:10]
        scores = np.where(genuine, 1.0, 0.0)
        scores[errors] = 0.0
        trials = Trials.from_arrays(scores, genuine, claim=claim, subject=subject)
        judgement = at(trials)
        found = judged_interval(judgement, measure="frr")
        widths[name], notes[name] = found.high - found.low, judgement.sets.notes
    # Kish: 120^2 / (60^2 + 20 x 9)
    assert any(f"people is {120**2 / (60**2 + 20 * 9):.3g}," in str(note) for note in notes["half"])
    assert notes["equal"] == ()
    assert widths["half"] > widths["equal"]


@pytest.mark.parametrize("alone", ["claim", "subject"])
def test_one_person_in_a_role_is_said_and_everything_works(alone: str) -> None:
    sets = []
    for seed in (0, 1):
        rng = np.random.default_rng(seed)
        trials = crossed(
            rng, clients=1 if alone == "claim" else 30, impostors=30 if alone == "claim" else 1, attempts=20
        )
        sets.append(trials)
    result = evaluate(*sets, systems="a")
    assert any(f"have the same {alone}" in str(note) for note in result.notes)
    assert 0 <= result.interval().low < result.test.hter < result.interval().high <= 1
    pair = compare(*sets, n_resamples=50).pairs[0]
    assert 0 < pair.headline.p_value <= 1
    curves = [performance_curve(*sets, system=name, alphas=[0.3, 0.5]) for name in ("a", "b")]
    band = curve_band(curves[0], kind="simultaneous")
    assert (band.low < band.high).all()
    found = compare_curves(*curves, simultaneous=True)
    assert found.supported.any()
    assert np.isfinite(found.statistic[found.supported]).all()


def test_one_client_is_not_taken_for_independent_trials() -> None:
    # 20 impostors against one client, 40 tries each: what an impostor does again and again counts once
    rng = np.random.default_rng(2)
    subject = np.concatenate([np.zeros(40, dtype=int), np.repeat(1 + np.arange(20), 40)])
    genuine = subject == 0
    scores = np.where(genuine, 1.0, rng.random(21)[subject] < 0.3)
    scores[:4] = 0.0
    trials = Trials.from_arrays(scores, genuine, claim=np.zeros(len(subject), dtype=int), subject=subject)
    robust, plain = (judged_interval(at(own), measure="far") for own in (trials, without_ids(trials)))
    assert robust.high - robust.low > 4 * (plain.high - plain.low)


def test_limits_of_shares_stay_within_0_and_1() -> None:
    trials = with_errors(design(10, 5, 3), list(range(0, 30, 2)))
    for measure in ("frr", "far", "hter", "f1", "precision", "class-error"):
        found = judged_interval(at(trials), measure=measure)
        assert 0 <= found.low <= found.estimate <= found.high <= 1


def test_the_interval_to_go_by_comes_first() -> None:
    rng = np.random.default_rng(5)
    sets = TrialSets(crossed(rng), crossed(rng, start=500))
    judgement = judge(sets, system="a", criterion="far", alphas=[0.01, 0.1])
    first, fixed, plain = judged_intervals(judgement, index=1)
    assert [own.threshold for own in (first, fixed, plain)] == ["re-estimated", "fixed", "fixed"]
    assert [own.method for own in (first, fixed, plain)] == ["cluster-both", "cluster-both", "independent"]
    assert first.high - first.low > fixed.high - fixed.low
    along = intervals_along(judgement)
    assert along[1].interval == pytest.approx(first.interval)
    assert along[0].interval == pytest.approx(judged_interval(judgement, index=0).interval)
    given = judged_intervals(judge_at(sets, 1.0, system="a"))
    assert [own.threshold for own in given] == ["fixed", "fixed"]


def test_ids_that_are_not_there() -> None:
    plain = Trials.from_arrays([0.0, 1.0], [False, True])
    assert judged_interval(at(plain)).method == "wilson"
    with pytest.raises(TrialsError, match="needs claim ids"):
        judged_interval(at(plain, cluster="claim"))
    with pytest.raises(TrialsError, match="needs test trials with ids"):
        TrialSets(None, ([1.0], [0.0]), "claim")


def test_intervals_are_named_by_their_limits_and_by_what_trials_share() -> None:
    trials = crossed(np.random.default_rng(3), clients=10, impostors=6)
    for cluster, rate, distance in ((None, "cluster-both", "cluster-both"), ("none", "wilson", "student")):
        judgement = judge(TrialSets(trials, trials, cluster), system="a")  # type: ignore[arg-type]
        found = [judged_interval(judgement, measure=measure) for measure in ("hter", "f1")]
        assert [own.method for own in found] == [own.to_dict()["method"] for own in found] == [rate, rate]
        assert [own.limits for own in found] == ["wilson", "wilson"]
        assert d_prime_interval(judgement.sets, system="a").method == distance


def test_limits_of_a_measure_without_bounds() -> None:
    # a sum of errors is no share: Wilson's limits of both rates, put together with the numbers of trials as weights
    judgement = arrays(12, 400, 30, 3000)
    found = judged_interval(judgement, measure=lambda counts: counts.false_accepts + counts.false_rejects)
    sigma = sqrt(400 * 0.03 * 0.97 * 400 / 399 + 3000 * 0.01 * 0.99 * 3000 / 2999)
    assert found.sigma == pytest.approx(sigma, rel=1e-4)
    limits = [(n, e / n, proportion_interval(e, n, method="wilson")) for e, n in ((12, 400), (30, 3000))]
    below = hypot(*(n * (rate - own.low) for n, rate, own in limits))
    above = hypot(*(n * (own.high - rate) for n, rate, own in limits))
    assert found.interval == pytest.approx((42 - below, 42 + above), rel=1e-9)


def test_a_rate_with_one_error_has_a_limit_near_that_with_none() -> None:
    """The threshold re-estimated; on the log-odds scale alone one error in 200 reached nearly everything."""
    dev = crossed(np.random.default_rng(1), clients=50, impostors=25, effect=0.5, systems=("a",), separation=5.0)
    base = crossed(
        np.random.default_rng(2), clients=50, impostors=25, effect=0.5, systems=("a",), separation=5.0, start=500
    )
    found = judge(TrialSets(dev, base), criterion="far", alphas=0.01)
    threshold = float(found.test.threshold[0])
    highest = []
    for errors in (0, 1, 2):
        scores = base.column(None).copy()
        wrong = np.flatnonzero(~base.genuine & (scores > threshold))
        scores[wrong[errors:]] = threshold - 1
        trials = Trials(scores[:, None], base.genuine, base.systems, base.claim, base.subject)
        judged = judge(TrialSets(dev, trials), criterion="far", alphas=0.01)
        assert judged.at(0).false_accepts == errors
        interval = judged_interval(judged, measure="far")
        assert interval.threshold == "re-estimated"
        highest.append(interval.high)
    assert highest[0] < highest[1] * 1.5
    assert highest[1] < 3 * highest[0]
    assert highest[2] < 0.2


@pytest.mark.parametrize("ids", [True, False])
@pytest.mark.parametrize("measure", ["f1", "precision", "recall", "class-error", "dcf"])
def test_without_errors_no_measure_has_an_interval_of_no_width(measure: str, ids: bool) -> None:
    trials = with_errors(design(20, 10, 4), [])
    found = judged_interval(at(trials if ids else without_ids(trials)), measure=measure)
    assert found.high > found.low
    # the end that no error can pass is reached exactly
    best = found.high if measure in ("f1", "precision", "recall") else found.low
    assert best == found.estimate == (1.0 if measure in ("f1", "precision", "recall") else 0.0)


def test_precision_without_false_accepts_reaches_what_wilsons_limit_of_far_gives() -> None:
    found = judged_interval(arrays(5, 80, 0, 400), measure="precision")
    far = judged_interval(arrays(5, 80, 0, 400), measure="far").high
    accepted = 75
    # the tangent: one false accept of so many accepted trials
    assert found.low == pytest.approx(1 - far * 400 / accepted, rel=1e-9)
