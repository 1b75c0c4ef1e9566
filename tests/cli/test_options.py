"""What options are read as."""

import pytest

from fairtrial.cli.options import names_of


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("face", ("face",)),
        ("face, voice", ("face", "voice")),
        ("(FH,MLP),(LFCC,GMM)", ("(FH,MLP)", "(LFCC,GMM)")),
        ("(FH,MLP),voice,(a", ("(FH,MLP)", "voice", "(a")),
    ],
)
def test_names_are_separated_by_commas_outside_brackets(text: str, names: tuple[str, ...]) -> None:
    assert names_of(text) == names
