"""fairtrial plot: one file per figure, loaded when it is drawn."""

from __future__ import annotations

import click

from fairtrial.cli.app import LazyGroup

FIGURES = {
    "det": "DET curves on probit axes, with the point that dev gives.",
    "roc": "ROC curves of errors with the EER line.",
    "precision-recall": "Precision against recall with the break-even points.",
    "epc": "Expected Performance Curves of all systems, with bands.",
    "epc-compare": "Two Expected Performance Curves, shaded where they differ.",
    "epc-significance": "Two curves above the confidence that the first system is worse.",
    "pooled-epc": "Pooled Expected Performance Curves of a benchmark.",
    "bootstrap": "The bootstrapped difference of two systems.",
    "scatter": "The scores of two systems against each other.",
    "correlation": "Correlations of systems within each class of trials.",
    "diagnostic": "Densities, errors against the threshold, WER and DET curve.",
    "bayes-error": "Normalised Bayes error over prior log-odds, calibrated on dev.",
    "ece": "Empirical cross-entropy over prior log-odds, calibrated on dev.",
    "tippett": "Genuine and impostor trials above each log-likelihood ratio.",
    "pav": "Calibrated log-likelihood ratios against those of test, with bands.",
    "llr-map": "From scores to log-likelihood ratios: the map of a calibration.",
    "hter-sd": "Standard deviations against the ratio of impostor to genuine trials.",
    "coverage": "The map of a coverage study.",
    "hook": "Coverage against the attempts of each individual.",
    "fit": "People by their number of errors, observed and expected by a model.",
    "eer-bound": "The p value over chi2, with published EERs.",
    "plan": "People and attempts of a planned test, or its power.",
    "groups": "FAR and FRR of every group with simultaneous intervals.",
    "group-matrix": "FAR by the group of the claim and that of the impostor.",
    "group-det": "DET curves of groups, with their points at one threshold.",
    "group-epc": "Expected Performance Curves of groups at common thresholds.",
    "zoo": "Doddington's zoo: everybody by genuine and impostor trials.",
}
"""The figures, and what each shows in one line; `epc-compare` is in the module `epc_compare`."""


@click.group(cls=LazyGroup, room="fairtrial.cli.plot", known=FIGURES)
def command() -> None:
    """Draw a figure and write it as .png, .svg or .pdf.

    \b
    Examples:
      fairtrial plot det --dev dev.txt --test test.txt --out det.png
      fairtrial plot epc --dev dev.csv --test test.csv --bands simultaneous --out epc.svg
    """
