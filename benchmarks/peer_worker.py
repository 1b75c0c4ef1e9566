"""The tasks of the peers' own environment; see worker.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from worker import DEV, DEV_AND_TEST, serve


def bob_epc(dev_genuine: Any, dev_impostor: Any, test_genuine: Any, test_impostor: Any, *, points: int = 101) -> float:
    from bob.measure import epc  # type: ignore[import-not-found]

    alpha, hter = epc(dev_impostor, dev_genuine, test_impostor, test_genuine, points)
    return float(np.sum(np.diff(alpha) * (hter[1:] + hter[:-1])) / 2)


def bob_epc_100(*scores: Any) -> float:
    return bob_epc(*scores, points=100)


def bob_eer(genuine: Any, impostor: Any) -> float:
    from bob.measure import eer

    return float(eer(impostor, genuine))


def pyeer_eer(genuine: Any, impostor: Any) -> float:
    from pyeer.eer_stats import calculate_roc, get_eer_values  # type: ignore[import-not-found]

    _, far, frr = calculate_roc(genuine, impostor)
    return float(get_eer_values(far, frr)[3])


def confidence_intervals_eer(genuine: Any, impostor: Any) -> None:
    """A fiftieth of the resamples."""
    from confidence_intervals import evaluate_with_conf_int  # type: ignore[import-not-found]

    def eer(labels: Any, scores: Any) -> float:
        order = np.argsort(scores)
        genuine = labels[order]
        frr = np.cumsum(genuine) / genuine.sum()
        far = 1 - np.cumsum(~genuine) / (~genuine).sum()
        nearest = np.argmin(np.abs(far - frr))
        return float(far[nearest] + frr[nearest]) / 2

    scores = np.concatenate([genuine, impostor])
    labels = np.repeat([True, False], [len(genuine), len(impostor)])
    evaluate_with_conf_int(scores, eer, labels, num_bootstraps=20)


def bob_read(path: Path) -> float:
    from bob.bio.base.score.load import split_four_column  # type: ignore[import-not-found]

    return float(sum(np.sum(scores) for scores in split_four_column(str(path))))


if __name__ == "__main__":
    serve(
        {
            "epc": (DEV_AND_TEST, bob_epc),
            "epc-100": (DEV_AND_TEST, bob_epc_100),
            "eer": (DEV, bob_eer),
            "pyeer-eer": (DEV, pyeer_eer),
            "read": (("dev.txt",), bob_read),
            "bootstrap-eer": (DEV, confidence_intervals_eer),
        }
    )
