"""The known score sets: found, checked, downloaded, and read as the README of the data says they are."""

import gzip
import hashlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairtrial import ParameterError, Trials, equal_error_rate
from fairtrial.benchmark import datasets as download
from fairtrial.benchmark.datasets import (
    DATASETS,
    FailedEnrolment,
    cache_directory,
    export_dataset,
    fetch,
    load_benchmark,
    load_dataset,
    read_bssr1,
    without_password,
)
from fairtrial.benchmark.protocols import list_experiments
from fairtrial.core.errors import InputError
from fairtrial.core.notes import Note

GENUINE = "".join(f"{k} {k} {k / 8} {k / 4}\n" for k in range(8))
IMPOSTOR = "".join(f"{100 + j} {k} {-j} {-k}\n" for k in range(8) for j in range(6))


def sha256(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


@pytest.fixture(autouse=True)
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No data, an empty cache, and no proxy between us and a server on this machine."""
    for name in ("FAIRTRIAL_DATA", "FAIRTRIAL_MIRROR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FAIRTRIAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> str:
    """The XM2VTS set with small files."""
    files = {"gen.scores": sha256(GENUINE), "imp.scores": sha256(IMPOSTOR)}
    monkeypatch.setitem(DATASETS, "xm2vts-lp2-dev", replace(DATASETS["xm2vts-lp2-dev"], files=files))
    return "xm2vts-lp2-dev"


def store(directory: Path, *, ending: str = "", **changed: str) -> Path:
    """The small files in the folder of the set."""
    folder = directory / "xm2vts_lp2_dev_2sys"
    folder.mkdir(parents=True)
    for name, content in {"gen": GENUINE, "imp": IMPOSTOR, **changed}.items():
        data = content.encode()
        (folder / f"{name}.scores{ending}").write_bytes(gzip.compress(data) if ending else data)
    return directory


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The directory of a mirror."""
    root = tmp_path / "mirror"
    root.mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root))) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        monkeypatch.setenv("FAIRTRIAL_MIRROR", f"http://127.0.0.1:{running.server_address[1]}/")
        yield root
        running.shutdown()
        thread.join()


def kept(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.rglob("*") if path.is_file())


def test_registry_is_complete() -> None:
    for name, dataset in DATASETS.items():
        assert name == dataset.name
        assert dataset.title
        assert dataset.citation
        assert dataset.licence
        assert dataset.synthetic or (dataset.folder and dataset.files)
        assert all(len(digest) == 64 for digest in dataset.files.values())


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_files_in_a_directory_of_the_users(small: str, tmp_path: Path, ending: str) -> None:
    benchmark = load_benchmark(small, data_dir=store(tmp_path / "data", ending=ending), repeats=2)
    assert [one.split for one in benchmark.sets] == [1, 2]
    for one in benchmark.sets:
        assert (int(one.dev.genuine.sum()), int((~one.dev.genuine).sum())) == (4, 12)
        assert (int(one.test.genuine.sum()), int((~one.test.genuine).sum())) == (4, 12)


