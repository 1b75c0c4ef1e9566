"""Every format: read, told by content, written and read back."""

from __future__ import annotations

import gzip
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairtrial import FORMATS, OutputError, Trials, TrialsError, read_pair, read_trials, register_format, write_trials
from fairtrial.core.errors import InputError
from fairtrial.core.registry import Registry
from fairtrial.formats import Format

BOB4 = "ann ann p1 0.5\nann bob p2 -1e-3\nbob bob p3 inf\nbob ann p1 0.25\n"
BOB5 = "ann m1 ann p1 0.5\nann m1 bob p2 -1e-3\nbob m2 bob p3 inf\nbob m2 ann p1 0.25\n"
CSV = "claim,subject,probe,score\nann,ann,p1,0.5\nann,bob,p2,-1e-3\nbob,bob,p3,inf\nbob,ann,p1,0.25\n"
WIDE = "claim,subject,label,face,voice\nann,ann,1,0.5,1.0\nann,bob,0,-1e-3,2\nbob,bob,1,inf,3\nbob,ann,0,0.25,4\n"
LONG = (
    "system,claim,subject,probe,label,score\n"
    "face,ann,ann,p1,genuine,0.5\nface,ann,bob,p2,impostor,-1e-3\n"
    "voice,ann,bob,p2,impostor,2\nvoice,ann,ann,p1,genuine,1\n"
    "face,bob,bob,p3,genuine,inf\nvoice,bob,bob,p3,genuine,3\n"
)
MATRIX = ",ann,bob\nann,0.5,0.25\nbob,-1e-3,inf\n"
KALDI = "ann u1 target\nann u2 nontarget\nbob u3 target\nbob u1 nontarget\n"
KALDI_SCORES = "bob u1 0.25\nann u1 0.5\nann u2 -1e-3\nbob u3 inf\n"
VOX = "1 id10001/v/1.wav id10001/v/2.wav\n0 id10001/v/1.wav id10002/v/1.wav\n"


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def compressed(text: str, kind: str) -> bytes:
    if kind == "gzip":
        return gzip.compress(text.encode())
    return bytes(pa.compress(text.encode(), codec=kind, asbytes=True)) if kind else text.encode()


def content(trials: Trials) -> dict[str, Any]:
    ids = {name: column.decode().tolist() for name, column in trials.ids.items()}
    return {"scores": trials.scores.tolist(), "genuine": trials.genuine.tolist(), "systems": trials.systems, **ids}


@pytest.mark.parametrize("kind", ["", "gzip", "zstd"])
@pytest.mark.parametrize("text", [BOB4, BOB5, CSV, CSV.replace(",", "\t"), CSV.replace(",", ";"), MATRIX])
def test_one_system_plain_and_compressed(tmp_path: Path, text: str, kind: str) -> None:
    trials = read_trials(write(tmp_path, "face-dev.txt", compressed(text, kind)))
    assert trials.systems == ("face",)
    assert sorted(trials.scores[:, 0].tolist()) == [-1e-3, 0.25, 0.5, np.inf]
    assert sorted(trials.scores[trials.genuine, 0].tolist()) == [0.5, np.inf]
    assert trials.claim is not None
    assert trials.subject is not None
    assert (trials.claim.decode() == trials.subject.decode()).tolist() == trials.genuine.tolist()


@pytest.mark.parametrize("space", ["\t", "  ", " \t ", " "])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_bob_with_any_white_space_and_line_end(tmp_path: Path, space: str, end: str) -> None:
    odd = BOB4.replace(" ", space).replace("\n", end)
    plain = read_trials(write(tmp_path, "a.txt", BOB4))
    assert content(read_trials(write(tmp_path, "b.txt", odd), names=("a",))) == content(plain)


def test_bob_comments_and_blank_lines(tmp_path: Path) -> None:
    text = "# made by hand\n\n" + BOB4 + "\n# a b c 1\n"
    assert content(read_trials(write(tmp_path, "a.txt", text))) == content(read_trials(write(tmp_path, "a.txt", BOB4)))


