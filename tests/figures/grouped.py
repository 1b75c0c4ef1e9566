"""Groups that several figures are drawn of: one nine times worse, one without errors, one without impostors."""

from functools import cache

import numpy as np

import fairtrial as ft
from simulated import texts_of


@cache
def grouped_result() -> ft.groups.GroupEvaluation:
    data = ft.groups.synthetic_groups({"A": 40, "B": 30, "C": 20, "$none": 2}, worse={"C": 9.0}, rng=1)
    scores, genuine = data.test.column().copy(), data.test.genuine
    groups, others = (texts_of(data.test, name) for name in ("group", "impostor_group"))
    scores[groups == "$none"] = np.where(genuine[groups == "$none"], 9.0, -9.0)
    groups[np.flatnonzero(genuine & (groups == "A"))[:9]] = "no impostors"
    # nobody of B claims to be somebody of C
    others[(groups == "C") & (others == "B")] = "A"
    test = ft.Trials.from_arrays(
        scores,
        genuine,
        systems=["face"],
        claim=data.test.ids["claim"],
        subject=data.test.ids["subject"],
        columns={"group": groups, "other": others},
    )
    return ft.evaluate_groups(data.dev.renamed(["face"]), test, by="group", people=None, impostor_by="other")
