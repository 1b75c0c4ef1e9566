"""Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005.

The paper has curves and no tables of scores. The example is made up, small enough to follow Algorithm 1 by hand; its
values are those of a script that tries every threshold and shares no code with fairtrial.
"""

Scores = tuple[list[float], list[float]]

DEV: Scores = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
"""Genuine and impostor scores to choose thresholds on."""
TEST: Scores = ([0.85, 0.55, 0.45, 0.95, 0.35], [0.15, 0.65, 0.25, 0.42, 0.05, 0.5])
"""Genuine and impostor scores to be judged."""
ALPHAS = [0, 0.25, 0.5, 0.75, 1]

THRESHOLDS = {
    "wer-min": [0.3, 0.3, 0.6, 0.6, 0.6],
    "wer-equal": [0.3, 0.4, 0.5, 0.6, 0.6],
}
"""Algorithm 1 (section 4) on `DEV` along `ALPHAS`: eq. (10), and eq. (6) of Poh & Bengio 2006."""
HTERS = {
    "wer-min": [0.2500, 0.2500, 0.3833, 0.3833, 0.3833],
    "wer-equal": [0.2500, 0.3500, 0.2833, 0.3833, 0.3833],
}
"""The HTERs of `TEST` at those thresholds, to four digits."""

AUC_ERROR_OF_DEV = 0.1
"""The AUC of eq. (17), the area under the curve of errors: in 2 of 20 pairs the impostor has the higher score."""
AREA_OF_DEV = 0.3
"""Eq. (18) with the thresholds and the figures of `DEV`: (AUC + 1/2) / 2."""

BREAK_EVEN_OF_DEV = 0.75
"""Eq. (8) with eq. (4) on `DEV`: of its four highest scores, .9, .8, .7 and .6, three are genuine."""

GENUINE_MEAN, GENUINE_SD = 2.0, 1.5
"""Genuine scores that are normal, where impostor scores are standard normal."""
IN_THEORY = {"wer-equal": (0.800, 0.2119), "wer-min": (1.087, 0.2049)}
"""Threshold and HTER at alpha 1/2 for these distributions: the two criteria differ, whatever the size of the sample."""