def test_bob_with_numbers_for_ids(tmp_path: Path) -> None:
    trials = read_trials(write(tmp_path, "a.txt", "3 3 1 0.5\n3 4 2 0.1\n"))
    assert trials.ids["claim"].decode().tolist() == ["3", "3"]


def test_wide_table_has_a_column_a_system(tmp_path: Path) -> None:
    trials = read_trials(write(tmp_path, "a.csv", WIDE))
    assert trials.systems == ("face", "voice")
    assert trials.column("voice").tolist() == [1, 2, 3, 4]
    assert trials.genuine.tolist() == [True, False, True, False]


def test_long_table_is_aligned_by_trial(tmp_path: Path) -> None:
    trials = read_trials(write(tmp_path, "a.csv", LONG))
    assert trials.systems == ("face", "voice")
    assert trials.scores.tolist() == [[0.5, 1], [-1e-3, 2], [np.inf, 3]]


@pytest.mark.parametrize(
    ("positive", "negative"),
    [
        ("1", "0"),
        ("1", "-1"),
        ("+1", "-1"),
        ("1.0", "0.0"),
        ("true", "false"),
        ("True", "False"),
        ("genuine", "impostor"),
        ("target", "nontarget"),
        ("client", "impostor"),
        ("bonafide", "spoof"),
        ("Bona-fide", "Spoof"),
    ],
)
def test_label_codings(tmp_path: Path, positive: str, negative: str) -> None:
    text = f"label,face\n{positive},1\n{negative},0\n{negative},0.5\n"
    assert read_trials(write(tmp_path, "a.csv", text)).genuine.tolist() == [True, False, False]


def test_labels_and_columns_given_by_the_caller(tmp_path: Path) -> None:
    text = "who,said,kind,age,s1\na,b,yes,40,1\na,c,no,50,2\nb,b,maybe,60,3\n"
    trials = read_trials(
        write(tmp_path, "a.csv", text),
        columns={"claim": "who", "subject": "said", "label": "kind"},
        scores=("s1",),
        genuine_labels=("yes",),
        impostor_labels=("no",),
    )
    assert content(trials) == {
        "scores": [[1.0], [2.0]],
        "genuine": [True, False],
        "systems": ("s1",),
        "claim": ["a", "a"],
        "subject": ["b", "c"],
    }
    assert trials.notes[1:] == ("1 trials with label maybe were left out",)


def test_quoted_cells(tmp_path: Path) -> None:
    text = 'claim,label,face\n"ann, the first",1,0.5\n"say ""x""",0,0.25\n'
    assert read_trials(write(tmp_path, "a.csv", text)).ids["claim"].decode().tolist() == ["ann, the first", 'say "x"']


def test_empty_cell_is_a_missing_score(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "label,face,voice\n1,0.5,1.0\n0,,2\n0,0.1,3\n")
    assert read_trials(path, nan="drop").scores.tolist() == [[0.5, 1], [0.1, 3]]
    assert read_trials(path, nan="reject").column("face").tolist() == [0.5, -np.inf, 0.1]


def test_missing_distances_are_rejected_too(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "label,face\n1,0.5\n0,nan\n")
    assert read_trials(path, nan="reject", negate=True).column("face").tolist() == [-0.5, -np.inf]


@pytest.mark.parametrize("kind", ["", "gzip"])
def test_genuine_and_impostor_lists(tmp_path: Path, kind: str) -> None:
    ending = ".gz" if kind else ""
    write(tmp_path, "gen.scores", "3 3 0.5 1\n4 4 0.6 2\n")
    write(tmp_path, f"imp.scores{ending}", compressed("0 3 -0.5 -1\n0 4 -0.6 -2\n", kind))
    trials = read_trials(tmp_path)
    assert content(trials) == {
        "scores": [[0.5, 1], [0.6, 2], [-0.5, -1], [-0.6, -2]],
        "genuine": [True, True, False, False],
        "systems": ("system 1", "system 2"),
        "claim": ["3", "4", "3", "4"],
        "subject": ["3", "4", "0", "0"],
    }
    by_name = read_trials([tmp_path / f"imp.scores{ending}", tmp_path / "gen.scores"], names=("face", "voice"))
    assert by_name.scores.tolist() == trials.scores.tolist()
    assert by_name.systems == ("face", "voice")


