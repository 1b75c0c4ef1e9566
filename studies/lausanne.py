"""Where the numbers of the synthetic set `lausanne` come from, and how true to the paper it is.

    export PYTHONPATH=tests
    python studies/lausanne.py components DIR    variance components, of the part of the real set in DIR and of ours
    python studies/lausanne.py fit               correlations and scales, fitted to Table 2 (a) to (c); some minutes
    python studies/lausanne.py table             printed and synthetic side by side, written to docs/lausanne.md

N. Poh & S. Bengio, Database, protocols and tools for evaluating score-level fusion algorithms, 2006.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.special import expit, logit
from scipy.stats import skew, spearmanr

from fairtrial import Trials, read_trials
from fairtrial.benchmark import load_lausanne
from fairtrial.benchmark.lausanne import LP1, MODEL, SESSIONS, SHOTS_EACH, LatentModel, make_sets
from fairtrial.benchmark.protocols import BenchmarkSet
from fairtrial.inference.decide import judge
from fairtrial.inference.split import TrialSets
from reference.fusion_2006 import TABLE_2_OUTSIDE, printed_hters

Floats = NDArray[np.float64]

PRINTED = printed_hters()
FIT_SEEDS = range(8)
OTHER_SEEDS = range(1, 21)
BEGIN, END = "<!-- written by studies/lausanne.py -->", "<!-- so far -->"
START = replace(
    MODEL,
    face=0.5,
    speech=0.7,
    across=0.2,
    scales={name: 1.0 if "MLP" in name else 0.5 for name in MODEL.scales},
)
"""Where the fit begins."""


def hters(dev: Trials, test: Trials) -> dict[str, float]:
    """The HTER of every system, a priori, by the criterion of the paper."""
    sets = TrialSets(dev, test)
    judged = {name: judge(sets, system=name, criterion="wer-equal", alphas=0.5) for name in dev.systems}
    return {name: float(one.at(0).hter) for name, one in judged.items()}


def means(trials: Trials, pairs: Iterable[tuple[str, str]] = PRINTED) -> Trials:
    """The means of pairs of systems, those of Table 2 (a) to (c) by default, as systems."""
    columns = [(trials.column(a) + trials.column(b)) / 2 for a, b in pairs]
    return Trials(np.array(columns).T, trials.genuine, tuple(map(" + ".join, pairs)))


@dataclass(frozen=True)
class Outcome:
    """HTERs of the 23 fusions and of the best single system of each."""

    fused: Floats
    best: Floats

    @classmethod
    def of(cls, one: BenchmarkSet) -> Outcome:
        single = hters(one.dev, one.test)
        fused = hters(means(one.dev), means(one.test))
        return cls(np.array(list(fused.values())), np.array([min(single[a], single[b]) for a, b in PRINTED]))

    @classmethod
    def of_paper(cls) -> Outcome:
        target = dict(zip((system.name for system in LP1.systems), LP1.targets, strict=True))
        return cls(np.array(list(PRINTED.values())), np.array([min(target[a], target[b]) for a, b in PRINTED]))

    @property
    def rank_correlation(self) -> float:
        return float(spearmanr(self.fused, list(PRINTED.values())).statistic)

    @property
    def mean(self) -> float:
        return 100 * float(self.fused.mean())

    @property
    def harmful(self) -> NDArray[np.bool_]:
        """Which fusions are worse than the best of their systems."""
        return np.asarray(self.fused > self.best)


def pack(model: LatentModel) -> Floats:
    """The fitted numbers without bounds: logits of correlations, logarithms of scales."""
    return np.concatenate([logit([model.face, model.speech, model.across]), np.log(list(model.scales.values()))])


def unpack(values: Floats) -> LatentModel:
    face, speech, across = expit(values[:3]).tolist()
    scales = dict(zip(MODEL.scales, np.exp(values[3:]).tolist(), strict=True))
    return replace(MODEL, face=face, speech=speech, across=across, scales=scales)


def fit() -> LatentModel:
    """The model whose HTERs, as means over some seeds, are nearest to the printed ones.

    Square roots of rates all have about the same standard error, so these are compared. A quarter of the impostor
    trials is enough. The sets have LP1 only, so they are none of those that `load_lausanne` makes.
    """
    printed = np.sqrt(list(PRINTED.values()))
    # least_squares takes steps relative to the values; far from 0 they are all alike
    origin = pack(START) - 10

    def residuals(values: Floats) -> Floats:
        sets = [make_sets(seed, unpack(values + origin), [LP1])[0] for seed in FIT_SEEDS]
        found = [list(hters(_quarter(one.dev), _quarter(one.test)).values()) for one in sets]
        return np.asarray(np.sqrt(np.mean(found, axis=0)) - printed)

    found = least_squares(
        residuals, np.full(len(origin), 10.0), diff_step=[0.02] * len(origin), bounds=(8, 12), max_nfev=8
    )
    return unpack(found.x + origin)


def _quarter(trials: Trials) -> Trials:
    return means(trials.rows(np.asarray(trials.genuine | (np.arange(len(trials)) % 4 == 0))))


def components(trials: Trials) -> dict[str, Floats]:
    """Shares of the variance of scores, by the method of moments for balanced effects; one figure per system.

    Genuine trials must be two shots of one session for each client, as in the dev set of LP2: what a client and
    the client's session do cannot be told apart there.
    """
    genuine = _by_people(trials, trials.genuine).reshape(-1, SHOTS_EACH, len(trials.systems))
    within = np.var(genuine, axis=1, ddof=1).mean(axis=0)
    between = np.var(genuine.mean(axis=1), axis=0, ddof=1) - within / SHOTS_EACH
    found = {"genuine: client and session": between / (between + within)}
    clients = len({*trials.ids["claim"].decode()})
    shape = (clients, -1, SESSIONS * SHOTS_EACH, len(trials.systems))
    impostor = _by_people(trials, ~trials.genuine).reshape(shape)
    persons, shots = impostor.shape[1:3]
    # what remains of each shot after its pair and its recording, then upwards: eqs. of expected mean squares
    pair, recording, person = impostor.mean(axis=2), impostor.mean(axis=0), impostor.mean(axis=(0, 2))
    remains = impostor - pair[:, :, None] - recording + person[:, None]
    rest = (remains**2).sum(axis=(0, 1, 2)) / (persons * (clients - 1) * (shots - 1))
    recordings = (np.var(recording, axis=1, ddof=1)).mean(axis=0) - rest / clients
    client, total = pair.mean(axis=1), impostor.mean(axis=(0, 1, 2))
    crossed = ((pair - person - client[:, None] + total) ** 2).sum(axis=(0, 1)) / ((clients - 1) * (persons - 1))
    parts = {
        "pair": crossed - rest / shots,
        "client": np.var(client, axis=0, ddof=1) - crossed / persons,
        "impostor": np.var(person, axis=0, ddof=1) - crossed / clients - recordings / shots,
        "recording": recordings,
        "rest": rest,
    }
    whole = np.sum(list(parts.values()), axis=0)
    found |= {f"impostor: {name}": part / whole for name, part in parts.items()}
    means_of = [np.corrcoef(a, b)[0, 1] for a, b in zip(genuine.mean(axis=1).T, client.T, strict=True)]
    found["client's mean, genuine with impostor: correlation"] = np.array(means_of)
    found["impostor: skewness"] = np.asarray(skew(trials.scores[~trials.genuine]))
    return found


def _by_people(trials: Trials, rows: NDArray[np.bool_]) -> Floats:
    """Scores ordered by client, then by who tried, then as they came."""
    claim, subject = (trials.ids[role].decode()[rows] for role in ("claim", "subject"))
    order = np.lexsort((subject.astype(str), claim.astype(str)))
    return np.asarray(trials.scores[rows][order])


def show_components(directory: str) -> None:
    real = read_trials(sorted(Path(directory).glob("*.scores*")), format="lists")
    ours = load_lausanne().sets[1].dev
    # what is known of the two systems is that they are not MLPs, for their scores exceed 1
    ours = ours.select([name for name in ours.systems if "GMM" in name])
    found = [components(trials) for trials in (real, ours)]
    print("| | real, system 1 | real, system 2 | synthetic LP2, mean of its four GMMs |\n|---|---|---|---|")
    for name, values in found[0].items():
        print(f"| {name} | {values[0]:.2f} | {values[1]:.2f} | {found[1][name].mean():.2f} |")
    for word, rows in (("genuine", real.genuine), ("impostor", ~real.genuine)):
        print(f"correlation of the two, {word}: {np.corrcoef(real.scores[rows].T)[0, 1]:.2f}")
        print(f"standard deviations, {word}: {real.scores[rows].std(axis=0).round(2)}")


def side_by_side(ours: Outcome, paper: Outcome) -> str:
    lines = ["| fused | printed HTER % | synthetic HTER % |", "|---|---|---|"]
    for number, pair in enumerate(PRINTED):
        cells = [_percent(outcome, number) for outcome in (paper, ours)]
        lines.append(f"| {' + '.join(pair)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _percent(outcome: Outcome, number: int) -> str:
    text = f"{100 * outcome.fused[number]:.3f}"
    return f"**{text}**" if outcome.harmful[number] else text


def summary(ours: Outcome, paper: Outcome, others: Sequence[Outcome]) -> str:
    def spread(values: Sequence[float], digits: int) -> str:
        return f"{min(values):.{digits}f} to {max(values):.{digits}f}, median {np.median(values):.{digits}f}"

    rank = spread([other.rank_correlation for other in others], 3)
    mean = spread([other.mean for other in others], 3)
    harmful = spread([int(other.harmful.sum()) for other in others], 0)
    return "\n".join(
        [
            f"| 23 fusions | printed | synthetic, seed 0 | synthetic, seeds 1 to {len(others)} |",
            "|---|---|---|---|",
            f"| rank correlation with the printed | 1 | {ours.rank_correlation:.3f} | {rank} |",
            f"| mean HTER % | {paper.mean:.3f} | {ours.mean:.3f} | {mean} |",
            f"| worse than the best of the two | {paper.harmful.sum()} | {ours.harmful.sum()} | {harmful} |",
        ]
    )


def held_out(one: BenchmarkSet) -> str:
    """The three printed HTERs that the model was not fitted to."""
    ours = hters(means(one.dev, TABLE_2_OUTSIDE), means(one.test, TABLE_2_OUTSIDE))
    lines = ["| not fitted | printed HTER % | synthetic HTER % |", "|---|---|---|"]
    for pair, printed in TABLE_2_OUTSIDE.items():
        name = " + ".join(pair)
        lines.append(f"| {name} | {100 * printed:.3f} | {100 * ours[name]:.3f} |")
    return "\n".join(lines)


def write_table() -> None:
    paper = Outcome.of_paper()
    ours, *others = (Outcome.of(make_sets(seed)[0]) for seed in (0, *OTHER_SEEDS))
    target = Path(__file__).parents[1] / "docs" / "lausanne.md"
    before, rest = target.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    tables = side_by_side(ours, paper), held_out(make_sets(0)[0]), summary(ours, paper, others)
    written = "\n\n".join(tables)
    target.write_text(f"{before}{BEGIN}\n\n{written}\n\n{END}{after}", encoding="utf-8")
    print(written)


def main() -> None:
    match sys.argv[1:]:
        case ["components", directory]:
            show_components(directory)
        case ["fit"]:
            print(fit())
        case ["table"]:
            write_table()
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
