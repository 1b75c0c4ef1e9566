"""Is one system really better than another, and how many people would settle it?"""

from __future__ import annotations

from dataclasses import dataclass, replace

from fairtrial.calibration.measures import EvidenceMeasure, plain_measure_names
from fairtrial.core.errors import ParameterError
from fairtrial.core.words import percent, plural, term
from fairtrial.evaluation.comparison import compare
from fairtrial.evaluation.paired_tests import pair_judgements
from fairtrial.explorer import fields
from fairtrial.explorer.answers import UNREPEATED, Answer
from fairtrial.explorer.data import Data
from fairtrial.explorer.fields import Fields
from fairtrial.explorer.jobs import Advance
from fairtrial.explorer.points import Point
from fairtrial.explorer.repeating import Call, Repeated, sure_keywords, sure_words, together, words
from fairtrial.figures.table import FIGURES
from fairtrial.pages.results import comparison_page
from fairtrial.repeated.comparison_plans import ComparisonSetting, observed_setting

_RESAMPLES = 10_000
_FEW_RESAMPLES = 2000
_MANY_TRIALS = 1_000_000


@dataclass(frozen=True, slots=True)
class CompareQuestion:
    """Two systems, each at its own threshold."""

    a: str
    b: str
    point: Point
    measure: str = "hter"
    confidence: float = 0.95

    @classmethod
    def of(cls, given: Fields) -> CompareQuestion:
        a, b = (fields.text(given, name) for name in ("a", "b"))
        if a == b:
            raise ParameterError("choose two different systems to compare")
        return cls(
            a,
            b,
            Point.of(fields.part(given, "point")),
            fields.choice(given, "measure", plain_measure_names(), "hter"),
            fields.number(given, "confidence", 0.95),
        )

    def answer(self, data: Data, advance: Advance) -> Answer:
        rule = self.point.rule
        asked = {
            "systems": data.chosen((self.a, self.b)),
            "criterion": rule,
            "alpha": self.point.alpha,
            "measure": self.measure,
            "confidence": self.confidence,
            "n_resamples": self._resamples(data),
            "progress": _counting(advance),
            "cluster": data.reading.cluster,
            "rng": data.reading.seed,
        }
        if data.reading.folds is None:
            result = compare(data.dev, data.test, **asked)  # type: ignore[arg-type]
        else:
            result = compare(data.test, folds=data.sets.blocks, **asked)  # type: ignore[arg-type]
        pair = result.pairs[0]
        drawn = {"bootstrap": FIGURES["bootstrap"].draw(pair, measure=result.measure.label)}
        found = Answer.of_page(comparison_page(result, UNREPEATED), result.to_dict(), drawn)
        chosen = "calibrations" if isinstance(result.measure, EvidenceMeasure) else "thresholds"
        return replace(found, sentences=(*found.sentences, _assumed(data, pair.headline.threshold, chosen)))

    def _resamples(self, data: Data) -> int:
        """Fewer resamples where each takes long; the test to go by does not need them."""
        return _RESAMPLES if len(data.test) < _MANY_TRIALS else _FEW_RESAMPLES

    def repeated(self, data: Data) -> Repeated:
        folds = data.reading.folds is not None
        measure = {} if self.measure == "hter" else {"measure": self.measure}
        few = {} if self._resamples(data) == _RESAMPLES else {"n_resamples": self._resamples(data)}
        command = [
            "compare",
            *data.words((self.a, self.b), named=True),
            *words("--systems", together((self.a, self.b))),
            *self.point.words(),
            *(words("--measure", self.measure) if measure else []),
            *sure_words(self.confidence),
            *(words("--resamples", self._resamples(data)) if few else []),
            *data.reading.chance_words(),
        ]
        keywords = {
            "systems": [self.a, self.b],
            **self.point.keywords(),
            **measure,
            **sure_keywords(self.confidence),
            **few,
            **data.chance_keywords(),
        }
        called = "ft.compare"
        call = Call(called, ("trials", "folds=blocks") if folds else ("dev", "test"), keywords)
        return Repeated(tuple(command), (*data.lines(), f"print({call})"), data.where_files_are)


