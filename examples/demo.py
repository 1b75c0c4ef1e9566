"""The main job on synthetic scores of two systems: 100 clients, 20 impostors, made on the spot."""

import subprocess
import sys
from pathlib import Path

import numpy as np

from fairtrial import Trials, write_trials

(out := Path("demo")).mkdir(exist_ok=True)
rng = np.random.default_rng(1)
clients, impostors = np.arange(100), 1000 + np.arange(20)
claim = np.concatenate([np.repeat(clients, 4), np.repeat(clients, 20)])
subject = np.concatenate([np.repeat(clients, 4), np.tile(impostors, 100)])
for name in ("dev", "test"):
    ease = rng.normal(0, 0.4, 100)[claim]  # some clients are harder than others
    scores = np.outer(claim == subject, [2.6, 3.4]) + ease[:, None] + rng.normal(size=(len(claim), 2))
    trials = Trials.from_arrays(scores, claim == subject, systems=["face", "voice"], claim=claim, subject=subject)
    write_trials(trials, out / f"{name}.csv")
for arguments in (["evaluate"], ["epc", "--points", "11"]):
    command = ["fairtrial", *arguments, "--dev", "demo/dev.csv", "--test", "demo/test.csv"]
    print("$", *command, flush=True)
    subprocess.run([sys.executable, "-m", *command], check=True)
print("The synthetic scores are in demo/dev.csv and demo/test.csv; add --json to either command for all numbers.")
