"""All that is tried, and how large a share of the cases each target has."""

from __future__ import annotations

from fuzzing.cases import Target
from fuzzing.commands import COMMANDS
from fuzzing.journals import JOURNALS
from fuzzing.manifests import MANIFEST_TARGET
from fuzzing.readers import ORACLE, READERS
from fuzzing.sealed import SEALED
from fuzzing.uploads import UPLOADS

SHARES = {READERS: 40, ORACLE: 20, COMMANDS: 20, MANIFEST_TARGET: 5, JOURNALS: 5, SEALED: 5, UPLOADS: 5}
"""Percent of the cases."""
TARGETS: dict[str, Target] = {target.name: target for target in SHARES}