def test_bare_lists(tmp_path: Path) -> None:
    files = [write(tmp_path, "dev-genuine.txt", "1\n2\n"), write(tmp_path, "dev-impostor.txt", "-1\n")]
    assert content(read_trials(files)) == {
        "scores": [[1], [2], [-1]],
        "genuine": [True, True, False],
        "systems": ("system",),
    }


def test_several_matrices_are_several_systems(tmp_path: Path) -> None:
    files = [write(tmp_path, "face.csv", MATRIX), write(tmp_path, "voice.csv", MATRIX.replace("0.25", "7"))]
    trials = read_trials(files)
    assert trials.systems == ("face", "voice")
    assert trials.scores.tolist() == [[0.5, 0.5], [0.25, 7], [-1e-3, -1e-3], [np.inf, np.inf]]
    assert trials.ids["claim"].decode().tolist() == ["ann", "bob", "ann", "bob"]
    assert trials.ids["subject"].decode().tolist() == ["ann", "ann", "bob", "bob"]


def test_matrix_transposed_and_by_diagonal(tmp_path: Path) -> None:
    turned = read_trials(write(tmp_path, "a.csv", MATRIX), transpose=True)
    assert turned.ids["subject"].decode().tolist() == ["ann", "bob", "ann", "bob"]
    other = write(tmp_path, "b.csv", ",m1,m2\np1,0.5,0.25\np2,-1e-3,inf\n")
    assert read_trials(other, diagonal=True).genuine.tolist() == [True, False, False, True]


def test_matrix_with_several_probes_of_a_person(tmp_path: Path) -> None:
    trials = read_trials(write(tmp_path, "a.csv", ",ann,bob\nann,1,2\nann,3,4\nbob,5,6\n"))
    assert trials.genuine.tolist() == [True, False, True, False, False, True]


def test_kaldi_trial_and_score_lists(tmp_path: Path) -> None:
    files = [write(tmp_path, "trials", KALDI), write(tmp_path, "ecapa.scores", KALDI_SCORES)]
    trials = read_trials(files)
    assert content(trials) == {
        "scores": [[0.5], [-1e-3], [np.inf], [0.25]],
        "genuine": [True, False, True, False],
        "systems": ("ecapa",),
        "claim": ["ann", "ann", "bob", "bob"],
        "probe": ["u1", "u2", "u3", "u1"],
    }


def test_two_score_lists_are_two_systems(tmp_path: Path) -> None:
    files = [
        write(tmp_path, "trials", KALDI),
        write(tmp_path, "a.scores", KALDI_SCORES),
        write(tmp_path, "b.scores", "1\n2\n3\n4\n"),
    ]
    assert read_trials(files).scores.tolist() == [[0.5, 1], [-1e-3, 2], [np.inf, 3], [0.25, 4]]


def test_voxceleb_paths_tell_the_speakers(tmp_path: Path) -> None:
    trials = read_trials([write(tmp_path, "veri.txt", VOX), write(tmp_path, "net.txt", "0.9\n0.1\n")])
    assert trials.genuine.tolist() == [True, False]
    assert trials.ids["claim"].decode().tolist() == ["id10001", "id10001"]
    assert trials.ids["subject"].decode().tolist() == ["id10001", "id10002"]
    assert trials.ids["probe"].decode().tolist() == ["id10001/v/2.wav", "id10002/v/1.wav"]


def test_npz_of_two_arrays(tmp_path: Path) -> None:
    np.savez(tmp_path / "dev.npz", genuine=np.array([1.0, 2.0]), impostor=np.array([0.0]))
    assert content(read_trials(tmp_path / "dev.npz")) == {
        "scores": [[1.0], [2.0], [0.0]],
        "genuine": [True, True, False],
        "systems": ("system",),
    }


