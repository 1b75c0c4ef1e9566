"""The lowest versions that pyproject.toml allows, as requirements: one line per dependency, those of extras too."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
more = project["optional-dependencies"]
for requirement in (*project["dependencies"], *more["fast"], *more["dask"], *more["explore"]):
    name, floor = re.fullmatch(r"([\w-]+)>=([\w.]+)", requirement).groups()  # type: ignore[union-attr]
    print(f"{name}=={floor}")
