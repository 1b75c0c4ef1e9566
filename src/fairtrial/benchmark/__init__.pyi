"""Where fusion is measured: sets of systems, fusion protocols, and one call that runs them."""

from .datasets import (
    DatasetExport,
    DatasetList,
    export_dataset,
    list_datasets,
    load_benchmark,
    load_dataset,
    read_bssr1,
)
from .experiments import BenchmarkResult
from .lausanne import load_lausanne
from .manifest import read_benchmark
from .pooling import Contest, compare_pooled, compare_runs, pooled_band
from .protocols import (
    PROTOCOLS,
    Benchmark,
    BenchmarkSet,
    Experiment,
    ListedFusion,
    SystemInfo,
    list_experiments,
    register_protocol,
)
from .run import FusionBenchmark, run_benchmark

__all__ = [
    "PROTOCOLS",
    "Benchmark",
    "BenchmarkResult",
    "BenchmarkSet",
    "Contest",
    "DatasetExport",
    "DatasetList",
    "Experiment",
    "FusionBenchmark",
    "ListedFusion",
    "SystemInfo",
    "compare_pooled",
    "compare_runs",
    "export_dataset",
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