def _assumed(data: Data, threshold: str, chosen: str) -> str:
    """What the claim rests on; `chosen` are what dev gave: thresholds or calibrations."""
    sharing = data.sets.sharing
    if sharing == "none":
        why = "as was asked for" if data.sets.cluster == "none" else "as nothing tells which of them share a person"
        people = f"all trials are independent, {why}"
    else:
        who = {"claim": "a claim", "subject": "a subject", "both": "a person"}[sharing]
        people = f"trials that do not share {who} are independent, and that these people stand for those to come"
    if data.sets.kind == "a posteriori":
        return f"This assumes that {people}; dev and test are the same trials, so the {chosen} know the answers."
    sample = f"the dev trials that the {chosen} come from were a sample, too, and what that adds is counted"
    return (
        f"This assumes that {people}; {sample if threshold == 're-estimated' else f'the {chosen} stay what they are'}."
    )


def _counting(advance: Advance) -> Advance:
    """`compare` says what was done since it spoke last, as a share of a pair; there is one pair."""
    done = 0.0

    def further(share: float = 1.0) -> None:
        nonlocal done
        done += share
        advance(done)

    return further


@dataclass(frozen=True, slots=True)
class PlanQuestion:
    """How many people would settle whether two systems differ, if they differ by as much as it seems."""

    a: str
    b: str
    point: Point
    power: float = 0.8
    confidence: float = 0.95

    @classmethod
    def of(cls, given: Fields) -> PlanQuestion:
        return cls(
            fields.text(given, "a"),
            fields.text(given, "b"),
            Point.of(fields.part(given, "point")),
            fields.number(given, "power", 0.8),
            fields.number(given, "confidence", 0.95),
        )

    def answer(self, data: Data, advance: Advance) -> Answer:
        seen = self._observed(data)
        advance(0.1)
        plan = seen.plan(power=self.power, confidence=self.confidence)
        advance(0.9)
        attempts = f"{seen.attempts:,} genuine and {plural(seen.impostor_attempts, 'impostor attempt')}"
        sentence = (
            f"If the HTERs of {self.a} and {self.b} at these thresholds really differ as much as they did here "
            f"({_rates(self.a, seen.a)}; {_rates(self.b, seen.b)}), {plural(plan.individuals, 'client')} with "
            f"{attempts} each would show it in {100 * self.power:g} of 100 tests. Here there were "
            f"{plural(seen.individuals or 0, 'client')}."
        )
        return Answer((sentence, self._doubt(seen)), plan.tables(), {"observed": _plain(seen), **plan.to_dict()})

    def _doubt(self, seen: ComparisonSetting) -> str:
        """How far to trust a plan from a difference that was seen: what half of it would take."""
        far, frr = ((one + other) / 2 for one, other in zip(seen.a, seen.b, strict=True))
        try:
            plan = replace(seen, b=(far, frr)).plan(power=self.power, confidence=self.confidence, data_sets=0)
            takes = f"it takes {plural(plan.individuals, 'client')}"
        except ParameterError:
            takes = "no number of clients is enough without more impostors"
        return (
            "This plan is likely too small: a difference that was seen is uncertain, and one that caught the eye is "
            f"more often too large than too small. If only half of it is real, {takes}. Plan for the smallest "
            "difference that would matter."
        )

    def _observed(self, data: Data) -> ComparisonSetting:
        if self.a == self.b:
            raise ParameterError("choose two different systems to compare")
        a, b = (self.point.judged(data.sets, name) for name in data.chosen((self.a, self.b)))
        return observed_setting(pair_judgements(a, b))

    def repeated(self, data: Data) -> Repeated:
        seen = self._observed(data)
        numbers = {
            "attempts": seen.attempts,
            "impostor_attempts": seen.impostor_attempts,
            **({} if seen.impostors is None else {"impostors": seen.impostors}),
            "rho_client": seen.rho_client,
            "rho_impostor": seen.rho_impostor,
            "correlation": seen.correlation,
            **({} if self.power == 0.8 else {"power": self.power}),
            **sure_keywords(self.confidence),
        }
        spelled = {"rho_client": "rho"}
        command = ["plan"]
        for flag, pair in (("--a", seen.a), ("--b", seen.b)):
            command += [flag, *(f"{rate!r}" for rate in pair)]
        for name, value in numbers.items():
            command += words(f"--{spelled.get(name, name).replace('_', '-')}", value)
        call = Call("ft.plan_comparison", (repr(seen.a), repr(seen.b)), numbers)
        return Repeated(tuple(command), (f"print({call})",))


def _rates(name: str, rates: tuple[float, float]) -> str:
    return f"{name}: {term('FAR')} {percent(rates[0])}, {term('FRR')} {percent(rates[1])}"


def _plain(seen: ComparisonSetting) -> dict[str, object]:
    return {name: getattr(seen, name) for name in ComparisonSetting.__slots__}