@pytest.mark.parametrize("label", [pa.array([True, False]), pa.array([1, -1]), pa.array(["target", "nontarget"])])
def test_parquet_labels_of_any_type(tmp_path: Path, label: pa.Array) -> None:
    table = pa.table({"label": label, "claim": [7, 8], "face": pa.array([0.5, 0.25], pa.float32())})
    pq.write_table(table, tmp_path / "a.parquet")
    trials = read_trials(tmp_path / "a.parquet")
    assert trials.genuine.tolist() == [True, False]
    assert trials.scores.dtype == np.float32
    assert trials.ids["claim"].decode().tolist() == ["7", "8"]


def test_directory_of_parquet_is_one_table(tmp_path: Path) -> None:
    for part, scores in enumerate(([0.5, 0.25], [0.75, 0.0])):
        table = pa.table({"label": ["target", "nontarget"], "claim": ["a", f"b{part}"], "face": scores})
        pq.write_table(table, tmp_path / f"part-{part}.parquet")
    trials = read_trials(tmp_path)
    assert trials.column().tolist() == [0.5, 0.25, 0.75, 0.0]
    assert trials.ids["claim"].decode().tolist() == ["a", "b0", "a", "b1"]


NUMBERS = [0.1, 1 / 3, -0.0, 5e-324, 1.7976931348623157e308, np.inf, -np.inf, 123456789.123456789, 1e-5, 2**53 + 2.0]


@pytest.mark.parametrize(
    "name", ["a.csv", "a.tsv", "a.parquet", "a.npz", "a.txt", "a.csv.gz", "a.csv.zst", "a.txt.gz", "a.txt.zst"]
)
def test_written_and_read_back_without_losing_a_digit(tmp_path: Path, name: str) -> None:
    ids = [f"c{k % 3}" for k in range(len(NUMBERS))]
    subject = ["c0"] * len(NUMBERS)
    trials = Trials.from_arrays(
        NUMBERS,
        [claim == "c0" for claim in ids],
        systems=["face"],
        claim=ids,
        subject=subject,
        probe=[f"p{k}" for k in range(len(NUMBERS))],
    )
    write_trials(trials, tmp_path / name)
    back = read_trials(tmp_path / name, names=("face",))
    assert back.column().tobytes() == trials.column().tobytes()
    assert content(back) == content(trials)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_five_columns_there_and_back(tmp_path: Path) -> None:
    trials = read_trials(write(tmp_path, "a.txt", BOB5))
    write_trials(trials, tmp_path / "b.txt", format="bob5")
    assert content(read_trials(tmp_path / "b.txt", names=("a",))) == content(trials)


def test_compressed_output_is_compressed(tmp_path: Path) -> None:
    trials = read_trials(write(tmp_path, "a.txt", BOB4))
    write_trials(trials, tmp_path / "b.csv.gz")
    assert gzip.decompress((tmp_path / "b.csv.gz").read_bytes()).startswith(b"claim,subject,probe,label,a\n")


@pytest.mark.parametrize(
    ("trials", "name", "message"),
    [
        (Trials.from_arrays(np.zeros((2, 2)), [True, False]), "a.txt", "holds one system"),
        (Trials.from_arrays(np.zeros(2), [True, False]), "a.txt", "needs claim and subject ids"),
        (
            Trials.from_arrays(np.zeros(2), [True, True], claim=["a", "b"], subject=["a", "a"]),
            "a.txt",
            "claim and subject are equal",
        ),
        (
            Trials.from_arrays(np.zeros(2), [True, False], claim=["a b", "c"], subject=["a b", "d"]),
            "a.txt",
            "a claim begins with # or holds a space",
        ),
        (Trials.from_arrays(np.zeros(2), [True, False], systems=["label"]), "a.csv", "give it another name"),
        (Trials.from_arrays(np.zeros(2), [True, False]), "a.xyz", "does not say which format"),
    ],
)
def test_what_a_format_cannot_hold(tmp_path: Path, trials: Trials, name: str, message: str) -> None:
    with pytest.raises(OutputError, match=message):
        write_trials(trials, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_formats_that_are_only_read_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="format matrix cannot be written; choose one of parquet"):
        write_trials(Trials.from_arrays([0.0], [True]), tmp_path / "a.txt", format="matrix")


