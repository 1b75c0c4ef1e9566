"""The names that a user can choose from: criteria, measures, fusions and so on, those of plugins too."""

from __future__ import annotations

from typing import Any

from fairtrial.calibration.model import CALIBRATIONS
from fairtrial.explorer.points import start_of
from fairtrial.formats.sheets import ROLES
from fairtrial.fusion.methods import FUSIONS
from fairtrial.fusion.normalise import NORMALISATIONS
from fairtrial.rules.criteria import CRITERIA
from fairtrial.rules.measures import plain_measure_names


def vocabulary() -> dict[str, Any]:
    """What can be chosen, by what it is."""
    return {
        "criteria": [
            {"name": name, "means": own.alpha_means, "start": start_of(own), "summary": own.summary}
            for name, own in CRITERIA.items()
        ],
        "measures": plain_measure_names(),
        "fusions": [{"name": name, "summary": own.summary} for name, own in FUSIONS.items()],
        "normalisations": ["none", *(name for name in NORMALISATIONS if name != "none")],
        "calibrations": [{"name": name, "summary": own.summary} for name, own in CALIBRATIONS.items()],
        "roles": list(ROLES),
    }
