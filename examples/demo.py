"""The main jobs on the synthetic set `lausanne`: evaluate, compare, and the fusion benchmark FP-2."""

import subprocess
import sys
from pathlib import Path

from fairtrial import write_trials
from fairtrial.benchmark import load_lausanne

(out := Path("demo")).mkdir(exist_ok=True)
lp1 = load_lausanne().sets[0]
systems = ["(FH,MLP)", "(LFCC,GMM)"]
for name, trials in (("dev", lp1.dev), ("test", lp1.test)):
    write_trials(trials.select(systems).renamed(["face", "voice"]), out / f"{name}.csv")
files = ["--dev", "demo/dev.csv", "--test", "demo/test.csv"]
for arguments in (
    ["evaluate", *files, "--report", "demo/evaluation.html"],
    ["compare", *files, "--resamples", "2000", "--report", "demo/comparison.html"],
    ["benchmark", "--out", "demo/benchmark.csv", "--report", "demo/benchmark.html"],
):
    print("$ fairtrial", *arguments, flush=True)
    subprocess.run([sys.executable, "-m", "fairtrial", *arguments], check=True)
print("All scores are synthetic. Open comparison.html, evaluation.html and benchmark.html in demo/.")