def test_unnamed_systems_of_dev_and_test_go_together_by_order(tmp_path: Path) -> None:
    dev, test = write(tmp_path, "monday.txt", BOB4), write(tmp_path, "tuesday.txt", BOB4)
    pair = read_pair(dev, test)
    assert pair[1].systems == ("monday",)
    assert pair[1].notes[1:] == ("tuesday taken as dev's monday, by the files' order",)


def test_named_systems_are_never_renamed(tmp_path: Path) -> None:
    dev, test = write(tmp_path, "d.csv", "label,face\n1,1\n0,0\n"), write(tmp_path, "t.csv", "label,voice\n1,1\n0,0\n")
    assert [trials.systems for trials in read_pair(dev, test)] == [("face",), ("voice",)]


def test_files_of_the_same_name_are_told_by_their_folders(tmp_path: Path) -> None:
    files = []
    for system in ("ours", "theirs"):
        (tmp_path / system).mkdir()
        files.append(write(tmp_path / system, "dev.txt", BOB4))
    assert read_trials(files).systems == ("ours/system", "theirs/system")


def test_a_format_of_ones_own_is_one_registration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fairtrial.formats.sheets import Sheet

    own = Registry("format", "formats", Format, FORMATS.registered)
    monkeypatch.setattr("fairtrial.formats.registry.FORMATS", own)
    register_format(
        Format(
            "stars",
            "scores as stars",
            lambda heads: all(head.data.startswith(b"*") for head in heads),
            lambda heads, options, progress: [
                Sheet(
                    "stars", np.array([[len(line)] for line in head.lines(9)], float), np.array([True, False]), ("s",)
                )
                for head in heads
            ],
        )
    )
    assert read_trials(write(tmp_path, "a.stars", "***\n*\n")).scores.tolist() == [[3.0], [1.0]]


