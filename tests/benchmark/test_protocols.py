"""The fusion protocols of Poh & Bengio 2006, section 2.2 and Table 2, and of other benchmarks."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fairtrial import ParameterError, Trials, TrialsError
from fairtrial.benchmark.lausanne import load_lausanne
from fairtrial.benchmark.protocols import (
    PROTOCOLS,
    Benchmark,
    BenchmarkSet,
    Experiment,
    ListedFusion,
    SystemInfo,
    list_experiments,
    register_protocol,
    split_by_subject,
    split_sets,
)
from fairtrial.core.notes import Note
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
    with pytest.raises(ParameterError, match=r"^alone"):
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
        with pytest.raises(ParameterError, match="needs a new name"):
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


def square(people: int) -> Trials:
    """Everybody against everybody; the score is the number of the trial."""
    claim, subject = np.divmod(np.arange(people**2), people)
    return Trials.from_arrays(np.arange(people**2), claim == subject, claim=claim, subject=subject)


def clients_and_impostors(clients: int, impostors: int) -> Trials:
    claim = np.concatenate([np.arange(clients), np.repeat(np.arange(clients), impostors)])
    subject = np.concatenate([np.arange(clients), 1000 + np.tile(np.arange(impostors), clients)])
    return Trials.from_arrays(np.arange(len(claim)), claim == subject, claim=claim, subject=subject)


def people(trials: Trials) -> set[str]:
    assert trials.claim is not None
    assert trials.subject is not None
    return set(trials.claim.decode()) | set(trials.subject.decode())


@given(st.integers(4, 20), st.floats(0.2, 0.8), st.integers(0, 9))
def test_splits_against_brute_force(number: int, fraction: float, seed: int) -> None:
    trials = square(number)
    for dev, test in split_by_subject(
        trials, repeats=3, fraction=min(max(fraction, 2 / number), 1 - 2 / number), seed=seed
    ):
        in_dev, in_test = people(dev), people(test)
        assert not in_dev & in_test
        assert len(in_dev | in_test) == number
        pairs = [(str(i), str(j), i * number + j) for i in range(number) for j in range(number)]
        for part, members in ((dev, in_dev), (test, in_test)):
            assert part.column().tolist() == [k for i, j, k in pairs if i in members and j in members]
        left_out = number**2 - len(dev) - len(test)
        (note,) = dev.notes
        assert isinstance(note, Note)
        assert (note.code, note.values["left_out"]) == ("split", left_out)


@pytest.mark.parametrize(("fraction", "expected"), [(0.5, 10), (0.25, 5), (0.9, 18), (0.001, 1), (0.999, 19)])
def test_fraction_is_the_share_of_people_in_dev(fraction: float, expected: int) -> None:
    claim = np.repeat(np.arange(20), 2)
    trials = Trials.from_arrays(np.zeros(40), np.arange(40) % 2 == 0, claim=claim)
    ((dev, test),) = split_by_subject(trials, repeats=1, fraction=fraction)
    assert (len(dev), len(test)) == (2 * expected, 40 - 2 * expected)


def test_clients_and_impostors_are_dealt_apart() -> None:
    for dev, test in split_by_subject(clients_and_impostors(10, 6)):
        assert [int(part.genuine.sum()) for part in (dev, test)] == [5, 5]
        assert [int((~part.genuine).sum()) for part in (dev, test)] == [15, 15]


def test_claims_alone_leave_no_trial_out() -> None:
    claim = np.repeat(np.arange(6), 4)
    trials = Trials.from_arrays(np.zeros(24), np.arange(24) % 4 == 0, claim=claim)
    ((dev, test),) = split_by_subject(trials, repeats=1)
    assert len(dev) + len(test) == 24
    (note,) = dev.notes
    assert isinstance(note, Note)
    assert (note.about, note.values) == ("split 1 of seed 0", {"who": "claims", "dev": 3, "people": 6, "left_out": 0})


def test_a_person_with_two_names_is_on_one_side() -> None:
    claim, subject = np.divmod(np.arange(64), 8)
    trials = Trials.from_arrays(
        np.zeros(64), claim == subject, claim=[f"gallery{c}" for c in claim], subject=[f"probe{s}" for s in subject]
    )
    for dev, test in split_by_subject(trials):
        sides = [{name.removeprefix("gallery").removeprefix("probe") for name in people(part)} for part in (dev, test)]
        assert not sides[0] & sides[1]


def test_the_seed_repeats_and_more_splits_keep_the_first() -> None:
    def rows(repeats: int, seed: int) -> list[list[float]]:
        return [dev.column().tolist() for dev, _ in split_by_subject(square(12), repeats=repeats, seed=seed)]

    assert rows(3, 5) == rows(3, 5) == rows(6, 5)[:3]
    assert rows(3, 5) != rows(3, 6)
    assert len({tuple(split) for split in rows(6, 5)}) > 1


def test_sets_of_splits_are_numbered_and_noted() -> None:
    system = SystemInfo("system", "face", "a", "b")
    sets, note = split_sets("mine", square(8), [system], repeats=3, seed=2)
    assert [(one.name, one.split, one.systems) for one in sets] == [("mine", k, (system,)) for k in (1, 2, 3)]
    assert (note.code, note.about) == ("splits", "mine")
    assert note.values == {"repeats": 3, "seed": 2, "fraction": 0.5, "least": 32, "trials": 64}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"repeats": 0}, "at least one repeat, not 0"),
        ({"fraction": 0.0}, "must be between 0 and 1, not 0.0"),
        ({"fraction": 1.0}, "must be between 0 and 1, not 1.0"),
        ({"fraction": float("nan")}, "must be between 0 and 1, not nan"),
        ({"seed": -1}, "at least 0, not -1"),
    ],
)
def test_parameters_out_of_range(options: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        split_by_subject(square(8), **options)  # type: ignore[arg-type]


def test_trials_without_ids() -> None:
    with pytest.raises(TrialsError) as error:
        split_by_subject(Trials.from_arrays([0.0, 1.0], [False, True]))
    assert error.value.code == "no-ids"


def test_too_few_people() -> None:
    with pytest.raises(TrialsError) as error:
        split_by_subject(clients_and_impostors(1, 5))
    assert error.value.code == "few-people"


def test_a_side_without_impostors() -> None:
    with pytest.raises(TrialsError, match="1 genuine and 0 impostor trials") as error:
        split_by_subject(square(3), fraction=0.1)
    assert error.value.code == "empty-class"


def test_impostors_under_one_id_are_in_both_halves() -> None:
    claim = np.repeat(np.arange(6), 4)
    genuine = np.arange(24) % 4 == 0
    subject = np.where(genuine, claim, 999)
    trials = Trials.from_arrays(np.arange(24.0), genuine, claim=claim, subject=subject)
    ((dev, test),) = split_by_subject(trials, repeats=1)
    assert (len(dev), len(test)) == (12, 12)
    assert not {*dev.ids["claim"].decode()} & {*test.ids["claim"].decode()}
    assert isinstance(dev.notes[0], Note)
    assert dev.notes[0].code == "one-impostor"


def test_splits_do_not_depend_on_the_order_of_rows() -> None:
    claim, subject = (np.array([f"p{k}" for k in codes]) for codes in np.divmod(np.arange(144), 12))
    scores = np.arange(144.0)
    order = np.random.default_rng(1).permutation(144)

    def splits(rows: NDArray[np.int64]) -> list[tuple[set[float], set[float]]]:
        trials = Trials.from_arrays(scores[rows], (claim == subject)[rows], claim=claim[rows], subject=subject[rows])
        return [({*dev.column()}, {*test.column()}) for dev, test in split_by_subject(trials, repeats=3)]

    assert splits(order) == splits(np.arange(144))
