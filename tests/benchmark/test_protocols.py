"""The fusion protocols of Poh & Bengio 2006, section 2.2 and Table 2, and of other benchmarks."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from fairtrial import ParameterError, Trials, TrialsError
from fairtrial.benchmark.lausanne import load_lausanne
from fairtrial.benchmark.protocols import PROTOCOLS, Experiment, list_experiments, register_protocol
from fairtrial.benchmark.sets import Benchmark, BenchmarkSet, ListedFusion, SystemInfo
from reference.fusion_2006 import FP_FULL, TABLE_2

SPEECH = {"(LFCC,GMM)", "(PAC,GMM)", "(SSC,GMM)"}


def lausanne(protocol: str) -> list[Experiment]:
    return list_experiments(load_lausanne(), protocol)


def counts(protocol: str) -> Counter[str]:
    return Counter(experiment.set for experiment in lausanne(protocol))


def test_fp_2_is_table_2_in_its_order() -> None:
    found = lausanne("fp-2")
    expected = [
        (name, group, tuple(f"({system}" for system in pair.split("(")[1:]))
        for (name, group), text in TABLE_2.items()
        for pair in text.split()
    ]
    assert [(e.set, e.group, e.systems) for e in found] == expected
    assert len(found) == 32
    assert list(Counter((e.set, e.group) for e in found).values()) == [15, 6, 2, 6, 3]
    assert all(e.split is None for e in found)


def test_fp_full_has_247_and_26_experiments_by_counting_subsets() -> None:
    assert counts("fp-full") == {"LP1": 2**8 - 8 - 1, "LP2": 2**5 - 5 - 1} == FP_FULL
    for one in load_lausanne().sets:
        names = [system.name for system in one.systems]
        subsets = {subset for size in range(2, len(names) + 1) for subset in combinations(names, size)}
        assert {e.systems for e in lausanne("fp-full") if e.set == one.name} == subsets


def test_fp_intramodal_has_26_4_1_4_experiments_as_section_2_2_says() -> None:
    found = lausanne("fp-intramodal")
    assert len(found) == 35
    assert Counter((e.set, e.group) for e in found) == {
        ("LP1", "face"): 26,
        ("LP1", "speech"): 4,
        ("LP2", "face"): 1,
        ("LP2", "speech"): 4,
    }
    assert all(len({*e.systems} & SPEECH) in (0, len(e.systems)) for e in found)


def test_fp_multimodal_has_217_and_21_experiments_as_section_2_2_says() -> None:
    assert counts("fp-multimodal") == {"LP1": (2**5 - 1) * (2**3 - 1), "LP2": (2**2 - 1) * (2**3 - 1)}
    assert counts("fp-multimodal") == {"LP1": 217, "LP2": 21}
    assert all(0 < len({*e.systems} & SPEECH) < len(e.systems) for e in lausanne("fp-multimodal"))


def test_fp_full_is_intramodal_and_multimodal_together() -> None:
    full, intra, multi = (
        {(e.set, e.systems) for e in lausanne(name)} for name in ("fp-full", "fp-intramodal", "fp-multimodal")
    )
    assert intra | multi == full
    assert not intra & multi
    assert Counter(e.group for e in lausanne("fp-full")) == {"multimodal": 238, "intramodal": 35}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_experiment_twice(protocol: str) -> None:
    found = lausanne(protocol)
    assert len(set(found)) == len(found)
    assert all(len(e.systems) == len(set(e.systems)) >= 2 for e in found)


def benchmark(*rows: tuple[str, str, str, str], never_paired: tuple[tuple[str, str], ...] = ()) -> Benchmark:
    """Any systems, on two trials."""
    systems = tuple(SystemInfo(*row) for row in rows)
    trials = Trials.from_arrays(
        np.zeros((2, len(rows))), np.array([True, False]), systems=[system.name for system in systems]
    )
    return Benchmark("mine", "mine", (BenchmarkSet("P", trials, trials, systems),), never_paired=never_paired)


ONE_MODALITY = benchmark(
    ("a", "face", "PCA", "NN"), ("b", "face", "PCA", "SVM"), ("c", "face", "LDA", "NN"), ("d", "face", "DCT", "NN")
)
THREE_MODALITIES = benchmark(
    ("a", "face", "PCA", "NN"), ("b", "speech", "MFCC", "GMM"), ("c", "iris", "Gabor", "Hamming")
)


def test_one_modality() -> None:
    found = list_experiments(ONE_MODALITY, "fp-2")
    assert [e.systems for e in found if e.group == "different classifiers"] == [("a", "b")]
    assert [e.systems for e in found if e.group == "different features"] == [
        ("a", "c"),
        ("a", "d"),
        ("b", "c"),
        ("b", "d"),
        ("c", "d"),
    ]
    assert len(found) == 6
    assert len(list_experiments(ONE_MODALITY, "fp-full")) == len(list_experiments(ONE_MODALITY, "fp-intramodal")) == 11
    with pytest.raises(ParameterError) as error:
        list_experiments(ONE_MODALITY, "fp-multimodal")
    assert error.value.code == "nothing-to-fuse"


def test_three_modalities() -> None:
    assert [e.systems for e in list_experiments(THREE_MODALITIES, "fp-2")] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [e.systems for e in list_experiments(THREE_MODALITIES, "fp-multimodal")] == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
        ("a", "b", "c"),
    ]
    with pytest.raises(ParameterError) as error:
        list_experiments(THREE_MODALITIES, "fp-intramodal")
    assert error.value.code == "nothing-to-fuse"


def test_features_that_are_never_paired_are_left_out_of_fp_2_only() -> None:
    rows = ("a", "face", "PCA", "NN"), ("b", "face", "LDA", "NN"), ("c", "speech", "MFCC", "GMM")
    pairs = [("LDA", "PCA"), ("PCA", "MFCC")]
    mine = benchmark(*rows, never_paired=tuple(pairs))
    assert [e.systems for e in list_experiments(mine, "fp-2")] == [("b", "c")]
    assert len(list_experiments(mine, "fp-full")) == 4


def test_splits_are_experiments_of_their_own() -> None:
    (one,) = THREE_MODALITIES.sets
    splits = tuple(BenchmarkSet("P", one.dev, one.test, one.systems, split) for split in (1, 2))
    found = list_experiments(Benchmark("mine", "mine", splits))
    assert [(e.split, e.systems) for e in found] == [
        (split, pair) for split in (1, 2) for pair in (("a", "b"), ("a", "c"), ("b", "c"))
    ]


def test_what_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"protocol must be one of fp-2, fp-full, .*, not 'fp-3'"):
        list_experiments(THREE_MODALITIES, "fp-3")
    with pytest.raises(ParameterError, match=r"alone.* finds nothing to fuse"):
        list_experiments(Benchmark("alone", "alone", benchmark(("a", "face", "PCA", "NN")).sets))
    (one,) = ONE_MODALITY.sets
    for code, make in (
        ("named-twice", lambda: BenchmarkSet("P", one.dev, one.test, (one.systems[0], one.systems[0]))),
        ("no-system", lambda: BenchmarkSet("P", one.dev, one.test, (SystemInfo("z", "face", "PCA", "NN"),))),
        ("named-twice", lambda: Benchmark("mine", "mine", (one, one))),
    ):
        with pytest.raises(TrialsError) as error:
            make()
        assert error.value.code == code


@pytest.fixture
def without_more_protocols() -> Iterator[None]:
    before = dict(PROTOCOLS)
    yield
    PROTOCOLS.clear()
    PROTOCOLS.update(before)


@pytest.mark.usefixtures("without_more_protocols")
def test_a_protocol_by_registration() -> None:
    """The best of each modality with each other, whatever that is."""
    register_protocol("firsts", lambda one, benchmark: [("first and last", (one.systems[0], one.systems[-1]))])
    found = lausanne("firsts")
    assert [(e.set, e.group, e.systems) for e in found] == [
        ("LP1", "first and last", ("(FH,MLP)", "(SSC,GMM)")),
        ("LP2", "first and last", ("(FH,MLP)", "(SSC,GMM)")),
    ]
    register_protocol("alone", lambda one, benchmark: [("alone", one.systems[:1])])
    with pytest.raises(ParameterError) as error:
        lausanne("alone")
    assert error.value.code == "one-system"
    for name in ("", "fp-2"):
        with pytest.raises(ParameterError, match="needs a name of its own"):
            register_protocol(name, lambda one, benchmark: [])


def test_a_protocol_that_a_benchmark_lists() -> None:
    pair, triple = ("(FH,MLP)", "(LFCC,GMM)"), ("(DCTs,GMM)", "(FH,MLP)", "(PAC,GMM)")
    fusions = (ListedFusion(pair), ListedFusion(triple, "three"), ListedFusion(pair, "again", "LP2"))
    mine = replace(load_lausanne(), protocols={"mine": fusions})
    assert [(e.set, e.group, e.systems) for e in list_experiments(mine, "mine")] == [
        ("LP1", "listed", pair),
        ("LP1", "three", triple),
        ("LP2", "listed", pair),
        ("LP2", "again", pair),
    ]
    with pytest.raises(ParameterError, match=r"one of fp-2, .*, mine, not 'yours'"):
        list_experiments(mine, "yours")
