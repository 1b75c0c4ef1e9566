"""Where fusion is measured: sets of systems, fusion protocols, and one call that runs them."""

from .contest import Contest, compare_runs
from .datasets import load_dataset, read_bssr1
from .lausanne import load_lausanne
from .manifest import read_benchmark
from .pooling import compare_pooled, pooled_band
from .protocols import PROTOCOLS, Experiment, list_experiments, register_protocol
from .results import BenchmarkResult
from .runner import RunSettings, run_benchmark
from .sets import Benchmark, BenchmarkSet, ListedFusion, SystemInfo

__all__ = [
    "PROTOCOLS",
    "Benchmark",
    "BenchmarkResult",
    "BenchmarkSet",
    "Contest",
    "Experiment",
    "ListedFusion",
    "RunSettings",
    "SystemInfo",
    "compare_pooled",
    "compare_runs",
    "list_experiments",
    "load_dataset",
    "load_lausanne",
    "pooled_band",
    "read_benchmark",
    "read_bssr1",
    "register_protocol",
    "run_benchmark",
]
