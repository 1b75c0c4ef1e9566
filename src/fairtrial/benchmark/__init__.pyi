"""Where fusion is measured: sets of systems, fusion protocols, and one call that runs them."""

from .datasets import DatasetList, list_datasets, load_benchmark, load_dataset, read_bssr1
from .lausanne import load_lausanne
from .manifest import read_benchmark
from .pooling import Contest, FusionBenchmark, benchmark_fusions, compare_pooled, compare_runs, pooled_band
from .protocols import PROTOCOLS, Experiment, list_experiments, register_protocol
from .results import BenchmarkResult
from .run import RunSettings, run_benchmark
from .sets import Benchmark, BenchmarkSet, ListedFusion, SystemInfo

__all__ = [
    "PROTOCOLS",
    "Benchmark",
    "BenchmarkResult",
    "BenchmarkSet",
    "Contest",
    "DatasetList",
    "Experiment",
    "FusionBenchmark",
    "ListedFusion",
    "RunSettings",
    "SystemInfo",
    "benchmark_fusions",
    "compare_pooled",
    "compare_runs",
    "list_datasets",
    "list_experiments",
    "load_benchmark",
    "load_dataset",
    "load_lausanne",
    "pooled_band",
    "read_benchmark",
    "read_bssr1",
    "register_protocol",
    "run_benchmark",
]
