"""Commands and calls as they are typed."""

import shlex

from fairtrial.explorer.repeating import Call, Repeated, sure_keywords, sure_words, words


def test_calls_are_python() -> None:
    call = Call("ft.evaluate", ("dev", "test"), {"system": "o'face", "alpha": 0.1})
    assert str(call) == 'ft.evaluate(dev, test, system="o\'face", alpha=0.1)'


def test_commands_survive_the_shell() -> None:
    found = Repeated(("evaluate", "--dev", "my scores.csv", "--system", "(a,b) $HOME"), ("x = 1",))
    assert shlex.split(found.typed) == ["fairtrial", *found.command]
    assert found.python == "import fairtrial as ft\n\nx = 1\n"
    assert Repeated((), ()).typed == ""


def test_numbers_have_the_digits_they_need() -> None:
    assert words("--alpha", 0.1) == ["--alpha", "0.1"]
    assert float(words("--alpha", 1 / 3)[1]) == 1 / 3
    assert words("--folds", 5) == ["--folds", "5"]
    assert (sure_words(0.95), sure_keywords(0.95)) == ([], {})
    assert (sure_words(0.9), sure_keywords(0.9)) == (["--confidence", "0.9"], {"confidence": 0.9})