def test_files_where_the_environment_says(small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert DATASETS[small].path is None
    monkeypatch.setenv("FAIRTRIAL_DATA", str(store(tmp_path / "data")))
    assert DATASETS[small].path == tmp_path / "data" / "xm2vts_lp2_dev_2sys"
    assert len(load_benchmark(small).sets) == 10
    monkeypatch.delenv("FAIRTRIAL_DATA")
    store(tmp_path / "cache", ending=".gz")
    assert len(load_benchmark(small, repeats=3).sets) == 3


def test_the_seed_decides_the_splits(small: str, tmp_path: Path) -> None:
    data = store(tmp_path / "data")
    first, same, other = (load_benchmark(small, data_dir=data, seed=seed).sets for seed in (1, 1, 2))
    assert all(np.array_equal(a.dev.scores, b.dev.scores) for a, b in zip(first, same, strict=True))
    assert not all(np.array_equal(a.dev.scores, b.dev.scores) for a, b in zip(first, other, strict=True))


def test_a_file_with_other_content(small: str, tmp_path: Path) -> None:
    data = store(tmp_path / "data", imp=IMPOSTOR + "101 0 0 0\n")
    with pytest.raises(InputError, match=r"imp\.scores") as error:
        load_benchmark(small, data_dir=data)
    assert error.value.code == "sha256"


def test_files_that_are_not_there_and_cannot_be_downloaded(small: str, tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "xm2vts_lp2_dev_2sys"
    with pytest.raises(InputError, match=r"gen.scores, imp.scores.*\$FAIRTRIAL_DATA") as error:
        load_benchmark(small)
    assert error.value.code == "no-files"
    assert str(folder) in str(error.value)
    assert "normanpoh/DETConf" in str(error.value)
    data = store(tmp_path / "data")
    (data / "xm2vts_lp2_dev_2sys" / "imp.scores").unlink()
    with pytest.raises(InputError, match=r"data.xm2vts_lp2_dev_2sys does not hold imp.scores;"):
        load_benchmark(small, data_dir=data)
    with pytest.raises(InputError, match=r"does not hold asv_trials_dev.csv, asv_trials_eval.csv.*asvspoof5"):
        load_benchmark("asvspoof2019-la")


def test_a_named_directory_without_the_files_is_not_made_good_by_a_download(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"bssr1_set1 does not hold face-C.csv, face-G.csv, finger-left.csv"):
        load_benchmark("bssr1-set1", data_dir=tmp_path)


def test_download_once(small: str, server: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store(server)
    first = load_benchmark(small)
    assert kept(tmp_path / "cache") == ["gen.scores", "imp.scores"]
    assert DATASETS[small].path == tmp_path / "cache" / "xm2vts_lp2_dev_2sys"
    monkeypatch.setenv("FAIRTRIAL_MIRROR", f"http://127.0.0.1:{closed_port()}")
    again = load_benchmark(small)
    assert np.array_equal(first.sets[0].dev.scores, again.sets[0].dev.scores)


def test_download_says_nothing_on_the_terminal(small: str, server: Path, capfd: pytest.CaptureFixture[str]) -> None:
    store(server)
    load_benchmark(small)
    assert capfd.readouterr() == ("", "")


def test_download_with_the_wrong_content_is_not_kept(small: str, server: Path, tmp_path: Path) -> None:
    store(server, gen=GENUINE.replace("1", "2"))
    with pytest.raises(InputError, match=r"http://127.0.0.1:\d+/xm2vts_lp2_dev_2sys/gen.scores") as error:
        load_benchmark(small)
    assert error.value.code == "sha256"
    assert kept(tmp_path / "cache") == []


def test_download_of_a_file_that_the_server_has_not(small: str, server: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be downloaded: the server answers 404 .*put the file into "):
        load_benchmark(small)
    assert kept(tmp_path / "cache") == []


def closed_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def test_download_without_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRTRIAL_MIRROR", f"http://127.0.0.1:{closed_port()}")
    with pytest.raises(
        InputError, match=r"face-C.csv: cannot be downloaded: the connection failed \(Conn.*\$FAIRTRIAL_MIRROR"
    ):
        load_benchmark("bssr1-set1")
    assert kept(tmp_path / "cache") == []


def test_download_into_a_cache_that_cannot_be_written(
    small: str, server: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(server)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FAIRTRIAL_CACHE", str(tmp_path / "file"))
    with pytest.raises(InputError, match=r"gen.scores: cannot be downloaded: "):
        load_benchmark(small)


@pytest.mark.parametrize("mirror", ["/srv/scores", "ftp://example.org", "http://", "http://[1"])
def test_a_mirror_that_is_no_web_address(small: str, monkeypatch: pytest.MonkeyPatch, mirror: str) -> None:
    monkeypatch.setenv("FAIRTRIAL_MIRROR", mirror)
    with pytest.raises(ParameterError, match=r"FAIRTRIAL_MIRROR must be an address as https://"):
        load_benchmark(small)


def test_the_cache_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAIRTRIAL_CACHE")
    assert cache_directory().name == "fairtrial"


@pytest.mark.parametrize(
    ("name", "options", "code"),
    [
        ("bssr2", {}, "no-data"),
        ("bssr1-set1", {"failed_enrolment": "skip"}, "unknown"),
        ("lausanne", {"seed": -1}, "parameter"),
    ],
)
def test_bad_parameters(name: str, options: dict[str, Any], code: str) -> None:
    with pytest.raises(ParameterError) as error:
        load_benchmark(name, **options)
    assert error.value.code == code


@pytest.mark.parametrize(
    ("data", "options", "code"),
    [
        ("nothing", {}, "no-data"),
        ("lausanne", {"repeats": 3}, "does-not-apply"),
        ("lausanne", {"outside": True}, "does-not-apply"),
        ("xm2vts-lp2-dev", {"failed_enrolment": "keep"}, "does-not-apply"),
        ("lausanne", {"only": ["LP3"]}, "no-set"),
    ],
)
def test_what_does_not_apply_to_data(data: str, options: dict[str, Any], code: str) -> None:
    with pytest.raises(ParameterError) as error:
        load_benchmark(data, **options)
    assert error.value.code == code


def test_data_by_name_or_directory(small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRTRIAL_DATA", str(store(tmp_path / "data")))
    assert len(load_benchmark(small, repeats=3).sets) == 3
    assert len(load_benchmark(small).sets) == 10
    assert [one.name for one in load_benchmark("lausanne", only=["LP2"]).sets] == ["LP2"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError) as error:
        load_benchmark(tmp_path / "empty")
    assert error.value.code == "no-manifest"


def test_lausanne_has_the_shape_of_the_benchmark() -> None:
    benchmark = load_benchmark("lausanne")
    assert benchmark.synthetic
    assert benchmark.title == DATASETS["lausanne"].title
    assert [(one.name, len(one.systems)) for one in benchmark.sets] == [("LP1", 8), ("LP2", 5)]


def matrices(directory: Path, **columns: list[float]) -> Path:
    """Four matrices of 4 x 4, with some columns given."""
    rng = np.random.default_rng(0)
    directory.mkdir()
    for name in ("face-C", "face-G", "finger-left", "finger-right"):
        scores = rng.integers(0, 100, size=(4, 4)).astype(float)
        for column, values in columns.items():
            if name == "face-C":
                scores[:, "abcd".index(column)] = values
        rows = [",".join([row, *map(str, line)]) for row, line in zip("abcd", scores, strict=True)]
        (directory / f"{name}.csv").write_text("\n".join([",a,b,c,d", *rows]) + "\n")
    return directory


def failed_enrolments(trials: Trials) -> list[Any]:
    return [note.values for note in trials.notes if isinstance(note, Note) and note.code == "failed-enrolment"]


def test_a_failed_enrolment_is_found_and_left_out(tmp_path: Path) -> None:
    folder = matrices(tmp_path / "failed", b=[-1.0] * 4, c=[-1.0, -1.0, -1.0, 0.0])
    dropped = read_bssr1(folder)
    assert dropped.claim is not None
    assert sorted(set(dropped.claim.decode())) == ["a", "c", "d"]
    assert (len(dropped), int(dropped.genuine.sum())) == (12, 3)
    assert failed_enrolments(dropped) == [{"which": ["b for face-C"], "trials": 4}]
    kept_all = read_bssr1(folder, failed_enrolment="keep")
    assert (len(kept_all), failed_enrolments(kept_all)) == (16, failed_enrolments(dropped))
    assert failed_enrolments(read_bssr1(matrices(tmp_path / "good"))) == []


def test_bssr1_without_its_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"does not hold face-C.csv, face-G.csv, finger-left.csv, finger-right.csv"):
        read_bssr1(tmp_path)


def fused(trials: Trials) -> Trials:
    """The mean of scores that are normalised by mean and deviation of impostors."""
    impostor = trials.scores[~trials.genuine]
    return Trials.from_arrays(
        ((trials.scores - impostor.mean(axis=0)) / impostor.std(axis=0)).mean(axis=1), trials.genuine
    )


def test_bssr1_mean_of_four_against_the_readme(real_data: Path) -> None:
    trials = read_bssr1(real_data / "bssr1_set1", failed_enrolment="keep")
    assert (int(trials.genuine.sum()), int((~trials.genuine).sum())) == (517, 266_772)
    assert 100 * equal_error_rate(fused(trials)).value == pytest.approx(0.77, abs=0.005)


@pytest.mark.parametrize(("policy", "genuine", "impostor"), [("keep", 517, 266_772), ("drop", 516, 266_256)])
def test_bssr1_failed_enrolment_of_the_readme(
    real_data: Path, policy: FailedEnrolment, genuine: int, impostor: int
) -> None:
    trials = read_bssr1(real_data / "bssr1_set1", failed_enrolment=policy)
    with gzip.open(real_data / "bssr1_set1" / "face-C.csv.gz", "rt") as file:
        header = file.readline().strip().split(",")
    assert failed_enrolments(trials) == [{"which": [f"{header[1 + 365]} for face-C"], "trials": 517}]
    assert (int(trials.genuine.sum()), int((~trials.genuine).sum())) == (genuine, impostor)


def test_bssr1_benchmark(real_data: Path) -> None:
    benchmark = load_benchmark("bssr1-set1", data_dir=real_data, repeats=3)
    assert [one.split for one in benchmark.sets] == [1, 2, 3]
    for one in benchmark.sets:
        assert [int(part.genuine.sum()) for part in (one.dev, one.test)] == [258, 258]
        # the subject who could not be enrolled is a probe on one side
        assert sorted(len(part) for part in (one.dev, one.test)) == [258 * 258, 258 * 259]
        assert one.dev.systems == ("face-C", "face-G", "finger-left", "finger-right")
    groups = [experiment.group for experiment in list_experiments(benchmark) if experiment.split == 1]
    assert groups == ["multimodal"] * 4 + ["different features"] * 2
    assert sum(isinstance(note, Note) and note.code == "failed-enrolment" for note in benchmark.notes) == 2


def test_asvspoof_benchmark_against_the_readme(real_data: Path) -> None:
    benchmark = load_benchmark("asvspoof2019-la", data_dir=real_data)
    (one,) = benchmark.sets
    counts = [(int(part.genuine.sum()), int((~part.genuine).sum())) for part in (one.dev, one.test)]
    assert counts == [(1_484, 5_768 + 22_296), (5_370, 33_327 + 63_882)]
    assert one.dev.claim is not None
    assert one.test.claim is not None
    assert [len(np.unique(part.numbered().codes)) for part in (one.dev.claim, one.test.claim)] == [10, 48]
    assert one.dev.subject is None
    assert {system.modality for system in one.systems} == {"asv", "countermeasure"}
    assert one.dev.systems == one.test.systems == tuple(system.name for system in one.systems)
    # lower than by chance: no system that is used has its sign reversed
    assert all(equal_error_rate(one.test, system=name).value < 0.5 for name in one.test.systems)
    assert any(isinstance(note, Note) and note.code == "systems-left-out" for note in benchmark.notes)


def test_xm2vts_benchmark_against_the_readme(real_data: Path) -> None:
    benchmark = load_benchmark("xm2vts-lp2-dev", data_dir=real_data)
    assert len(benchmark.sets) == 10
    for one in benchmark.sets:
        assert [int(part.genuine.sum()) for part in (one.dev, one.test)] == [200, 200]
        # 100 clients against 12 or 13 impostors with 8 shots
        assert sorted(int((~part.genuine).sum()) for part in (one.dev, one.test)) == [9_600, 10_400]


def test_the_benchmark_knows_the_files_it_is_from(small: str, tmp_path: Path) -> None:
    folder = store(tmp_path / "mine", ending=".gz") / "xm2vts_lp2_dev_2sys"
    found = load_benchmark(small, data_dir=tmp_path / "mine", repeats=1)
    assert found.files == (folder / "gen.scores.gz", folder / "imp.scores.gz")
    assert load_benchmark("lausanne").files == ()


CONTENT = b"1 1 0.5\n" * 1000


class Handler(BaseHTTPRequestHandler):
    """Gives more than anybody asked for, says nothing, or asks for a password."""

    def do_GET(self) -> None:
        if self.path == "/silent":
            self.server.awaited.wait(5)  # type: ignore[attr-defined]
            return
        if self.path == "/secret" and self.headers.get("Authorization") != "Basic bWU6aHVzaA==":
            self.send_error(401)
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(CONTENT)

    def log_message(self, format: str, *given: object) -> None:
        pass


@pytest.fixture
def two_files(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a two_files."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.awaited = threading.Event()  # type: ignore[attr-defined]
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"127.0.0.1:{running.server_address[1]}"
        running.awaited.set()  # type: ignore[attr-defined]
        running.shutdown()
        thread.join()


def get(address: str, folder: Path) -> Path:
    return fetch(address, hashlib.sha256(CONTENT).hexdigest(), folder, instead="put it there yourself")


def test_a_file_that_is_too_large_is_not_kept(two_files: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "_MOST", 4096)
    with pytest.raises(InputError) as error:
        get(f"http://{two_files}/a.csv", tmp_path)
    assert error.value.code == "too-large"
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_takes_too_long_is_not_kept(
    two_files: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "_PATIENCE", -1.0)
    with pytest.raises(InputError) as error:
        get(f"http://{two_files}/a.csv", tmp_path)
    assert error.value.code == "too-slow"
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_says_nothing(two_files: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "_SILENCE", 0.2)
    with pytest.raises(InputError, match="ReadTimeout") as error:
        get(f"http://{two_files}/silent", tmp_path)
    assert error.value.code == "download"


def test_a_password_is_used_and_never_shown(two_files: str, tmp_path: Path) -> None:
    assert get(f"http://me:hush@{two_files}/secret", tmp_path).read_bytes() == CONTENT
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        closed = f"http://me:hush@127.0.0.1:{taken.getsockname()[1]}/other"
        with pytest.raises(InputError, match="cannot be downloaded") as caught:
            get(closed, tmp_path)
    assert "hush" not in str(caught.value)
    assert "me:" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://me:hu@sh@example.org/a", "https://example.org/a"),
        ("https://example.org/a", "https://example.org/a"),
        ("me:hush@example.org/a", "example.org/a"),
        ("ftp://me@example.org", "ftp://example.org"),
    ],
)
def test_addresses_without_passwords(address: str, shown: str) -> None:
    assert without_password(address) == shown


def test_dev_and_test_of_one_set() -> None:
    dev, test = load_dataset("lausanne", set="LP2")
    (_, lp2) = load_benchmark("lausanne").sets
    assert (dev.systems, len(dev), len(test)) == (lp2.dev.systems, 40_400, 112_400)
    np.testing.assert_array_equal(test.scores, lp2.test.scores)
    for options, code in (({}, "several-sets"), ({"set": "LP3"}, "no-set"), ({"set": "LP1", "split": 2}, "no-split")):
        with pytest.raises(ParameterError) as error:
            load_dataset("lausanne", **options)
        assert error.value.code == code


def test_a_split_of_a_set_without_dev_trials(small: str, tmp_path: Path) -> None:
    data = store(tmp_path / "data")
    expected = load_benchmark(small, data_dir=data, repeats=3).sets[1]
    dev, test = load_dataset(small, split=2, data_dir=data)
    np.testing.assert_array_equal(dev.scores, expected.dev.scores)
    np.testing.assert_array_equal(test.scores, expected.test.scores)
    with pytest.raises(ParameterError) as error:
        export_dataset(small, tmp_path / "out", data_dir=data)
    assert error.value.code == "splits"


def test_an_exported_set_is_the_same_set(tmp_path: Path) -> None:
    result = export_dataset("lausanne", tmp_path / "out", only=["LP2"])
    assert [(file.set, file.part, file.genuine, file.impostor) for file in result.files] == [
        ("LP2", "dev", 400, 40_000),
        ("LP2", "test", 400, 112_000),
    ]
    (before,), (after,) = (load_benchmark(data).only(["LP2"]).sets for data in ("lausanne", tmp_path / "out"))
    assert after.systems == before.systems
    for part, expected in ((after.dev, before.dev), (after.test, before.test)):
        np.testing.assert_array_equal(part.scores, expected.scores)
        for role, ids in expected.ids.items():
            assert part.ids[role].same_as(ids)
    assert load_benchmark(tmp_path / "out").never_paired == load_benchmark("lausanne").never_paired
