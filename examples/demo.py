"""The main jobs on the example files, which are synthetic: evaluate, compare, fuse, and the fusion benchmark FP-2."""

import subprocess
import sys
from pathlib import Path

FILES = ["--dev", "demo/dev.csv", "--test", "demo/test.csv"]
JOBS = [
    ["compare", *FILES, "--systems", "face,voice", "--report", "demo/comparison.html"],
    ["evaluate", *FILES, "--report", "demo/evaluation.html"],
    ["fuse", *FILES, "--fusion", "logistic"],
    ["benchmark", "--out", "demo/benchmark.csv", "--report", "demo/benchmark.html"],
]

for arguments in JOBS if Path("demo").exists() else [["demo", "demo"], *JOBS]:
    print("$ fairtrial", *arguments, flush=True)
    subprocess.run([sys.executable, "-m", "fairtrial", *arguments], check=True)
print("All scores are synthetic. Open comparison.html, evaluation.html and benchmark.html in demo/.")
