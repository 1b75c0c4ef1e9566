"""With the real thing: a cluster of worker processes over TCP, of which one is killed and one restarted."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import fairtrial as ft
from fairtrial.cli.app import main
from fairtrial.counting import executors as running

distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            protocol="tcp://",
            dashboard_address=None,
            local_directory=str(tmp_path_factory.mktemp("dask")),
            silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster) as found,
    ):
        yield found


def write(file: Path, seed: int) -> ft.Trials:
    rng = np.random.default_rng(seed)
    genuine = rng.random(60_000) < 0.3
    scores = (rng.normal(size=60_000) + 2 * genuine).astype(np.float32)
    pq.write_table(pa.table({"label": genuine, "face": scores}), file, row_group_size=1000)
    return ft.Trials.from_arrays(scores, genuine, systems=["face"])


def test_a_cluster_with_a_worker_killed_and_one_restarted(
    tmp_path: Path, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    dev, test = (write(tmp_path / f"{seed}.parquet", seed) for seed in (1, 2))
    whole = ft.performance_curve(dev, test, system="face")
    executor = client.get_executor()
    monkeypatch.setattr(running, "_WORKERS_OF_OTHERS", 2)  # few tasks at a time, so that the kill comes amid a pass
    killed: list[int] = []

    def disturb(state: ft.counting.PassState) -> None:
        workers = client.scheduler_info()["workers"]
        if state.rows and not killed:
            killed.append(client.run(os.getpid)[next(iter(workers))])
            os.kill(killed[0], signal.SIGKILL)
        elif state.number == 2 and state.rows and len(killed) == 1:
            killed.append(0)
            client.restart_workers([next(iter(workers))], raise_for_error=False)

    found = [ft.open_trials(tmp_path / f"{seed}.parquet", executor=executor, progress=disturb) for seed in (1, 2)]
    curve = ft.performance_curve(*found)
    assert len(killed) == 2
    assert np.array_equal(curve.threshold, whole.threshold)
    assert np.array_equal(curve.counts.false_accepts, whole.counts.false_accepts)
    assert np.array_equal(curve.counts.false_rejects, whole.counts.false_rejects)


def test_a_source_that_a_worker_does_not_see(tmp_path: Path, client: Any) -> None:
    write(tmp_path / "1.parquet", 1)
    found = ft.open_trials(tmp_path / "1.parquet", executor=client.get_executor())
    (tmp_path / "1.parquet").unlink()
    with pytest.raises(ft.InputError, match=r"1\.parquet, row group 0: .*No such file"):
        len(found)


def test_the_command_line_on_a_cluster(tmp_path: Path, client: Any) -> None:
    dev, test = (write(tmp_path / f"{seed}.parquet", seed) for seed in (1, 2))
    files = ["--dev", str(tmp_path / "1.parquet"), "--test", str(tmp_path / "2.parquet")]
    address = client.scheduler.address
    result = CliRunner().invoke(main, ["evaluate", *files, "--scheduler", address, "--json"])
    assert result.exit_code == 0, result.output
    (found,) = json.loads(result.output)["systems"]
    whole = ft.evaluate(dev, test, cluster="none")
    assert (found["threshold"], found["test"]["hter"]) == (whole.threshold, whole.test.hter)


def test_a_cluster_that_lost_all_its_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command waited for ever, in silence."""
    monkeypatch.setattr(running, "_POLL", 0.2)
    monkeypatch.setattr(running, "_PATIENCE", 1.0)
    settings = {"protocol": "tcp://", "dashboard_address": None, "silence_logs": logging.CRITICAL}
    with distributed.LocalCluster(n_workers=0, **settings) as cluster, distributed.Client(cluster) as client:
        command = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address, "--no-nanny"]
        worker = subprocess.Popen(
            [*command, "--no-dashboard", "--local-directory", str(tmp_path)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            client.wait_for_workers(1, timeout=60)
            threading.Timer(1, worker.kill).start()
            with pytest.raises(ft.InputError) as caught:
                list(running.run_tasks(time.sleep, [60, 61], client.get_executor()))
        finally:
            worker.kill()
            worker.wait()
    assert caught.value.code == "no-workers"
