"""Whether intervals cover and tests keep their level: for trials that share people, and thresholds from dev.

Clients and impostors have effects on the scores of two equal systems; true rates follow from the normal model, or
from the mean over all data sets where the threshold comes from dev. Real people are drawn from real scores where these
are at hand (`real_people`). Writes the tables of docs/dependence.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from math import exp, sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from real_people import DATA, of_real_people
from scipy.special import ndtri
from scipy.stats import multivariate_normal

from fairtrial import Trials
from fairtrial.core.ids import Ids
from fairtrial.counting.tallies import ErrorCounts
from fairtrial.evaluation.areas import area_tests
from fairtrial.evaluation.bands import curve_band
from fairtrial.evaluation.curve_tests import compare_curves
from fairtrial.evaluation.epc import curve_of
from fairtrial.evaluation.paired_tests import (
    corrected_resampled_test,
    five_by_two_test,
    fold_differences,
    leading_test,
    pair_judgements,
)
from fairtrial.inference.decide import Judgement, judge, judge_at
from fairtrial.inference.estimates import claim
from fairtrial.inference.folds import make_blocks, make_halves
from fairtrial.inference.limits import judged_interval
from fairtrial.inference.split import TrialSets
from fairtrial.published.rates import Discordant, dependent_test, independent_test
from fairtrial.rules.measures import MEASURES

MARK = "<!-- what follows is written by make study -->"
TOGETHER = 50
"""Data sets that are systems of the same trials, so that who shares trials is found once for all of them."""
EFFECTS = {"none": (0.0, 0.0), "clients": (0.5, 0.0), "both": (0.5, 0.7), "strong": (1.0, 1.0)}
Found = dict[str, float]


@dataclass(frozen=True)
class Scenario:
    """Who is tested how often, how strong the effects of people are, and how often the systems err."""

    effects: str = "both"
    clients: int = 50
    impostors: int = 25
    attempts: int = 4
    far: float = 0.05
    frr: float = 0.05
    each_against: int | None = None
    """Each impostor attacks so many clients; None: all of them."""
    everybody: str = ""
    """Everybody against everybody: ``ordered`` pairs or ``unordered`` ones; impostors do not count then."""
    share_of_one: float = 0.0
    """The share of all trials that one client has."""
    correlation: float = 0.5
    ids: bool = True
    skew: float = 0.0
    """Effects are log-normal, of this standard deviation before they are scaled: impostors who succeed and clients who
    fail more often than all others. 0: normal effects."""

    @property
    def name(self) -> str:
        if not self.ids:
            people = f"{self.clients * self.attempts} genuine, no ids"
        elif self.everybody:
            people = f"everybody, {self.clients}, {self.everybody}"
        else:
            against = "" if self.each_against is None else f", each against {self.each_against}"
            people = f"{self.clients} x {self.impostors}{against}"
        one = f", one has {100 * self.share_of_one:.0f} %" if self.share_of_one else ""
        together = f", correlation {self.correlation:g}" if self.correlation != 0.5 else ""
        skewed = f", skewed by {self.skew:g}" if self.skew else ""
        return f"{people}{one}{together}, {self.effects}{skewed}"

    def people(self, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Claim and subject of each trial, genuine ones first."""
        clients = np.arange(self.clients)
        genuine = np.repeat(clients, self.attempts)
        if self.everybody:
            claim, subject = np.nonzero(~np.eye(self.clients, dtype=bool))
            kept = claim < subject if self.everybody == "unordered" else np.ones(len(claim), dtype=bool)
            claim, subject = claim[kept], subject[kept]
        elif self.each_against is not None:
            subject = self.clients + np.repeat(np.arange(self.impostors), self.each_against)
            picks = [rng.choice(self.clients, self.each_against, replace=False) for _ in range(self.impostors)]
            claim = np.concatenate(picks)
        else:
            claim = np.repeat(clients, self.impostors)
            subject = self.clients + np.tile(np.arange(self.impostors), self.clients)
        if self.share_of_one:
            times = round(self.share_of_one / (1 - self.share_of_one) * (self.clients - 1))
            genuine = np.concatenate([np.repeat(genuine[genuine == 0], times), genuine[genuine > 0]])
            first = claim == 0
            claim, subject = (
                np.concatenate([np.tile(column[first], times), column[~first]]) for column in (claim, subject)
            )
        return np.concatenate([genuine, claim]), np.concatenate([genuine, subject])

    @property
    def spreads(self) -> tuple[float, float]:
        """Standard deviations of genuine and of impostor scores."""
        client, impostor = EFFECTS[self.effects]
        return sqrt(1 + client**2), sqrt(1 + client**2 + impostor**2)

    @property
    def threshold(self) -> float:
        """Where the FAR is what it should be."""
        return -float(ndtri(self.far)) * self.spreads[1]

    def draw(self, systems: int, rng: np.random.Generator, prefix: str) -> Trials:
        """Trials of pairs of equal systems: 0 and 1 are a pair, 2 and 3, ..."""
        claim, subject = self.people(np.random.default_rng(1))
        genuine = claim == subject
        client, impostor = EFFECTS[self.effects]
        distance = self.threshold - float(ndtri(self.frr)) * self.spreads[0]
        count = 1 + int(max(claim.max(), subject.max()))
        clients, impostors, noise = (self._pairs(size, systems, rng) for size in (count, count, len(claim)))
        clients, impostors = -self._skewed(-clients), self._skewed(impostors)
        scores = noise + client * clients[claim] + np.where(genuine[:, None], distance, impostor * impostors[subject])
        names = np.array([f"{prefix}{k}" for k in range(count)], dtype=object)
        ids = [Ids(codes.astype(np.int32), names) if self.ids else None for codes in (claim, subject)]
        systems_names = tuple(str(k) for k in range(systems))
        return Trials(scores, genuine, systems_names, claim=ids[0], subject=ids[1])

    def _skewed(self, effects: NDArray[np.float64]) -> NDArray[np.float64]:
        """Normal effects made log-normal, of mean 0 and variance 1 again."""
        if not self.skew:
            return effects
        square = self.skew**2
        return np.asarray((np.exp(self.skew * effects) - exp(square / 2)) / sqrt((exp(square) - 1) * exp(square)))

    def _pairs(self, size: int, systems: int, rng: np.random.Generator) -> NDArray[np.float64]:
        own = rng.normal(size=(size, systems))
        common = np.repeat(rng.normal(size=(size, systems // 2)), 2, axis=1)
        return np.asarray(sqrt(self.correlation) * common + sqrt(1 - self.correlation) * own)


def chunks(scenario: Scenario, data_sets: int, *, dev: bool) -> Iterator[TrialSets]:
    """Dev and test trials of pairs of systems, some at a time."""
    rng = np.random.default_rng([sum(scenario.name.encode()), data_sets])
    for chunk in range(-(-data_sets // TOGETHER)):
        count = 2 * min(TOGETHER, data_sets - chunk * TOGETHER)
        sets = [scenario.draw(count, rng, prefix) for prefix in (("d", "t") if dev else ("t",))]
        yield TrialSets(sets[0] if dev else None, sets[-1], seed=chunk)


def pairs(sets: TrialSets) -> Iterator[tuple[str, str]]:
    assert isinstance(sets.test, Trials)
    names = sets.test.systems
    yield from zip(names[0::2], names[1::2], strict=True)


def share(found: list[bool]) -> float:
    return float(np.mean(found)) if found else float("nan")


def at_known_threshold(scenario: Scenario, data_sets: int) -> Found:
    """Coverage of HTER, FAR and FRR and level of the test, both systems at the true threshold."""
    truth = {"hter": (scenario.far + scenario.frr) / 2, "far": scenario.far, "frr": scenario.frr}
    covered: dict[str, list[bool]] = {name: [] for name in truth}
    rejected = []
    for sets in chunks(scenario, data_sets, dev=False):
        for a, b in pairs(sets):
            first, second = (_given(sets, scenario.threshold, name) for name in (a, b))
            for name, value in truth.items():
                low, high = judged_interval(first, measure=name).interval
                covered[name].append(low <= value <= high)
            rejected.append(claim([(1.0, first), (-1.0, second)], MEASURES["hter"]).p_value() < 0.05)
    return {f"{name.upper()} covered": share(hits) for name, hits in covered.items()} | {"type I": share(rejected)}


def _given(sets: TrialSets, threshold: float, system: str) -> Judgement:
    return replace(judge_at(sets, threshold, system=system), sets=sets)


def at_dev_threshold(scenario: Scenario, data_sets: int, criterion: str, alpha: float, measure: str) -> Found:
    """Coverage of the expected figure and level of the test, threshold re-estimated and fixed."""
    known = MEASURES[measure]
    limits: dict[str, list[tuple[float, float]]] = {"re-estimated": [], "fixed": []}
    rejected: dict[str, list[bool]] = {"re-estimated": [], "fixed": []}
    estimates = []
    for sets in chunks(scenario, data_sets, dev=True):
        for a, b in pairs(sets):
            judged = [judge(sets, system=name, criterion=criterion, alphas=alpha) for name in (a, b)]
            estimates += [float(known(own.at(0), alpha)) for own in judged]
            for kind in ("re-estimated", "fixed"):
                limits[kind].append(judged_interval(judged[0], measure=known, threshold=kind).interval)
                found = claim([(1.0, judged[0]), (-1.0, judged[1])], known, threshold=kind)
                rejected[kind].append(found.p_value() < 0.05)
    truth = float(np.mean(estimates))
    covered = {kind: share([low <= truth <= high for low, high in own]) for kind, own in limits.items()}
    return {
        "covered": covered["re-estimated"],
        "covered, threshold fixed": covered["fixed"],
        "type I": share(rejected["re-estimated"]),
        "type I, threshold fixed": share(rejected["fixed"]),
    }


def along_alpha(scenario: Scenario, data_sets: int, criterion: str) -> Found:
    """Level of regions and area tests, and coverage of bands, over 21 values of alpha."""
    alphas = np.linspace(0, 1, 21)
    regions: dict[str, list[bool]] = {"re-estimated": [], "fixed": []}
    areas, bands, curves = [], [], []
    for sets in chunks(scenario, data_sets, dev=True):
        for a, b in pairs(sets):
            found = [curve_of(judge(sets, system=name, criterion=criterion, alphas=alphas)) for name in (a, b)]
            for kind in ("re-estimated", "fixed"):
                regions[kind].append(bool(compare_curves(*found, simultaneous=True, threshold=kind).regions))
            areas.append(area_tests(sets, a, b)["g"].p_value < 0.05)
            bands.append(curve_band(found[0], kind="simultaneous"))
            curves += [own.hter for own in found]
    mean = np.mean(curves, axis=0)
    return {
        "regions": share(regions["re-estimated"]),
        "regions, threshold fixed": share(regions["fixed"]),
        "area test": share(areas),
        "band covered": share(
            [not np.any(((mean < band.low) | (mean > band.high)) & band.supported) for band in bands]
        ),
    }


NIST = (57_748, 5_825)
"""Impostor and genuine trials of NIST 2000, in section 6.3 of Bengio & Mariéthoz 2004."""
MODEL_C, MODEL_D = (0.131, 0.096), (0.158, 0.078)
"""FAR and FRR of its Table 4."""
CORRELATIONS = (0.0, 0.5, 0.9, 0.99)
CORRELATED_DATA_SETS = 20_000


def of_correlated_systems(correlation: float, data_sets: int = CORRELATED_DATA_SETS) -> Found:
    """Level and power of eqs. (15) and (16) and of both together: independent trials, systems that correlate."""
    found = {}
    for what, other in (("type I", MODEL_C), ("power", MODEL_D)):
        rejected = rejections(MODEL_C, other, correlation, data_sets)
        both = rejected["DEP"] & rejected["INDEP"]
        for name, each in (*rejected.items(), ("both agree", both)):
            found[f"{name}, {what}"] = float(each.mean())
    return found


def rejections(
    a: tuple[float, float], b: tuple[float, float], correlation: float, data_sets: int
) -> dict[str, NDArray[np.bool_]]:
    """In which data sets each test finds a difference: outcomes drawn by cell, scores joined by a normal copula."""
    rng = np.random.default_rng([round(100 * correlation), data_sets])
    impostor, genuine = (
        rng.multinomial(trials, joint_errors(first, second, correlation), size=data_sets).tolist()
        for trials, first, second in zip(NIST, a, b, strict=True)
    )
    found: dict[str, list[bool]] = {"DEP": [], "INDEP": []}
    for (i_both, i_a, i_b, _), (g_both, g_a, g_b, _) in zip(impostor, genuine, strict=True):
        first = ErrorCounts(0.0, i_both + i_a, g_both + g_a, NIST[1], NIST[0])
        second = ErrorCounts(0.0, i_both + i_b, g_both + g_b, NIST[1], NIST[0])
        discordant = Discordant(impostor_ab=i_b, impostor_ba=i_a, genuine_ab=g_b, genuine_ba=g_a)
        found["DEP"].append(dependent_test(first, second, discordant).p_value < 0.05)
        found["INDEP"].append(independent_test(first, second).p_value < 0.05)
    return {name: np.array(each) for name, each in found.items()}


def joint_errors(a: float, b: float, correlation: float) -> list[float]:
    """The probabilities that both err, only A does, only B does, and neither does."""
    joint = multivariate_normal(cov=[[1, correlation], [correlation, 1]])
    both = float(joint.cdf([ndtri(a), ndtri(b)]))
    return [both, a - both, b - both, 1 - a - b + both]


def over_folds(scenario: Scenario, data_sets: int, folds: int) -> Found:
    """Level of tests of equal systems where there is one set of trials, cut into folds by people."""
    hter = MEASURES["hter"]
    names = ("leading test", "corrected resampled t", "t without correction", "5x2cv")
    rejected: dict[str, list[bool]] = {name: [] for name in names}
    for seed, sets in enumerate(chunks(scenario, data_sets, dev=False)):
        trials, rng = sets.test, np.random.default_rng(seed)
        assert isinstance(trials, Trials)
        whole = TrialSets(trials, trials, seed=seed, blocks=make_blocks(trials, folds, rng=rng))
        halves = [TrialSets(trials, trials, blocks=make_halves(trials, rng=rng)) for _ in range(5)]
        for a, b in pairs(sets):
            pair, *deals = (pair_judgements(judge(own, system=a), judge(own, system=b)) for own in (whole, *halves))
            differences = fold_differences(pair, hter)
            tests = (
                leading_test(pair),
                corrected_resampled_test(differences),
                corrected_resampled_test(differences, test_to_train=0),
                five_by_two_test([fold_differences(deal, hter) for deal in deals]),
            )
            for name, found in zip(names, tests, strict=True):
                rejected[name].append(found.p_value < 0.05)
    return {name: share(each) for name, each in rejected.items()}


KNOWN = [
    *(Scenario(e, *size) for e in EFFECTS for size in ((20, 10), (50, 25), (200, 50, 2))),
    *(Scenario(e, *size) for e in ("both", "strong") for size in ((10, 25), (30, 25), (50, 3), (50, 5), (10, 10))),
    *(Scenario(e, impostors=50, each_against=3) for e in EFFECTS),
    *(
        Scenario(e, n, everybody=kind)
        for e in ("both", "strong")
        for n in (10, 20, 50)
        for kind in ("ordered", "unordered")
    ),
    *(Scenario(e, share_of_one=s) for e in ("both", "strong") for s in (0.2, 0.5)),
    *(Scenario(e, far=f, frr=0.02) for e in EFFECTS for f in (0.001, 0.0001)),
    *(Scenario("both", far=n / 1250, frr=n / 200) for n in (0.3, 1, 3, 20)),
    *(Scenario("both", correlation=r) for r in (0.0, 0.9, 0.99)),
    *(Scenario("none", 400, 28, 1, 0.01, f, ids=False) for f in (0.02, 0.0075, 0.0025, 0.0005)),
]
FROM_DEV = [
    (replace(base, effects=e), *rule)
    for base in (Scenario(), Scenario(clients=20, impostors=10))
    for e in ("none", "both", "strong")
    for rule in (
        ("eer", 0.5, "hter"),
        ("wer-min", 0.5, "hter"),
        ("wer-min", 0.9, "hter"),
        ("far", 0.01, "hter"),
        ("far", 0.01, "frr"),
    )
] + [(Scenario(), "eer", 0.5, "f1"), (Scenario(), "wer-equal", 0.9, "hter")]
SKEWED = [
    (Scenario(e, skew=skew), *rule)
    for skew in (0.3, 0.7)
    for e in ("both", "strong")
    for rule in (("eer", 0.5, "hter"), ("wer-min", 0.9, "hter"), ("far", 0.01, "hter"), ("far", 0.01, "frr"))
]
FOLDED = [(Scenario(e), folds) for e in ("none", "both") for folds in (5, 10)]
ALONG = [(Scenario(e), c) for e in ("none", "both", "strong") for c in ("wer-min", "wer-equal")]


def table(first: str, rows: list[tuple[str, Found]]) -> str:
    names = list(rows[0][1])
    lines = [f"| {first} | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    lines += [f"| {name} | " + " | ".join(f"{100 * found[key]:.1f}" for key in names) + " |" for name, found in rows]
    return "\n".join(lines)


def main() -> None:
    data_sets = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    jobs: list[tuple[str, Callable[[], Found]]] = [
        *(
            (f"{s.name}, FAR {100 * s.far:.2f} %, FRR {100 * s.frr:.2f} %", partial(at_known_threshold, s, data_sets))
            for s in KNOWN
        ),
        *((f"{s.name}; {c} {a:g}; {m}", partial(at_dev_threshold, s, data_sets, c, a, m)) for s, c, a, m in FROM_DEV),
        *(
            (f"{s.name}; {c} {a:g}; {m}", partial(at_dev_threshold, s, data_sets // 2, c, a, m))
            for s, c, a, m in SKEWED
        ),
        *((f"{s.name}; {c}", partial(along_alpha, s, data_sets, c)) for s, c in ALONG),
        *((f"{s.name}; {k} folds", partial(over_folds, s, data_sets, k)) for s, k in FOLDED),
        *((f"{r:g}", partial(of_correlated_systems, r)) for r in CORRELATIONS),
    ]
    real = ("BSSR1", "XM2VTS") if DATA.is_dir() else ()
    with ProcessPoolExecutor() as pool:
        of_real = [pool.submit(of_real_people, which, data_sets // 2) for which in real]
        found = [(name, future.result()) for name, future in [(name, pool.submit(job)) for name, job in jobs]]
        drawn = [row for future in of_real for row in future.result()]
    one, two, three, four, five = accumulate(len(rows) for rows in (KNOWN, FROM_DEV, SKEWED, ALONG, FOLDED))
    parts = [
        f"### At a known threshold\n\n{data_sets:,} data sets per row, in %.\n",
        table("people, effects, rates", found[:one]),
        f"\n### At a threshold from dev\n\n{data_sets:,} data sets per row, in %.\n",
        table("people, effects; criterion; measure", found[one:two]),
        f"\n### Where a few people are unlike all others\n\n{data_sets // 2:,} data sets per row, in %.\n",
        table("people, effects; criterion; measure", found[two:three]),
        f"\n### People drawn from real scores\n\n{data_sets // 2:,} draws per row, in %.\n",
        table("scores, system; criterion; measure", drawn) if drawn else "The scores were not at hand.",
        f"\n### Along alpha\n\n{data_sets:,} data sets per row, 21 values of alpha, in %.\n",
        table("people, effects; criterion", found[three:four]),
        f"\n### Over folds\n\n{data_sets:,} data sets per row, criterion eer, in %.\n",
        table("people, effects; folds", found[four:five]),
        f"\n### Systems that correlate, independent trials\n\n{CORRELATED_DATA_SETS:,} data sets per row, in %.\n",
        table("correlation of the systems", found[five:]),
    ]
    target = Path(__file__).parents[1] / "docs" / "dependence.md"
    text = target.read_text().split(MARK)[0]
    target.write_text(f"{text}{MARK}\n\n" + "\n".join(parts) + "\n")
    print("\n".join(parts))


if __name__ == "__main__":
    main()
