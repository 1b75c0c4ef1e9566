"""Files of commands that fit something on dev and judge it on test, or apply what was saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fairtrial.cli.files import READ
from fairtrial.cli.options import FILES_HELP, option, refuse_given
from fairtrial.core.errors import ParameterError


@dataclass(frozen=True, slots=True)
class FittedFiles:
    """Development and test scores, or test scores only where what was fitted is read from a file."""

    dev: tuple[str, ...] = option(
        "--dev", multiple=True, type=READ, metavar="F", help=f"Development scores: {FILES_HELP}"
    )
    test: tuple[str, ...] = option(
        "--test", required=True, multiple=True, type=READ, metavar="F", help=f"Test scores: {FILES_HELP}"
    )

    def check_fitted(self, model: str | None, *, what: str, fitting: Sequence[str]) -> None:
        """Raise an error where dev and a model are both given or both not, or where options do not go with a model.

        Parameters
        ----------
        model
            The file of what was saved.
        what
            What is fitted, as ``a fusion``.
        fitting
            The options that say how, by the names of their fields.
        """
        if bool(self.dev) == (model is not None):
            raise ParameterError(f"give either --dev F, to fit {what}, or --model M.json, to apply a saved one")
        if model is not None:
            refuse_given(fitting, "does not go with --model, which was fitted before")
