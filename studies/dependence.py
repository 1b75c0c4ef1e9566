"""Coverage of intervals and level of tests for two equal systems with thresholds from dev: tables of dependence.md.

Regimes differ in scores (normal, Student's t, skewed, discrete), in people (normal, mixtures, log-normal effects), in
sizes, and in who meets whom. The constants of the method were tuned on other data sets, some of them of these kinds.
The truth is the mean figure over all data sets of a regime. Real people are drawn from real scores if these are at
hand (`real_people`).
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from real_people import DATA, of_real_people

from fairtrial import Trials
from fairtrial.core.trials import Ids
from fairtrial.evaluation.areas import compare_areas, expected_areas
from fairtrial.evaluation.bands import compare_curves, curve_band
from fairtrial.evaluation.epc import curve_of
from fairtrial.inference.decide import judge, judge_at
from fairtrial.inference.estimates import estimate
from fairtrial.inference.folds import make_blocks
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.split import TrialSets
from fairtrial.rules.measures import MEASURES, Measure, as_any_measure

MARK = "<!-- what follows is written by make study -->"
Floats = NDArray[np.float64]
QUESTIONS = (
    ("eer", 0.5, ("hter", "f1")),
    ("far", 0.01, ("hter", "frr", "far")),
    ("far", 0.001, ("frr",)),
    ("wer-min", 0.1, ("hter",)),
    ("wer-min", 0.5, ("hter",)),
    ("wer-min", 0.9, ("hter",)),
    ("dcf", 0.5, ("dcf",)),
)
GRID = np.linspace(0.1, 0.9, 17)


@dataclass(frozen=True)
class Regime:
    """Who is tested, how often, and how scores are distributed."""

    name: str
    clients: int = 50
    impostors: int = 25
    attempts: int = 4
    effect: float = 0.5
    noise: str = "normal"
    people: str = "normal"
    levels: float = 0.0
    """Scores are rounded to this number of levels per standard deviation; 0: not at all."""
    correlation: float = 0.5
    meetings: float = 1.0
    """The proportion of pairs of a client and an impostor that meet, more often for some than for others (Zipf)."""
    dev: tuple[int, int] = (0, 0)
    """Clients and impostors of dev, if they are others in number."""
    same_people: bool = False
    ids: bool = True
    separation: float = 2.5
    advantage: float = 0.0
    """By how much genuine scores of b are higher than those of a."""
    skewed: bool = False
    """Whether a few people are unlike all others, so that nothing is promised."""

    def draw(self, rng: np.random.Generator, *, on_dev: bool, people: dict[str, Floats] | None = None) -> Trials:
        """Draw trials of two equal systems, a and b."""
        clients, impostors = self.dev if on_dev and self.dev[0] else (self.clients, self.impostors)
        start = 0 if on_dev or self.same_people else 100_000
        effects = people or self.effects(rng, clients, impostors)
        owner = np.repeat(np.arange(clients), self.attempts)
        claim, subject = (own.ravel() for own in np.meshgrid(np.arange(clients), np.arange(impostors), indexing="ij"))
        if self.meetings < 1:
            weight = 1 / np.sqrt((1.0 + claim) * (1.0 + subject))
            kept = rng.random(len(claim)) < np.minimum(self.meetings * weight / weight.mean(), 1.0)
            claim, subject = claim[kept], subject[kept]
        genuine = self.separation + effects["goat"][owner] + self._noise(rng, len(owner))
        genuine[:, 1] += self.advantage
        impostor = effects["lamb"][claim] + effects["wolf"][subject] + self._noise(rng, len(claim))
        scores = np.concatenate([genuine, impostor])
        if self.levels:
            scores = np.round(scores * self.levels) / self.levels
        names = np.array([f"p{start + k}" for k in range(clients + impostors)], dtype=object)
        roles = np.concatenate([owner, claim]), np.concatenate([owner, clients + subject])
        ids = [Ids(codes.astype(np.int32), names) if self.ids else None for codes in roles]
        return Trials(scores, np.arange(len(scores)) < len(owner), ("a", "b"), claim=ids[0], subject=ids[1])

    def effects(self, rng: np.random.Generator, clients: int, impostors: int) -> dict[str, Floats]:
        """Draw the effects of people: clients as themselves (goats) and as targets (lambs), impostors (wolves)."""
        found = {}
        for role, size, sign in (("goat", clients, -1), ("lamb", clients, 1), ("wolf", impostors, 1)):
            normal = self._pairs(rng, size)
            if self.people == "log-normal":
                found[role] = sign * self.effect * (np.exp(0.7 * normal) - np.exp(0.245)) / 0.85
            else:
                found[role] = self.effect * normal
            if self.people == "mixture":
                found[role] += sign * np.where(rng.random(size) < 0.1, 1.5 if role == "goat" else 1.0, 0.0)[:, None]
        return found

    def _pairs(self, rng: np.random.Generator, size: int) -> Floats:
        first, second = rng.standard_normal((2, size))
        return np.stack([first, self.correlation * first + np.sqrt(1 - self.correlation**2) * second], axis=1)

    def _noise(self, rng: np.random.Generator, size: int) -> Floats:
        noise = self._pairs(rng, size)
        if self.noise.startswith("t"):
            df = int(self.noise[1:])
            return np.asarray(noise / np.sqrt(rng.chisquare(df, size) / df)[:, None] / np.sqrt(df / (df - 2)) * 1.3)
        return np.asarray((np.exp(0.5 * noise) - np.exp(0.125)) / 0.6) if self.noise == "skewed" else noise


REGIMES = (
    Regime("normal"),
    Regime("no effects of people", effect=0.0),
    Regime("no ids", effect=0.0, ids=False),
    Regime("strong effects", effect=1.0),
    Regime("fewer errors", separation=4.0),
    Regime("t, 3 df", noise="t3"),
    Regime("t, 3 df, no effects", noise="t3", effect=0.0),
    Regime("skewed scores", noise="skewed"),
    Regime("discrete scores, 2 levels per sd", levels=2.0),
    Regime("10 % goats, lambs, wolves", people="mixture", skewed=True),
    Regime("log-normal people", people="log-normal", skewed=True),
    Regime("15 x 15", clients=15, impostors=15),
    Regime("200 x 70", clients=200, impostors=70),
    Regime("dev 15 x 8, test 100 x 50", clients=100, impostors=50, dev=(15, 8)),
    Regime("dev 100 x 50, test 20 x 10", clients=20, impostors=10, dev=(100, 50)),
    Regime("sparse (Zipf), 80 x 40", clients=80, impostors=40, meetings=0.15),
    Regime("the same people in dev and test", same_people=True),
    Regime("systems correlated by .9", correlation=0.9),
)


POWER = tuple(
    replace(regime, advantage=0.35) for regime in REGIMES if regime.name in ("normal", "t, 3 df", "15 x 15", "200 x 70")
)


def differences(regime: Regime, seed: int) -> tuple[bool, bool]:
    """Tell on one data set whether b is found to be better, at the EER and at a known threshold."""
    rng = np.random.default_rng([seed, 11, sum(map(ord, regime.name))])
    dev, test = (regime.draw(rng, on_dev=on_dev) for on_dev in (True, False))
    sets, known = TrialSets(dev, test), TrialSets(None, test)
    judged = (
        [judge(sets, system=name) for name in "ab"],
        [judge_at(known, regime.separation / 2, system=n) for n in "ab"],
    )
    low = [_figures(a, b, MEASURES["hter"], 0.5)[5] for a, b in judged]
    return low[0] > 0, low[1] > 0


def one_data_set(regime: Regime, seed: int) -> dict[str, tuple[float, ...]]:
    """Estimate on one data set: figures with limits, and differences with limits."""
    rng = np.random.default_rng([seed, sum(map(ord, regime.name))])
    people = regime.effects(rng, regime.clients, regime.impostors) if regime.same_people else None
    dev, test = (regime.draw(rng, on_dev=on_dev, people=people) for on_dev in (True, False))
    sets = TrialSets(dev, test)
    found = {}
    for criterion, alpha, measures in QUESTIONS:
        a, b = (judge(sets, system=name, criterion=criterion, alphas=alpha) for name in "ab")
        for name in measures:
            measure = MEASURES[name]
            key = f"{criterion} {alpha:g}" if criterion not in ("eer", "dcf") else criterion
            found[f"{key}: {name}"] = _figures(a, b, measure, alpha)
    cut = regime.separation / 2
    known = TrialSets(None, test)
    a, b = (judge_at(known, cut, system=name) for name in "ab")
    for name in ("hter", "far"):
        found[f"known threshold: {name}"] = _figures(a, b, MEASURES[name], 0.5)
    least = as_any_measure("min-dcf@0.1")
    assert not isinstance(least, Measure)
    a, b = (judge(sets, system=name) for name in "ab")
    intervals = [least.interval(each) for each in (a, b)]
    (test, *_), _ = least.tests(a, b, n_resamples=1, rng=0)
    low, high = test.interval(0.95) or (0.0, 0.0)
    found["min DCF, prior .1"] = (*_ends(intervals[0]), intervals[1].estimate, test.estimate, low, high)
    return found


def _ends(interval: RateInterval) -> tuple[float, float, float]:
    return interval.estimate, interval.low, interval.high


def _figures(a: object, b: object, measure: object, alpha: float) -> tuple[float, ...]:
    one = estimate([(1.0, a)], measure)  # type: ignore[arg-type, list-item]
    both = estimate([(1.0, a), (-1.0, b)], measure)  # type: ignore[arg-type, list-item]
    other = one.value - both.value
    return (one.value, *one.interval(0.95), other, both.value, *both.interval(0.95))


def along_alpha(regime: Regime, seed: int) -> dict[str, tuple[float, ...]]:
    """Tell on one data set whether regions appear and areas differ; give the curve with its band."""
    rng = np.random.default_rng([seed, 7, sum(map(ord, regime.name))])
    dev, trials = (regime.draw(rng, on_dev=on_dev) for on_dev in (True, False))
    sets = TrialSets(dev, trials)
    found: dict[str, tuple[float, ...]] = {}
    for criterion in ("wer-min", "wer-equal"):
        curves = [
            curve_of(judge(sets, system=name, criterion=criterion, alphas=GRID), MEASURES["hter"]) for name in "ab"
        ]
        regions = compare_curves(*curves, simultaneous=True).different.any()
        band = curve_band(curves[0], kind="simultaneous")
        found[criterion] = (float(regions), *band.estimate, *band.low, *band.high)
    areas = (expected_areas(dev, trials, system=name) for name in "ab")
    found["area"] = (float(compare_areas(*areas)["g"].p_value < 0.05),)
    folds = TrialSets(trials, trials, None, 0, make_blocks(trials, 5))
    a, b = (judge(folds, system=name) for name in "ab")
    found["folds"] = _figures(a, b, MEASURES["hter"], 0.5)
    return found


def summary(rows: Floats) -> tuple[float, float, float, float]:
    """Give coverage, type I, and the mean widths of interval and difference over the true ones."""
    truth = (rows[:, 0].mean() + rows[:, 3].mean()) / 2
    covered = np.mean((rows[:, 1] <= truth) & (truth <= rows[:, 2]))
    rejected = np.mean((rows[:, 5] > 0) | (rows[:, 6] < 0))
    widths = [np.mean(rows[:, k + 2] - rows[:, k + 1]) / (3.92 * rows[:, k].std()) for k in (0, 4)]
    return 100 * float(covered), 100 * float(rejected), float(widths[0]), float(widths[1])


Summary = dict[str, dict[str, tuple[float, float, float, float]]]


def tables(found: Summary) -> list[str]:
    """Lay out coverage with type I, and both widths: a row per regime, a column per question."""
    keys = list(next(iter(found.values())))
    lines = []
    for title, first, digits in (
        ("Covered / type I, %", 0, 1),
        ("Mean width of the interval / of the difference, over the true one", 2, 2),
    ):
        lines += ["", f"### {title}", "", f"| regime | {' | '.join(keys)} |", f"|---|{'---|' * len(keys)}"]
        for name, row in found.items():
            cells = (f"{row[key][first]:.{digits}f} / {row[key][first + 1]:.{digits}f}" for key in keys)
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def along_table(rows: list[tuple[str, list[dict[str, tuple[float, ...]]]]]) -> list[str]:
    """Lay out regions, bands and area tests along alpha, and folds."""
    lines = [
        "",
        "### Along alpha, and folds",
        "",
        "| | regions % | band holds % | area test % | folds: covered / type I % |",
        "|---|---|---|---|---|",
    ]
    for name, results in rows:
        area = 100 * np.mean([each["area"][0] for each in results])
        covered, rejected, _, _ = summary(np.array([each["folds"] for each in results]))
        for criterion in ("wer-min", "wer-equal"):
            values = np.array([each[criterion] for each in results])
            regions, (estimate, low, high) = values[:, 0], np.split(values[:, 1:], 3, axis=1)
            truth = estimate.mean(axis=0)
            held = 100 * np.mean(np.all((low <= truth) & (truth <= high), axis=1))
            lines.append(
                f"| {name}, {criterion} | {100 * regions.mean():.1f} | {held:.1f} | {area:.1f} "
                f"| {covered:.1f} / {rejected:.1f} |"
            )
    return lines


def main(data_sets: int) -> None:
    """Run everything and write the tables into docs/dependence.md."""
    with ProcessPoolExecutor() as pool:
        found: Summary = {}
        for regime in REGIMES:
            results = list(pool.map(partial(one_data_set, regime), range(data_sets), chunksize=10))
            found[regime.name] = {key: summary(np.array([each[key] for each in results])) for key in results[0]}
            print(regime.name, found[regime.name], flush=True)
        lines = [f"{data_sets} data sets per row.", *tables(found)]
        along = [
            (regime.name, list(pool.map(partial(along_alpha, regime), range(data_sets // 2), chunksize=5)))
            for regime in (REGIMES[0], REGIMES[1], REGIMES[5], REGIMES[11])
        ]
        lines += along_table(along)
        lines += [
            "",
            "### Power",
            "",
            "| b is better by 0.35 standard deviations | EER % | known threshold % |",
            "|---|---|---|",
        ]
        for regime in POWER:
            found_better = np.array(list(pool.map(partial(differences, regime), range(data_sets), chunksize=10)))
            eer, at_known = 100 * found_better.mean(axis=0)
            lines.append(f"| {regime.name} | {eer:.1f} | {at_known:.1f} |")
        if DATA.is_dir():
            lines += [
                "",
                "### People drawn from real scores",
                "",
                "| | covered % | threshold fixed % |",
                "|---|---|---|",
            ]
            for real in pool.map(partial(of_real_people, data_sets=data_sets), ("BSSR1", "XM2VTS")):
                for name, values in real:
                    covered, fixed = values["covered"], values["covered, threshold fixed"]
                    lines.append(f"| {name} | {100 * covered:.1f} | {100 * fixed:.1f} |")
    page = Path(__file__).parents[1] / "docs" / "dependence.md"
    head = page.read_text(encoding="utf-8").partition(MARK)[0]
    page.write_text(f"{head}{MARK}\n\n" + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
