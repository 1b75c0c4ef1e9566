"""The methods that pages cite, and what pages say of thresholds, by where these come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fairtrial.core.words import Text
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.multiplicity import Correction
from fairtrial.inference.split import Origin
from fairtrial.pages.page import Captions, Reference

EPC_PAPER = "Bengio, Mariéthoz & Keller, The expected performance curve, 2005"
_INTERVALS = {
    "independent": Reference(
        "Interval of the HTER for independent trials.",
        "Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eq. (13)",
    ),
    "wilson": Reference(
        "Interval of the HTER, all trials taken as independent: Wilson's limits of both rates, combined.",
        "Wilson 1927; Zou & Donner 2008",
    ),
    "people": Reference(
        "Interval and test for trials that share people: covariances by what two trials share, Satterthwaite's "
        "degrees of freedom, Wilson's limits of each rate, combined by MOVER.",
        "Owen 2007; Cameron, Gelbach & Miller 2011; Satterthwaite 1946; Zou & Donner 2008",
    ),
}
"""References of intervals: of independent trials by their limits, and of trials that share people."""
_RE_ESTIMATED = Reference(
    "Threshold re-estimated: the claim is about the expected figure with new dev and test sets of these sizes and new "
    "people. What the threshold adds is read from the thresholds that dev does not reject.",
    "Woodruff 1952; Francisco & Fuller 1991; Kim & Pollard 1990",
)
SEPARATION, SEPARATION_BY_PEOPLE = (
    Reference(
        Text("AUC and d', with the variance of the mean contribution of each trial{by}; the {FRR} at {a FAR}.", by=by),
        "DeLong, DeLong & Clarke-Pearson 1988; Obuchowski 1997; Daugman 2003; ISO/IEC 19795-1",
    )
    for by in ("", ", summed by person")
)
FUSION = Reference(
    "Fusion protocols, gain ratios and pooled curves.",
    "Poh & Bengio, Database, protocols and tools for evaluating score-level fusion algorithms, 2006",
)
APPLIED = Reference(
    "The fusion and all thresholds were fixed before, on other trials; intervals and test are for these thresholds.",
    EPC_PAPER,
)
ADJUSTED: dict[Correction, tuple[Reference, ...]] = {
    "holm": (Reference("P values adjusted for the number of tests, by Holm's method.", "Holm 1979"),),
    "bh": (
        Reference(
            "P values adjusted for the number of tests, by the false discovery rate.", "Benjamini & Hochberg 1995"
        ),
    ),
    "none": (),
}
FOLD_TESTS = {
    "corrected-resampled": Reference(
        "Test over folds, with a variance that allows for training sets that overlap.",
        "Nadeau & Bengio, Inference for the generalization error, 2003",
    ),
    "5x2cv": Reference(
        "Test over five times two halves of the people.",
        "Dietterich, Approximate statistical tests for comparing supervised classification learning algorithms, 1998",
    ),
}
GROUPS = (
    Reference(
        "Simultaneous intervals: by the largest of normal deviates that are correlated as the rates of the groups are. "
        "Along alpha they have the critical value of the requested alpha.",
        "Hothorn, Bretz & Westfall, Simultaneous inference in general parametric models, 2008",
    ),
    Reference(
        "Groups that share a letter are not shown to differ.",
        "Piepho, An algorithm for a letter-based representation of all-pairwise comparisons, 2004",
    ),
    Reference(
        "FDR, GARBE, inequity rate and largest rate over geometric mean.",
        "de Freitas Pereira & Marcel 2021; Howard et al. 2022; Grother, NIST IR 8429, 2022; ISO/IEC 19795-10",
    ),
)
EVIDENCE = (
    Reference(
        "Cllr, the cost of the log-likelihood ratio; both classes have the same weight. Its minimum is that of "
        "pool-adjacent-violators, from the ROC convex hull.",
        "Brümmer & du Preez, Application-independent evaluation of speaker detection, 2006",
    ),
    Reference(
        "Intervals and tests of Cllr: costs of trials are summed by person; the variance of the calibration, which dev "
        "trials determine, is added.",
        "Fafchamps & Gubert 2007; Cameron, Gelbach & Miller 2011",
    ),
)
EVIDENCE_FIGURES = (
    Reference("Normalised Bayes error over priors.", "Brümmer & de Villiers, The BOSARIS toolkit, 2011"),
    Reference(
        "Empirical cross-entropy over priors.",
        "Ramos & Gonzalez-Rodriguez, Reliable support: measuring calibration of likelihood ratios, 2013",
    ),
    Reference("Proportions of trials above a ratio.", "Meuwly, Reconnaissance de locuteurs, 2001"),
)
SIX = Reference(
    "Six intervals for an error rate of people who are tested several times, and their coverage.",
    "Schuckers, Hawley, Livingstone & Mramba, A comparison of statistical methods, 2004",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged(Captions):
    """The captions of a page of judged systems, and its words about thresholds, by where they come from."""

    asked: str
    """What follows "How good it is", a template with the {rule} by which the threshold was chosen."""
    table: str
    """The caption of the table of errors."""
    threshold_reference: Reference
    curve_reference: Reference


JUDGED: dict[Origin, Judged] = {
    "dev": Judged(
        asked=", with the threshold chosen by {rule} on development trials",
        table="Errors on dev and on test, at the threshold from dev",
        threshold_reference=Reference(
            "The threshold is fixed on development trials before the test trials are seen: errors on test are a "
            "priori.",
            EPC_PAPER,
        ),
        curve_reference=Reference(
            "Expected performance curve: for every alpha a threshold from dev, the error from test.", EPC_PAPER
        ),
    ),
    "same trials": Judged(
        asked=", with the threshold chosen by {rule} on the same trials",
        table="Errors at a threshold that was chosen on the same trials",
        threshold_reference=Reference(
            "The threshold was chosen on the same trials: errors are a posteriori, and optimistic.", EPC_PAPER
        ),
        curve_reference=Reference(
            "Expected performance curve: for every alpha a threshold from test and the error on the same trials: "
            "a posteriori.",
            EPC_PAPER,
        ),
        threshold="threshold from the same trials",
        epc="HTER along alpha at thresholds from the same trials, a posteriori",
        curve="of test and the operating point, both a posteriori",
    ),
    "folds": Judged(
        asked=" on held-out trials, with the threshold chosen by {rule} on other folds",
        table="Errors on all trials, and on held-out trials, each judged by a threshold from other folds",
        threshold_reference=Reference(
            "Cross-validation: each trial is judged by a threshold from other folds. Folds are of people, or of "
            "trials if these are taken as independent. Errors are pooled over all trials.",
            "Stone, Cross-validatory choice and assessment of statistical predictions, 1974",
        ),
        curve_reference=Reference(
            "Expected performance curve: for every alpha thresholds from other folds, the error from held-out trials.",
            EPC_PAPER,
        ),
        threshold="threshold from all trials",
        no_threshold="one per block",
        epc="Expected performance curve: HTER on held-out trials, each judged by a threshold from other folds",
        curve="of all trials, a posteriori, and the operating point on held-out trials",
        density="Scores of all trials",
        hter="HTER on held-out trials",
    ),
}
"""By where the thresholds came from."""
_OF_GROUPS: dict[Origin, tuple[str, str, str]] = {
    "dev": (
        "Expected performance curve: HTER of each group on test trials, one threshold from dev for all groups",
        "of the test trials of each group, and its point at the threshold of all",
        "Scores of the test trials of the group",
    ),
    "same trials": (
        "HTER of each group along alpha, one threshold from the same trials for all groups, a posteriori",
        "of the test trials of each group, and its point at the threshold of all, both a posteriori",
        "Scores of the test trials of the group",
    ),
    "folds": (
        "HTER of each group on held-out trials, thresholds from other folds for all groups",
        "of all trials of each group, a posteriori, and its point on held-out trials",
        "Scores of all trials of the group",
    ),
}
_INTERVAL = "interval of the HTER, all groups together"
GROUPS_JUDGED = {
    origin: replace(JUDGED[origin], epc=epc, curve=curve, density=density, interval=_INTERVAL, choose="Group")
    for origin, (epc, curve, density) in _OF_GROUPS.items()
}
"""The same of groups."""


def interval_references(intervals: Sequence[RateInterval]) -> tuple[Reference, ...]:
    """Give the references of intervals, each once."""
    methods = [_INTERVALS[each.limits if each.sharing == "none" else "people"] for each in intervals]
    if any(each.threshold == "re-estimated" for each in intervals):
        methods.append(_RE_ESTIMATED)
    return tuple(dict.fromkeys(methods))
