"""Poh & Bengio, Database, protocols and tools for evaluating score-level fusion algorithms, 2006.

Tables 1 and 2, section 2. The HTERs of its baseline systems are in no table of the paper.
"""

CLIENTS, SHOTS = 200, 8
"""Section 2.1 and Table 1."""
DEV_IMPOSTORS, TEST_IMPOSTORS = 25, 70
"""Section 2.1."""
DEV_GENUINE = {"LP1": 600, "LP2": 400}
"""Table 1, LP Eval client accesses."""
DEV_IMPOSTOR, TEST_GENUINE, TEST_IMPOSTOR = 40_000, 400, 112_000
"""Table 1: accesses in both protocols."""

FP_FULL = {"LP1": 247, "LP2": 26}
"""Section 2.2: fusions of FP-full. It prints 248 for LP1, but 2^8 - 8 - 1 is 247."""

TABLE_2 = {
    ("LP1", "multimodal"): """
        (FH,MLP)(LFCC,GMM) (FH,MLP)(PAC,GMM) (FH,MLP)(SSC,GMM)
        (DCTs,GMM)(LFCC,GMM) (DCTs,GMM)(PAC,GMM) (DCTs,GMM)(SSC,GMM)
        (DCTb,GMM)(LFCC,GMM) (DCTb,GMM)(PAC,GMM) (DCTb,GMM)(SSC,GMM)
        (DCTs,MLP)(LFCC,GMM) (DCTs,MLP)(PAC,GMM) (DCTs,MLP)(SSC,GMM)
        (DCTb,MLP)(LFCC,GMM) (DCTb,MLP)(PAC,GMM) (DCTb,MLP)(SSC,GMM)""",
    ("LP1", "different features"): """
        (FH,MLP)(DCTs,GMM) (FH,MLP)(DCTb,GMM) (FH,MLP)(DCTs,MLP) (FH,MLP)(DCTb,MLP)
        (LFCC,GMM)(SSC,GMM) (PAC,GMM)(SSC,GMM)""",
    ("LP1", "different classifiers"): "(DCTs,GMM)(DCTs,MLP) (DCTb,GMM)(DCTb,MLP)",
    ("LP2", "multimodal"): """
        (FH,MLP)(LFCC,GMM) (FH,MLP)(PAC,GMM) (FH,MLP)(SSC,GMM)
        (DCTb,GMM)(LFCC,GMM) (DCTb,GMM)(PAC,GMM) (DCTb,GMM)(SSC,GMM)""",
    ("LP2", "different features"): "(FH,MLP)(DCTb,GMM) (LFCC,GMM)(SSC,GMM) (PAC,GMM)(SSC,GMM)",
}
"""Table 2, (a) to (e), in its order."""

TABLE_2_HTERS = {
    ("LP1", "multimodal"): """
        0.782 1.120 0.871 0.543 1.436 1.149 0.511 1.021 0.752 0.840 1.138 1.333 1.523 3.664 3.108""",
    ("LP1", "different features"): "1.280 1.122 1.513 1.960 1.595 4.225",
    ("LP1", "different classifiers"): "2.388 3.063",
}
"""HTERs in percent of Table 2, (a) to (c), in its order. Those of (d) and (e) repeat six values of (b) and (c)."""

TABLE_2_OUTSIDE = {
    ("(DCTs,GMM)", "(DCTb,GMM)"): 0.01836,
    ("(DCTs,GMM)", "(DCTb,MLP)"): 0.03672,
    ("(DCTs,MLP)", "(DCTb,MLP)"): 0.02934,
}
"""The three other values of Table 2 (d) and (e): its nine values are those of the pairs of LP1's face systems in their
order (of ten pairs, one is missing), so these belong to pairs of LP1 that FP-2 leaves out."""


def printed_hters() -> dict[tuple[str, str], float]:
    """HTERs of Table 2, (a) to (c), by the two systems, in its order."""
    return {
        (f"({first}", f"({second}"): float(percent) / 100
        for key, column in TABLE_2_HTERS.items()
        for (_, first, second), percent in zip(
            (pair.split("(") for pair in TABLE_2[key].split()), column.split(), strict=True
        )
    }
