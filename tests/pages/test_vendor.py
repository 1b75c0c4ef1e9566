"""The libraries that draw charts are those that were published, with their licences."""

import re
from hashlib import sha256

import pytest

from fairtrial.pages.page import CHART_SCRIPTS, read

LISTED = re.findall(r"^\| `(\S+)` \| (\S+) \| (\S+) \| ISC, `(\S+)` \| `(\S+)` \|$", read("vendor/README.md"), re.M)


def test_all_libraries_are_listed() -> None:
    assert [f"vendor/{file}" for file, *_ in LISTED] == [name for name in CHART_SCRIPTS if name.startswith("vendor/")]


@pytest.mark.parametrize(("file", "package", "version", "licence", "checksum"), LISTED)
def test_a_library_is_as_published(file: str, package: str, version: str, licence: str, checksum: str) -> None:
    text = read(f"vendor/{file}")
    assert sha256(text.encode()).hexdigest() == checksum
    assert f"v{version} Copyright" in text.partition("\n")[0]
    assert "Permission to use, copy, modify, and/or distribute" in read(f"vendor/{licence}")
