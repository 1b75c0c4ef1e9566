"""Damaged files dropped on the explorer, odd fields asked of them, and jobs stopped at any moment."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator
from pathlib import Path
from time import sleep
from typing import Any

from fairtrial.core.errors import FairtrialError
from fairtrial.explorer.data import Data, Reading
from fairtrial.explorer.files import OpenFiles
from fairtrial.explorer.jobs import Advance, Job
from fairtrial.explorer.questions import QUESTIONS
from fuzzing.cases import Case, Target
from fuzzing.mutations import damage
from fuzzing.samples import SAMPLES
from fuzzing.watching import Misread

_ODD: tuple[Any, ...] = (
    None, True, 0, -1, 3, 2**70, 0.5, 1e308, float("inf"), float("nan"), "", "x", "face", "none", "^(a+)+$", "[", [],
    ["d1"], ["face", "voice"], {}, {"score": ["face"]}, {"claim": "subject"}, "\x1b[2J", "d1",
)  # fmt: skip
_READ = ("dev", "test", "folds", "roles", "genuine", "impostor", "distances", "nan", "person", "genuine_by", "cluster",
         "seed", "people")  # fmt: skip
_ASKED = ("systems", "criterion", "alpha", "threshold", "confidence", "resample", "measures", "by", "points", "method")
_NAMES = ("scores.csv", "../../x.csv", "a\x00b", "", "." * 300, "\x1b[2J.csv", "Ünï.txt")
_PATIENCE = 15.0


def make_upload(seed: str) -> Case:
    """Files of a format, half of them damaged, and the fields that a browser sends; some are stopped."""
    rng = random.Random(seed)
    files, done = dict(SAMPLES["csv-wide"]), "fields only"
    if rng.random() < 0.5:
        files, done, rng = damage(SAMPLES[rng.choice(sorted(SAMPLES))], seed)
    keys = [f"d{k + 1}" for k in range(len(files))]
    reading: dict[str, Any] = {"dev": keys[:1], "test": rng.choice([keys[:1], keys[1:], []])}
    asked: dict[str, Any] = {"question": rng.choice(sorted(QUESTIONS))}
    for fields, known in ((reading, _READ), (asked, _ASKED)):
        for name in rng.sample(known, rng.choice([0, 0, 1, 2])):
            fields[name] = rng.choice(_ODD)
    stop = rng.choice([None, None, 0.0, 1e-4, 3e-3])
    names = [rng.choice([*files, *_NAMES]) for _ in files]
    words = (json.dumps(reading), json.dumps(asked), json.dumps(stop), json.dumps(names))
    return Case(files, words, done)


async def _pieces(data: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(data), 1000):
        yield data[start : start + 1000]


def use_upload(folder: Path, case: Case) -> None:
    """Drop the files, read them, and ask; nothing dropped is left behind."""
    fields, asked, stop, names = map(json.loads, case.words)
    place = folder / "dropped"
    opened = OpenFiles(folder=place)
    try:

        async def drop() -> None:
            arriving = zip(names, case.files.values(), strict=True)
            await asyncio.gather(*(opened.receive(name, _pieces(data)) for name, data in arriving))

        asyncio.run(drop())
        json.dumps([file.to_dict() for file in opened])

        def work(advance: Advance) -> object:
            reading = Reading.of(fields)
            files = reading.files(opened)
            data = Data(reading.read(files, lambda done: advance(0.0), room=10**9), reading, files)
            question = QUESTIONS[asked["question"]]
            if refusal := question.refusal(data):
                raise FairtrialError(refusal)
            return question.answer(question.of(data, asked), advance).to_dict()

        job = Job(work).start()
        if stop is not None:
            sleep(stop)
            job.stop()
        if not job.wait(_PATIENCE):
            raise Misread("a job did not end")
        job.thread.join(_PATIENCE)
        if job.thread.is_alive():
            raise Misread("a stopped job goes on")
        if job.error is not None:
            raise job.error
    finally:
        opened.close()
        if place.exists():
            raise Misread("dropped files are left behind")


UPLOADS = Target("uploads", make_upload, use_upload, seconds=40.0)
