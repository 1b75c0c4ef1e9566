"""Chimeric users: against a loop, and what they do where modalities depend on each other."""

import numpy as np
import pytest

from fairtrial import ParameterError, Trials, TrialsError, fuse
from fairtrial.fusion import chimeric_sets, chimeric_study
from simulated import crossed

SYSTEMS = ("face", "voice")


def sets(seed: int = 0, **more: float) -> tuple[Trials, Trials]:
    """The same clients in dev and test, other impostors."""
    rng = np.random.default_rng(seed)
    dev = crossed(rng, clients=12, impostors=5, attempts=3, systems=SYSTEMS, **more)  # type: ignore[arg-type]
    test = crossed(rng, clients=12, impostors=6, attempts=2, systems=SYSTEMS, **more)  # type: ignore[arg-type]
    others = {str(10_000 + k): f"test impostor {k}" for k in range(6)}
    assert test.subject is not None
    subject = [others.get(name, name) for name in test.subject.decode()]
    return dev, Trials.from_arrays(test.scores, test.genuine, systems=SYSTEMS, claim=test.claim, subject=subject)


def halves(parts: tuple[Trials, Trials]) -> tuple[list[Trials], list[Trials]]:
    return [part.select(["face"]) for part in parts], [part.select(["voice"]) for part in parts]


def rows_of(trials: Trials, system: str) -> dict[tuple[str, str], list[float]]:
    """The scores of each claim and subject, in their order."""
    found: dict[tuple[str, str], list[float]] = {}
    assert trials.claim is not None
    assert trials.subject is not None
    for claim, subject, score in zip(
        trials.claim.decode(), trials.subject.decode(), trials.column(system).tolist(), strict=True
    ):
        found.setdefault((claim, subject), []).append(score)
    return found


def test_one_assignment_for_claims_subjects_dev_and_test() -> None:
    parts = sets()
    joined = chimeric_sets(*halves(parts), rng=3)
    becomes: dict[str, set[str]] = {}
    for before, after in zip(parts, joined, strict=True):
        assert len(after) == len(before)
        assert after.column("face").tolist() == before.column("face").tolist()
        voices = {score: pair for pair, scores in rows_of(before, "voice").items() for score in scores}
        for pair, scores in rows_of(after, "voice").items():
            was = {voices[score] for score in scores}
            assert len(was) == 1
            (origin,) = was
            assert sorted(scores) == sorted(rows_of(before, "voice")[origin])
            for new, old in zip(pair, origin, strict=True):
                becomes.setdefault(new, set()).add(old)
    assert all(len(own) == 1 for own in becomes.values())
    moved = {new: own.pop() for new, own in becomes.items()}
    assert sorted(moved) == sorted(moved.values())
    assert sum(new != old for new, old in moved.items()) > 10
    # clients stay clients, impostors of dev stay impostors of dev
    assert all(new.startswith("test") == old.startswith("test") for new, old in moved.items())
    assert all((len(new) < 3) == (len(old) < 3) for new, old in moved.items())


def test_modalities_of_other_people() -> None:
    parts = sets()
    face, voice = halves(parts)
    renamed = [
        Trials.from_arrays(
            part.scores,
            part.genuine,
            systems=["voice"],
            claim=[f"other {name}" for name in part.ids["claim"].decode()],
            subject=[f"other {name}" for name in part.ids["subject"].decode()],
        )
        for part in voice
    ]
    fewer = [part.rows(~np.isin(part.ids["claim"].decode(), ["other 0", "other 1"])) for part in renamed]
    joined = chimeric_sets(face, fewer, rng=0)
    assert len(joined[0]) == len(parts[0]) * 10 // 12
    assert [(note.code, note.values) for note in joined[0].notes] == [("no-counterpart", {"count": len(parts[0]) // 6})]
    study = chimeric_study(face[0], face[1], other=(renamed[0], renamed[1]), assignments=3)
    assert study.true is None
    assert study.correlations is None
    assert [table.name for table in study.tables()] == ["users"]


def test_the_same_seed_gives_the_same_people() -> None:
    first, same, other = (chimeric_sets(*halves(sets()), rng=seed)[0].scores.tolist() for seed in (1, 1, 2))
    assert first == same != other


def test_study_holds_what_fuse_gives() -> None:
    dev, test = sets()
    study = chimeric_study(dev, test, moved=["voice"], assignments=4, fusion="max", normalise="z", rng=7)
    assert study.true == fuse(dev, test, fusion="max", normalise="z").evaluation.interval()
    for number, found in enumerate(study.chimeric):
        joined = chimeric_sets(*halves((dev, test)), rng=7 + number)
        assert found == fuse(joined[0], joined[1], fusion="max", normalise="z").evaluation.interval()
    assert study.between == pytest.approx(np.std(study.hters, ddof=1))
    assert study.within == pytest.approx(np.sqrt(np.mean([found.sigma**2 for found in study.chimeric])))


def test_chimeric_users_lose_the_correlation_of_true_ones_and_look_better() -> None:
    dev, test = sets(separation=1.5, correlation=0.8)
    study = chimeric_study(dev, test, moved="voice", assignments=10)
    assert study.correlations is not None
    true_genuine, true_impostor, genuine, impostor = study.correlations
    assert min(true_genuine, true_impostor) > 0.6
    assert max(abs(genuine), abs(impostor)) < 0.25
    assert study.true is not None
    assert study.mean < study.true.estimate
    assert 0 < study.between < study.within


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({}, "modality"),
        ({"moved": ["voice"], "assignments": 0}, "parameter"),
        ({"moved": ["face", "voice"]}, "modality"),
    ],
)
def test_what_a_study_refuses(options: dict, code: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(ParameterError) as error:
        chimeric_study(*sets(), **options)
    assert error.value.code == code


def test_what_cannot_be_joined() -> None:
    parts = sets()
    face, voice = halves(parts)
    bare = [Trials(part.scores, part.genuine, part.systems) for part in voice]
    genuine = [part.rows(part.genuine) for part in voice]
    for other, kind, code in (
        (voice[:1], ParameterError, "pairing"),
        (face, TrialsError, "same-system"),
        (bare, TrialsError, "no-ids"),
        (genuine, TrialsError, "no-counterpart"),
    ):
        with pytest.raises(kind) as error:
            chimeric_sets(face, other)
        assert error.value.code == code


def test_order_of_rows_does_not_matter() -> None:
    """Shuffled rows are assigned the same people and trials."""
    (face, _), (voice, _) = halves(sets())
    order = np.random.default_rng(3).permutation(len(voice))
    (mixed,) = chimeric_sets([face], [voice], rng=2)
    (again,) = chimeric_sets([face], [voice.rows(order)], rng=2)
    assert again.scores.tolist() == mixed.scores.tolist()


def test_the_same_trials_as_dev_and_test_are_a_warning() -> None:
    dev, test = sets()
    for judged in (dev, test):
        codes = {note.code for note in chimeric_study(dev, judged, moved=["voice"], assignments=1).notes}
        assert ("same-trials" in codes) == (judged is dev)
