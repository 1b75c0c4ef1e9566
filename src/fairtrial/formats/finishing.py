"""From a sheet to trials: systems chosen, signs turned, missing scores decided upon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fairtrial.errors import ParameterError, TrialsError, listed, shown
from fairtrial.formats.identities import check_repeated
from fairtrial.formats.sheets import ReadOptions, Sheet
from fairtrial.trials import Trials


def as_options(options: dict[str, Any]) -> ReadOptions:
    """Keyword arguments of a reading function as options."""
    try:
        return ReadOptions(**options)
    except TypeError as error:
        raise ParameterError(f"no such option of reading: {error}") from error


def said(sheet: Sheet, format: str) -> Sheet:
    """The sheet with one line that says what was taken for what."""
    return replace(sheet, taken=(f"read as {format}: {'; '.join(sheet.taken)}",))


def finish_checked(sheet: Sheet, options: ReadOptions) -> Trials:
    """The trials of a whole set; an error where labels contradict each other, or no trial is left."""
    trials = finish(sheet, options, check_repeated(sheet))
    if not len(trials):
        raise TrialsError(f"{sheet.origin}: no trial with a score is left")
    return trials


def finish(sheet: Sheet, options: ReadOptions, more: Sequence[str] = ()) -> Trials:
    """The trials of a sheet, with what was taken for what, its notes and more of them."""
    notes = [*sheet.taken, *sheet.notes]
    if options.systems:
        place = {name: k for k, name in enumerate(sheet.systems)}
        missing = [name for name in options.systems if name not in place]
        if missing:
            raise TrialsError(
                f"{sheet.origin}: there is no system {shown(missing[0])}; there are {listed(sheet.systems)}"
            )
        columns = [place[name] for name in options.systems]
        sheet = replace(sheet, scores=np.asfortranarray(sheet.scores[:, columns]), systems=options.systems)
    scores = sheet.scores
    negate = options.negate
    chosen = negate if isinstance(negate, tuple) else sheet.systems if negate else ()
    if chosen:
        unknown = [name for name in chosen if name not in sheet.systems]
        if unknown:
            raise TrialsError(f"there is no system {shown(unknown[0])} to negate; there are {listed(sheet.systems)}")
        # before missing scores become rejections, which a sign would turn into acceptances
        signs = [-1 if name in chosen else 1 for name in sheet.systems]
        scores = scores * np.array(signs, dtype=scores.dtype)
        notes.append(f"scores negated: {', '.join(chosen)}")
    notes += more
    ids: dict[str, Any] = dict(sheet.ids)
    return Trials.from_arrays(
        scores, sheet.genuine, systems=sheet.systems, nan=options.nan, notes=notes, columns=sheet.columns, **ids
    )