def test_progress_counts_all_bytes(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", BOB4 * 1000)
    seen: list[int] = []
    read_trials(path, progress=seen.append)
    assert sum(seen) == path.stat().st_size


def test_alignment_needs_ids(tmp_path: Path) -> None:
    files = [write(tmp_path, f"{name}.csv", f"label,{name}\n1,1\n0,0\n") for name in ("a", "b")]
    with pytest.raises(TrialsError, match="no id column in common"):
        read_trials(files)


@pytest.mark.parametrize("names", ["voice", ["voice"], ("voice",)])
def test_one_name_or_several_in_any_sequence(tmp_path: Path, names: Any) -> None:
    path = write(tmp_path, "a.csv", WIDE)
    assert read_trials(path, negate=names).scores[0].tolist() == [0.5, -1]
    assert read_trials(path, systems=names).systems == ("voice",)
    assert read_trials(path, scores=names).systems == ("voice",)


def test_missing_scores_of_systems_not_asked_for_do_not_matter(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "label,face,voice\n1,0.5,1.0\n0,0.2,\n0,0.1,3\n")
    assert len(read_trials(path, systems="face")) == 3
    assert len(read_trials(path, systems="face", nan="drop")) == 3
    assert len(read_trials(path, nan="drop")) == 2


def test_scores_may_begin_with_many_empty_cells(tmp_path: Path) -> None:
    rows = "".join(f"{k % 2},{k},{'' if k < 40 else k}\n" for k in range(60))
    trials = read_trials(write(tmp_path, "a.csv", "label,face,voice\n" + rows), nan="drop")
    assert trials.systems == ("face", "voice")
    assert len(trials) == 20


def test_ids_below_a_header_may_begin_with_a_hash(tmp_path: Path) -> None:
    trials = read_trials(write(tmp_path, "a.csv", "claim,label,face\n#1,1,0.5\n#2,0,0.1\n"))
    assert trials.ids["claim"].decode().tolist() == ["#1", "#2"]


def test_parquet_parts_with_a_plain_score_column(tmp_path: Path) -> None:
    (tmp_path / "face").mkdir()
    for part in range(2):
        pq.write_table(pa.table({"label": [1, 0], "score": [0.5, 0.1]}), tmp_path / "face" / f"part-{part}.parquet")
    trials = read_trials(tmp_path / "face")
    assert (trials.systems, len(trials)) == (("face",), 4)


def test_a_column_called_score_leaves_no_other(tmp_path: Path) -> None:
    trials = read_trials(write(tmp_path, "net.csv", "label,score,duration\n1,0.5,3\n0,0.1,4\n"))
    assert trials.systems == ("net",)
    assert trials.column().tolist() == [0.5, 0.1]


def test_index_column_of_pandas_is_no_score_and_no_matrix(tmp_path: Path) -> None:
    trials = read_trials(write(tmp_path, "a.csv", ",label,face\n0,1,0.5\n1,0,0.1\n"))
    assert trials.systems == ("face",)


def test_models_are_not_lost_in_bob_text(tmp_path: Path) -> None:
    trials = read_trials(write(tmp_path, "a.txt", BOB5))
    write_trials(trials, tmp_path / "b.txt")
    assert (tmp_path / "b.txt").read_text().splitlines()[0] == "ann m1 ann p1 0.5"


def test_formats_that_are_compressed_already(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="compressed already"):
        write_trials(Trials.from_arrays([0.0, 1.0], [False, True]), tmp_path / "a.parquet.gz")


def test_a_tab_far_down_parts_columns_too(tmp_path: Path) -> None:
    many = "ann ann p1 0.5\n" * 9000
    trials = read_trials(write(tmp_path, "a.txt", many + "ann\tbob p2 0.1\n"))
    assert trials.ids["subject"].name(9000) == "bob"


def test_parquet_decimals_are_the_nearest_doubles(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    texts = [f"{number // 1000}.{number % 1000:03d}" for number in rng.integers(0, 10**10, 2000).tolist()]
    texts += ["-0.001", "-123.456", "0.000"]
    table = pa.table(
        {
            "label": ["genuine", "impostor", *["genuine"] * (len(texts) - 2)],
            "face": pa.array([Decimal(text) for text in texts], pa.decimal128(10, 3)),
            "voice": pa.array([Decimal(text) / 10**8 for text in texts], pa.decimal256(40, 11)),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    read = read_trials(tmp_path / "a.parquet")
    assert read.column("face").tolist() == [float(text) for text in texts]
    assert read.column("voice").tolist() == [float(Decimal(text) / 10**8) for text in texts]


def test_bytes_in_npz_are_utf8(tmp_path: Path) -> None:
    arrays: dict[str, Any] = {"scores": [0.9, 0.2], "genuine": np.array([b"genuine", b"impostor"])}
    arrays |= {"claim": np.array(["a", "b"]), "systems": np.array([b"face"])}
    np.savez(tmp_path / "a.npz", **arrays, subject=np.array(["a", "grün".encode()], dtype="S"))
    read = read_trials(tmp_path / "a.npz")
    assert read.systems == ("face",)
    assert read.ids["subject"].decode().tolist() == ["a", "grün"]
    np.savez(tmp_path / "b.npz", **arrays, subject=np.array([b"a", b"gr\xfcn"]))
    with pytest.raises(InputError) as caught:
        read_trials(tmp_path / "b.npz")
    assert caught.value.code == "not-utf8"


def test_parts_of_a_table_may_have_their_columns_in_another_order(tmp_path: Path) -> None:
    face, voice, label = [0.9, 0.2], [7.5, 1.5], ["genuine", "impostor"]
    pq.write_table(pa.table({"label": label, "face": face, "voice": voice}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"voice": voice, "face": face, "label": label}), tmp_path / "2.parquet")
    trials = read_trials(tmp_path)
    assert trials.column("face").tolist() == face * 2
    assert trials.column("voice").tolist() == voice * 2
