"""The questions of the explorer: what is asked of a function of the library, and what the page shows of its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairtrial.calibration.calibration import calibrate
from fairtrial.calibration.curves import llr_map
from fairtrial.core.errors import ParameterError, TrialsError
from fairtrial.core.notes import Note
from fairtrial.core.parameters import arguments_of, changed, option_words, repeat_call
from fairtrial.core.schema import Key
from fairtrial.core.tables import Column, Table
from fairtrial.core.trials import Further, Trials
from fairtrial.core.words import as_in_files, listed, percent, plural, term
from fairtrial.evaluation.comparison import compare
from fairtrial.evaluation.epc import curve_of
from fairtrial.evaluation.evaluation import Evaluation, SystemEvaluation, evaluate
from fairtrial.evaluation.expected import expected_performance
from fairtrial.evaluation.paired_tests import pair_judgements
from fairtrial.explorer.answers import MAX_ROWS, Answer, Repeated, as_printed, drawn_later, figures_of
from fairtrial.explorer.data import Data, Point
from fairtrial.explorer.forms import NAMES, Fields, check_fields, fields_of, values_of
from fairtrial.explorer.jobs import Advance
from fairtrial.figures.scores import diagnostics
from fairtrial.figures.system import along_alpha
from fairtrial.figures.table import FIGURES
from fairtrial.figures.zoo import zoo_chart
from fairtrial.fusion.fusion import fuse
from fairtrial.groups.evaluation import evaluate_groups
from fairtrial.groups.zoo import zoo_data
from fairtrial.inference.decide import Judgement
from fairtrial.pages import page_of
from fairtrial.repeated.comparison_plans import ComparisonSetting, observed_setting, plan_comparison
from fairtrial.rules.measures import Measure

_FEW_RESAMPLES = 2000
_MANY_TRIALS = 1_000_000


@dataclass(frozen=True)
class Asked:
    """A question as it was asked: of which trials, at which operating point, with which values of its parameters."""

    data: Data
    point: Point
    values: Mapping[str, Any]

    def systems(self, least: int = 1) -> tuple[str, ...]:
        """Return the systems that were chosen, all of them by default."""
        names = self.values.get("systems") or ((self.values["system"],) if "system" in self.values else ())
        chosen = self.data.chosen(names)
        if len(chosen) < least:
            raise ParameterError(f"choose at least {least} systems", code="few-systems")
        return chosen

    def two(self) -> tuple[str, str]:
        """Return the two systems that were chosen."""
        names = self.systems(2)
        if len(names) != 2:
            raise ParameterError("choose two systems", code="two-systems")
        return names[0], names[1]

    def keywords(self, function: Callable[..., Any], *, point: bool = True) -> dict[str, Any]:
        """Select what a function is asked with, without its defaults."""
        names = {argument.name for argument in arguments_of(function)}
        values = {**self.values, **(self.point.keywords() if point else {}), **self.data.chance}
        if "systems" in names:
            values["systems"] = None if self.systems() == self.data.systems else list(self.systems())
        kept = changed(function, {name: value for name, value in values.items() if name in names})
        return {name: list(value) if isinstance(value, tuple) else value for name, value in kept.items() if value != ()}

    def call(self, function: Callable[..., Any], **keywords: Any) -> Any:
        """Call a function with dev and test, or with the trials and their folds."""
        data = self.data
        if data.reading.folds is None:
            return function(data.dev, data.test, **keywords)
        return function(data.dev, folds=data.sets.blocks, **keywords)

    @property
    def sets(self) -> list[str]:
        """What `call` gives, in Python: dev and test, folds, or all trials if the threshold is given."""
        if self.data.reading.folds is None:
            return ["dev", "test"]
        return ["trials", "folds=blocks"] if self.point.threshold is None else ["trials", "trials"]


@dataclass(frozen=True)
class Question:
    """One question: its function, the parameters that its form shows, and its answer.

    Attributes
    ----------
    command
        The words of the command that asks the same.
    function
        The function whose parameters are asked for.
    fields
        Parameters that the form shows; others may be sent, too.
    answer
        Computes the answer.
    repeat
        Writes it as a command and as Python, unless both follow from `function`.
    least
        Number of systems that it takes at least.
    needs_test, needs_ids
        Whether it takes a test set, and ids of the trials.
    at_threshold
        Whether a given threshold will do instead of a criterion.
    """

    command: tuple[str, ...]
    function: Callable[..., Any]
    fields: tuple[str, ...]
    answer: Callable[[Asked, Advance], Answer]
    repeat: Callable[[Asked], Repeated] | None = None
    least: int = 1
    needs_test: bool = False
    needs_ids: bool = False
    at_threshold: bool = False
    at_point: bool = True
    more: tuple[str, ...] = ("confidence",)
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def of(self, data: Data, given: Fields) -> Asked:
        """Check what the browser sent; its operating point lies beside the values of the parameters."""
        why = self.refusal(data)
        if why:
            raise TrialsError(why, code="not-applicable")
        values = {**self.fixed, **values_of(self.function, (*self.fields, *self.more), given)}
        if "system" not in self.fields:
            values["systems"] = check_fields(given, [Key("systems", NAMES, ())])["systems"]
        if self.function is compare and len(data.test) >= _MANY_TRIALS:
            values["n_resamples"] = _FEW_RESAMPLES  # the primary test does not need them
        names = Asked(data, Point(), values).systems(self.least)
        point = data.point(given, names) if self.at_point else Point()
        if point.threshold is not None and not self.at_threshold:
            text = "this view chooses the threshold on dev; choose a rule instead of a threshold"
            raise ParameterError(text, code="needs-rule")
        if "compare" in self.fixed:
            values["compare"] = Asked(data, point, values).two()
        if "system" in self.fields and len(names) > 1:
            raise ParameterError("choose one of the systems {names:list}", code="several-systems", names=names)
        return Asked(data, point, values)

    def refusal(self, data: Data) -> str:
        """Why it cannot be asked of these trials, in the words of the page; empty if it can."""
        if len(data.systems) < self.least:
            return "There is only one system. Open a file with two, or two files."
        if self.needs_test and data.reading.folds is not None:
            return "This needs a test set. Open one under Files, instead of folds."
        if self.needs_ids and "claim" not in data.test.ids:
            return "This needs to know who is who. Choose the column of claims under Files."
        if "by" in self.fields and self.function is evaluate_groups and not data.group_columns:
            return (
                "No column makes groups, such as sex or device. Open files with one, or a table of people, under Files."
            )
        return ""

    def form(self, data: Data) -> list[dict[str, Any]]:
        """Describe its fields, with the choices and first values that these trials give."""
        of_these_trials: dict[str, tuple[Sequence[str], Any]] = {
            "systems": (data.systems, list(data.systems[: max(self.least, 2) if self.least > 1 else 4])),
            "system": (data.systems, data.systems[0]),
            "by": (data.group_columns, list(data.group_columns[:1])),
            "impostor_by": (tuple(data.test.columns), []),
        }
        fields = fields_of(self.function, self.fields)
        for entry in fields:
            if entry["name"] in of_these_trials and not entry["choices"]:
                choices, entry["default"] = of_these_trials[entry["name"]]
                entry["choices"] = [[name, name] for name in choices]
                entry["kind"] = "choice" if entry["name"] == "system" else entry["kind"]
        return [entry for entry in fields if entry["choices"] or entry["kind"] not in ("names", "choice")]

    def repeated(self, asked: Asked) -> Repeated:
        """Write the question as a command and as Python."""
        return self.repeat(asked) if self.repeat is not None else _repeat(self, asked)


def _repeat(question: Question, asked: Asked, people: Sequence[str] = (), lines: Sequence[str] = ()) -> Repeated:
    """Write a question whose command and function have the same parameters."""
    data, keywords = asked.data, asked.keywords(question.function, point=question.at_point)
    words = [*question.command, *data.words(asked.systems(), folds=asked.point.threshold is None), *people]
    name = question.function.__name__
    call = repeat_call(
        f"ft.{'evaluation.' if question.function is expected_performance else ''}{name}",
        [*asked.sets, *(["people=people"] if people else [])],
        keywords,
    )
    python = (*data.lines(), *lines, f"print({call})")
    return Repeated((*words, *_option_words(keywords, asked.systems()[0])), python, data.where_files_are)


def _option_words(values: Mapping[str, Any], system: str = "") -> list[str]:
    """Write options; a command takes a threshold of a system with the sign of its files."""
    typed = {**values, "threshold": as_in_files(system, values["threshold"])} if "threshold" in values else values
    return [word for name, value in typed.items() for word in option_words(name, value)]


def _evaluate(asked: Asked, advance: Advance) -> Answer:
    data, point, names = asked.data, asked.point, asked.systems()
    confidence = asked.values.get("confidence", 0.95)
    results: list[SystemEvaluation] = []
    for name in names:
        results.append(SystemEvaluation(point.judged(data.sets, name), confidence=confidence))
        results[-1].to_dict()  # computes the intervals
        advance(len(results) / len(names))
    result = Evaluation(tuple(results))
    answer = Answer(tuple(f"{each.answer()}." for each in results), result.tables(), as_printed(result))
    if point.threshold is not None:
        return answer
    drawn = figures_of(result, "det", "roc")
    if data.reading.folds is None:
        options: dict[str, Any] = {"systems": names, "criterion": point.rule, "alpha": point.alpha}
        options |= {"confidence": confidence, "cluster": data.reading.cluster}
        drawn |= drawn_later({"diagnostic": lambda: asked.call(diagnostics, **options)})
    return replace(answer, drawn=drawn, page=lambda: page_of(result))


def _curves(asked: Asked, advance: Advance) -> Answer:
    names, keywords, results = asked.systems(), asked.keywords(expected_performance, point=False), []
    for name in names:
        results.append(asked.call(expected_performance, **{**keywords, "systems": [name]}))
        advance(len(results) / len(names))
    curves = tuple(curve for result in results for curve in result.curves)
    bands = {name: band for result in results for name, band in result.bands.items()}
    result = replace(results[0], curves=curves, bands=bands)
    return Answer.of(result, figures_of(result, "epc"))


def _regions(asked: Asked, advance: Advance) -> Answer:
    advance(0.1)
    result = asked.call(expected_performance, **asked.keywords(expected_performance, point=False))
    return Answer.of(result, figures_of(result, "epc-compare", "epc-significance"))


def _compare(asked: Asked, advance: Advance) -> Answer:
    data, names = asked.data, asked.systems(2)
    pairs, done = len(names) * (len(names) - 1) / 2, 0.0

    def further(proportion: float = 1.0) -> None:
        nonlocal done
        done += proportion / pairs
        advance(done)

    result = asked.call(compare, **{**asked.keywords(compare), "systems": names, "progress": further})
    answer = Answer.of(result, figures_of(result, *(["bootstrap"] if pairs == 1 else [])))
    chosen = "thresholds" if isinstance(result.measure, Measure) else "calibrations"
    assumption = _assumption(data, result.pairs[0].headline.threshold, chosen)
    return replace(answer, sentences=(*answer.sentences, assumption))


def _assumption(data: Data, threshold: str, chosen: str) -> str:
    """Write what a comparison rests on; `chosen`: thresholds or calibrations, which dev gave."""
    sharing = data.sets.sharing
    if sharing == "none":
        why = "as was asked for" if data.sets.cluster == "none" else "as there are no ids"
        people = f"all trials are independent, {why}"
    else:
        who = {"claim": "a claim", "subject": "a subject", "both": "a person"}[sharing]
        people = f"trials that do not share {who} are independent, and that these people represent those to come"
    if data.sets.kind == "a posteriori":
        return f"This assumes that {people}; dev and test are the same trials, so the {chosen} were fitted to them."
    if threshold == "re-estimated":
        return f"This assumes that {people}; the uncertainty of {chosen} chosen on dev is included."
    return f"This assumes that {people}, and that the {chosen} are fixed."


def _rates(name: str, rates: tuple[float, float]) -> str:
    return f"{name}: {term('FAR')} {percent(rates[0])}, {term('FRR')} {percent(rates[1])}"


def _plan(asked: Asked, advance: Advance) -> Answer:
    (a, b), seen = asked.two(), _observed(asked)
    sure = {name: value for name, value in asked.values.items() if name in ("power", "confidence")}
    advance(0.1)
    plan = seen.plan(**sure)
    advance(0.9)
    sentence = (
        f"If the HTERs of {a} and {b} at these thresholds really differ as much as they did here "
        f"({_rates(a, seen.a)}; {_rates(b, seen.b)}), {plural(plan.individuals, 'client')} with "
        f"{seen.attempts:,} genuine and {plural(seen.impostor_attempts, 'impostor attempt')} each would show it in "
        f"{100 * sure.get('power', 0.8):g} of 100 tests. Here there were {plural(seen.individuals or 0, 'client')}."
    )
    far, frr = ((one + other) / 2 for one, other in zip(seen.a, seen.b, strict=True))
    try:
        half = replace(seen, b=(far, frr)).plan(**sure, data_sets=0)
        takes = f"it takes {plural(half.individuals, 'client')}"
    except ParameterError:
        takes = "no number of clients is enough without more impostors"
    doubt = (
        "This plan is likely too small: an observed difference is uncertain, and one that was noticed tends to be too "
        f"large. If only half of it is real, {takes}. Plan for the smallest difference that would matter."
    )
    observed = {name: getattr(seen, name) for name in ComparisonSetting.__slots__}
    return Answer((sentence, doubt), plan.tables(), {"observed": observed, **as_printed(plan)})


def _observed(asked: Asked) -> ComparisonSetting:
    return observed_setting(pair_judgements(*(asked.point.judged(asked.data.sets, name) for name in asked.two())))


def _repeat_plan(asked: Asked) -> Repeated:
    seen = _observed(asked)
    names = ("attempts", "impostor_attempts", "impostors", "rho_client", "rho_impostor", "correlation")
    given = changed(plan_comparison, {**asked.values, **{name: getattr(seen, name) for name in names}})
    words = ["plan", "--a", *map(repr, seen.a), "--b", *map(repr, seen.b), *_option_words(given)]
    return Repeated(tuple(words), (f"print({repeat_call('ft.plan_comparison', [repr(seen.a), repr(seen.b)], given)})",))


def _fuse(asked: Asked, advance: Advance) -> Answer:
    result = asked.call(fuse, **asked.keywords(fuse), progress=advance)
    curves = [curve_of(along_alpha(system.judgement)) for system in (result.evaluation, *result.baselines)]
    return Answer.of(result, {**figures_of(result, "det", "roc"), "epc": FIGURES["epc"].draw(curves)})


def _groups(asked: Asked, advance: Advance) -> Answer:
    keywords = asked.keywords(evaluate_groups)
    if not keywords.get("by"):
        raise ParameterError("choose a column to group by", code="no-groups")
    people = asked.data.people_table(keywords["by"]) if _of_people(asked) else None
    advance(0.1)
    result = asked.call(evaluate_groups, **keywords, people=people)
    advance(0.5)
    names = ("groups", "group-matrix", "group-det") if result.meetings else ("groups", "group-det")
    answer = Answer.of(result, figures_of(result, *names), moves=False)  # only the report has a slider
    return replace(answer, page=lambda: page_of(result))


def _of_people(asked: Asked) -> bool:
    """Check whether the columns to group by are those of the table of people."""
    return all(name in asked.data.people_columns for name in asked.values.get("by", ()))


def _repeat_groups(asked: Asked) -> Repeated:
    file = asked.data.files.people
    if file is None or not _of_people(asked):
        return _repeat(QUESTIONS["groups"], asked)
    person, module = asked.data.person_column, "parquet" if file.glance.format == "parquet" else "csv"
    words = ["--people", file.typed, *([] if person == "person" else ["--person-column", person])]
    renamed = "" if person == "person" else f".rename_columns({{{person!r}: 'person'}})"
    read = "read_table" if module == "parquet" else "read_csv"
    lines = [f"from pyarrow.{module} import {read} as read", "", f"people = read({file.typed!r}){renamed}"]
    return _repeat(QUESTIONS["groups"], asked, words, lines)


def _calibrate(asked: Asked, advance: Advance) -> Answer:
    data, names = asked.data, asked.systems()
    result = asked.call(calibrate, **{**asked.keywords(calibrate), "systems": list(names)})
    for done, system in enumerate(result, 1):
        system.to_dict()  # computed once, and kept
        advance(0.8 * done / len(names))
    confidence, rng = asked.values.get("confidence", 0.95), data.reading.rng
    drawn = {
        **figures_of(result, "bayes-error", "ece", bands="pointwise", confidence=confidence),
        **figures_of(result, "tippett"),
        **figures_of(result, "pav", confidence=confidence, rng=rng),
    }
    if len(names) == 1:
        drawn |= drawn_later({"llr-map": lambda: llr_map(result.systems[0], confidence=confidence, rng=rng)})
    return Answer.of(result, drawn, rng=rng)


def _warnings(judgement: Judgement) -> list[Note | str]:
    """List the warnings about a judgement, for answers without a result."""
    notes = SystemEvaluation(judgement).notes
    return [note for note in notes if isinstance(note, Note) and note.warning]


def _zoo(asked: Asked, advance: Advance) -> Answer:
    (system,), by, shows = asked.systems(), asked.values.get("by", "claim"), asked.values.get("shows", "scores")
    judgement = asked.point.judged(asked.data.sets, system)
    threshold = float(judgement.test.threshold[0])
    advance(0.3)
    zoo = zoo_data(asked.data.test, system=system, by=by, shows=shows, threshold=threshold)
    (word, imitators), is_rate = zoo.imitation, shows == "errors"
    rows = tuple(zip(zoo.names, zoo.kinds, zoo.genuine.tolist(), zoo.impostor.tolist(), strict=True))
    order = np.argsort([kind == "" for kind in zoo.kinds], kind="stable")
    columns = (
        Column("person", by),
        Column("kind", "stands out as"),
        Column("genuine", "FRR" if is_rate else "mean of genuine scores", "rate" if is_rate else "number"),
        Column("impostor", "FAR" if is_rate else "mean of impostor scores", "rate" if is_rate else "number"),
    )
    left_out = f"{plural(zoo.left_out, 'person', 'people')} without trials of one class are left out"
    notes = (*_warnings(judgement), *([left_out] if zoo.left_out else []))
    table = Table("zoo", f"{system}: one row per {by}", columns, tuple(rows[k] for k in order), notes)
    goats, others = (
        [name for name, flag in zip(zoo.names, flags, strict=True) if flag] for flags in (zoo.goats, zoo.lambs)
    )
    what = "easy to imitate" if word == "lamb" else "good at imitating others"
    sentence = (
        f"Of {plural(len(zoo.names), 'person', 'people')}, {len(goats)} are hard to recognise (goats: "
        f"{listed(goats) or 'none'}) and {len(others)} {what} ({imitators}: {listed(others) or 'none'})."
    )
    people = [dict(zip(("person", "kind", "genuine", "impostor"), row, strict=True)) for row in rows]
    return Answer((sentence,), (table,), {"people": people}, {"zoo": zoo_chart(zoo)}, {"zoo": FIGURES["zoo"].draw(zoo)})


def _repeat_zoo(asked: Asked) -> Repeated:
    data, point, (system,) = asked.data, asked.point, asked.systems()
    given = asked.keywords(zoo_data, point=False)
    zoo = f"zoo = {repeat_call('ft.figures.zoo_data', ['test', 'threshold=threshold'], {'system': system, **given})}"
    if point.threshold is not None:
        note = "; ".join(filter(None, ["fairtrial plot zoo chooses the threshold on dev", data.where_files_are]))
        return Repeated((), (*data.lines(), f"threshold = {point.threshold!r}", zoo), note)
    chosen = changed(evaluate, {"systems": [system], **point.keywords()})
    options = {**chosen, **{name: value for name, value in given.items() if name != "system"}}
    words = ("plot", "zoo", *data.words((system,)), *_option_words(options), "--out", "zoo.png")
    threshold = f"threshold = {repeat_call('ft.evaluate', ['dev', 'test'], chosen)}.threshold"
    return Repeated(words, (*data.lines(), threshold, zoo), data.where_files_are)


def list_errors(*, system: str, errors: Literal["all", "false accepts", "false rejects"] = "all") -> None:
    """Declare the form of the errors.

    Parameters
    ----------
    system
        The name of the system.
    errors
        Which errors are listed.
    """


def _errors(asked: Asked, advance: Advance) -> Answer:
    (system,) = asked.systems()
    judgement = asked.point.judged(asked.data.sets, system)
    advance(0.3)
    trials, wrong = judgement.trials, judgement.wrong()
    kinds = {"all": wrong, "false accepts": wrong & ~trials.genuine, "false rejects": wrong & trials.genuine}
    rows = np.flatnonzero(kinds[asked.values.get("errors", "all")])
    thresholds, scores = judgement.threshold_by_trial()[rows], trials.column(system)[rows].astype(np.float64)
    order = np.argsort(-np.abs(scores - thresholds), kind="stable")
    notes: list[Note | str] = _warnings(judgement)
    if len(rows) > MAX_ROWS:
        notes.append(
            f"the {MAX_ROWS:,} trials farthest from the threshold are shown, of {len(rows):,}; files have all of them"
        )
    scores, thresholds = (as_in_files(system, values[order].tolist()) for values in (scores, thresholds))
    listing = _trial_table(trials.rows(rows[order]), scores, thresholds, tuple(notes))
    people = [_person_table(trials, wrong, role) for role in ("claim", "subject") if role in trials.ids]
    counts = judgement.at(0)
    sentence = (
        f"{system} wrongly accepts {counts.false_accepts:,} of {counts.impostor:,} impostor trials and "
        f"wrongly rejects {counts.false_rejects:,} of {counts.genuine:,} genuine trials."
    )
    return Answer((sentence,), (listing, *people), {"errors": len(rows), **counts.to_dict()})


def _repeat_errors(asked: Asked) -> Repeated:
    data, (system,), kind = asked.data, asked.systems(), asked.values.get("errors", "all")
    given = changed(evaluate, {"systems": [system], **asked.point.keywords(), **data.chance})
    words = ["evaluate", *data.words((system,), folds=asked.point.threshold is None)]
    words += _option_words(given, system)
    wanted = "" if kind == "all" else f" == {kind.removesuffix('s')!r}"
    lines = (
        *data.lines(),
        f"for trial in {repeat_call('ft.evaluate', asked.sets, given)}.decisions().to_pylist():",
        f'    if trial["error"]{wanted}:',
        "        print(trial)",
    )
    return Repeated((*words, "--trials-out", "decisions.csv"), lines, data.where_files_are)


def _trial_table(trials: Trials, scores: list[float], thresholds: list[float], notes: tuple[Note | str, ...]) -> Table:
    """Tabulate one row per wrong trial, the farthest from the threshold first."""

    def texts(column: Further) -> list[str]:
        values = np.asarray(column) if isinstance(column, np.ndarray) else column.decode()
        return [str(value) for value in values.tolist()]

    ids = {name: column.decode().tolist() for name, column in trials.ids.items()}
    others = {name: texts(column) for name, column in trials.columns.items() if name not in ids}
    columns = (
        Column("error", "error"),
        *(Column(name, name) for name in ids),
        Column("score", "score", "number"),
        Column("threshold", "threshold", "threshold"),
        *(Column(f"column {name}", name) for name in others),
    )
    errors = np.where(trials.genuine, "false reject", "false accept").tolist()
    cells = (errors, *ids.values(), scores, thresholds, *others.values())
    rows = tuple(zip(*cells, strict=True))
    caption = "Trials that are decided wrongly, the farthest from the threshold first"
    return Table("errors", caption, columns, rows, notes)


def _person_table(trials: Trials, wrong: NDArray[np.bool_], role: str) -> Table:
    """Tabulate one row per person with an error, the most errors first."""
    ids = trials.ids[role].numbered()
    counts = [
        np.bincount(ids.codes[rows], minlength=len(ids.names))
        for kind in (trials.genuine, ~trials.genuine)
        for rows in (kind & wrong, kind)
    ]
    total = counts[0] + counts[2]
    order = np.argsort(-total, kind="stable")
    columns = (
        Column(role, role),
        Column("false_rejects", "false rejects", "count"),
        Column("genuine", "genuine trials", "count"),
        Column("false_accepts", "false accepts", "count"),
        Column("impostor", "impostor trials", "count"),
    )
    rows = tuple((str(ids.names[k]), *(int(count[k]) for count in counts)) for k in order.tolist() if total[k])
    return Table(f"errors by {role}", f"Errors by {role}", columns, rows)


QUESTIONS: dict[str, Question] = {
    "evaluate": Question(("evaluate",), evaluate, ("systems",), _evaluate, at_threshold=True),
    "curves": Question(
        ("epc",),
        expected_performance,
        (),
        _curves,
        at_point=False,
        more=("bands", "confidence"),
        fixed={"bands": "pointwise", "no_areas": True},
    ),
    "regions": Question(
        ("epc",), expected_performance, (), _regions, least=2, at_point=False, fixed={"no_areas": True, "compare": ()}
    ),
    "compare": Question(("compare",), compare, ("systems", "measure"), _compare, least=2),
    "plan": Question(("plan",), plan_comparison, ("power",), _plan, _repeat_plan, least=2, at_threshold=True),
    "fuse": Question(("fuse",), fuse, ("systems", "fusion", "normalise"), _fuse, least=2, needs_test=True),
    "groups": Question(("groups",), evaluate_groups, ("system", "by", "impostor_by"), _groups, _repeat_groups),
    "calibrate": Question(("calibrate",), calibrate, ("systems", "method"), _calibrate),
    "zoo": Question(
        ("plot", "zoo"),
        zoo_data,
        ("system", "by", "shows"),
        _zoo,
        _repeat_zoo,
        needs_test=True,
        needs_ids=True,
        at_threshold=True,
        more=(),
    ),
    "errors": Question(
        ("evaluate",), list_errors, ("system", "errors"), _errors, _repeat_errors, at_threshold=True, more=()
    ),
}
"""Questions by the names that the browser has for them."""
