"""What may be said on a command line: command lines that are right, and values for every option, right and wrong."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import click

from fairtrial.benchmark.protocols import PROTOCOLS
from fairtrial.calibration.methods import CALIBRATIONS
from fairtrial.cli.app import main
from fairtrial.formats.registry import FORMATS
from fairtrial.fusion.methods import FUSIONS
from fairtrial.fusion.normalise import NORMALISATIONS
from fairtrial.rules.criteria import CRITERIA
from fairtrial.rules.measures import MEASURES

_SETS = "--dev dev.csv --test test.csv"
_PAIR = f"{_SETS} --systems face,voice"
_QUICK = "--resamples 20 --points 5"
GOOD: dict[str, tuple[str, ...]] = {
    "evaluate": (f"{_SETS}", "--dev dev.txt --test test.txt", "--dev dev.csv --folds 3",
                 "--dev dev.ftc --test test.ftc"),
    "epc": (f"{_SETS} --points 5", f"{_SETS} {_QUICK} --compare face,voice", f"{_SETS} {_QUICK} --bands simultaneous"),
    "groups": (f"{_SETS} --by claim", f"{_SETS} --by subject --own-thresholds --factor 3 --weight .2"),
    "operating-points": (f"{_SETS}", f"{_SETS} --far .1,.01 --confidence .9"),
    "compare": (f"{_SETS} --resamples 20", "--dev dev.csv --folds 3 --resamples 20"),
    "interval individuals": ("counts.csv --resamples 20", "dev.txt --threshold .5 --resamples 20"),
    "interval rates": ("--far .1 --frr .2 --impostor 100 --genuine 50",
                       "--false-accepts 3 --false-rejects 4 --impostor 100 --genuine 50 --measure all"),
    "test fit": ("counts.csv --resamples 3",),
    "test individuals": ("counts.csv --rate .1", "counts.csv counts.csv --paired", "counts.csv other.csv"),
    "compare-rates": ("--a .1 .2 --b .2 .1 --impostor 100 --genuine 50",
                      "--a-counts 3 4 --b-counts 4 5 --impostor 100 --genuine 50 --discordant 2 3 1 2"),
    "eer-bound": (".01 .02 --trials 1000", "TAN=.0057 B=.01 --trials 500"),
    "mcnemar": ("--b 3 --c 9",),
    "plan": ("--pi .02 --rho .1 --half-width .01", "--pi .01 --below .05 --attempts 3",
             "--a .01 .02 --b .05 .08 --attempts 4"),
    "coverage": ("--n 20 --m 2 --pi .1 --rho .1 --datasets 3 --resamples 3 --workers 1",
                 "--like counts.csv --datasets 3 --resamples 3 --workers 1",
                 "--n 5 --m 2 --pi .1 --rho .1 --exact --method dr --workers 1"),
    "fuse": (f"{_PAIR}", f"{_PAIR} --fusion logistic --normalise z", "--test test.csv --model model.json"),
    "calibrate": (f"{_SETS}", f"{_SETS} --method kde --out out.csv", f"{_SETS} --method gaussian --partition claim",
                  f"{_SETS} --fuse --dcf sre18 --save out.json", f"{_SETS} --report out.html"),
    "predict": (f"{_SETS}",),
    "chimeric": (f"{_SETS} --move voice --assignments 2",),
    "benchmark": ("--data lab --protocol fp-full", "--data lab/benchmark.toml --fusion mean,max"),
    "datasets": ("", "lausanne"),
    "count": ("dev.csv --out out.ftc", "dev.txt test.txt --out out.ftc --precision .01"),
    "merge": ("dev.ftc test.ftc --out out.ftc",),
    "plot det": (f"{_SETS} --out out.png",),
    "plot roc": (f"{_SETS} --out out.svg",),
    "plot precision-recall": (f"{_SETS} --out out.png",),
    "plot epc": (f"{_SETS} {_QUICK} --bands pointwise --out out.png",),
    "plot epc-compare": (f"{_PAIR} {_QUICK} --out out.png",),
    "plot epc-significance": (f"{_PAIR} {_QUICK} --out out.png",),
    "plot pooled-epc": ("--data lab --points 5 --out out.png",),
    "plot bootstrap": (f"{_PAIR} --resamples 20 --out out.png",),
    "plot scatter": (f"{_PAIR} --out out.png",),
    "plot correlation": ("dev.csv --out out.png",),
    "plot diagnostic": (f"{_SETS} --out out.png",),
    "plot bayes-error": (f"{_SETS} --raw --out out.png",),
    "plot ece": (f"{_SETS} --method pav --out out.png",),
    "plot tippett": (f"{_SETS} --fuse --out out.png",),
    "plot pav": (f"{_SETS} --resamples 20 --out out.png",),
    "plot llr-map": (f"{_SETS} --system face --method pav --resamples 20 --out out.png",),
    "plot hter-sd": ("--out out.png",),
    "plot hter-density": ("--far .0115 --frr .025 --impostor 112000 --genuine 400 --out out.png",),
    "plot coverage": ("study.csv --out out.png",),
    "plot hook": ("study.csv --n 200 --rho .4 --out out.png",),
    "plot fit": ("counts.csv --resamples 3 --out out.png",),
    "plot eer-bound": (".01 .02 --trials 1000 --out out.png",),
    "plot plan": ("--pi .02 --rho .1 --half-width .01 --out out.png",),
    "plot groups": (f"{_SETS} --system face --by claim --resamples 20 --out out.png",),
    "plot group-matrix": (f"{_SETS} --system face --by claim --impostor-by subject --resamples 20 --out out.png",),
    "plot group-det": (f"{_SETS} --system face --by claim --resamples 20 --out out.png",),
    "plot group-epc": (f"{_SETS} --system face --by claim --points 5 --out out.png",),
    "plot zoo": (f"{_SETS} --system face --out out.png",),
    "convert": ("dev.csv --out out.parquet", "dev.txt --out out.csv", "dev.csv --out out.npz",
                "dev.csv --out out.tsv.zst"),
    "formats": ("",),
    "criteria": ("",),
    "measures": ("",),
    "demo": ("example",),
    "completion": ("bash",),
}  # fmt: skip
"""Command lines that end in a result, by command."""


def _words(text: str) -> tuple[str, ...]:
    """Words separated by spaces, and the empty one."""
    return (*text.split(" "), "")


_WHOLE = _words("-1 0 1 2 3 7 1.5 x nan 1e3 99999999999999999999 -99999999999999999999 ٣")
_LARGE = ("1000000", "2147483648", "9007199254740993", "9223372036854775808", "1" + "0" * 23, "9" * 400)
_REAL = _words("0 1 .5 .01 -1 2 1e-300 5e-324 1e16 1e308 -1e308 1e400 inf -inf nan x .999999999999 1e-9 100")
_FILES = _words(
    "dev.csv test.csv dev.txt test.txt counts.csv other.csv study.csv model.json dev.ftc test.ftc dev.parquet lab "
    "lab/benchmark.toml none.csv . *.csv *.none dev.* [ /dev/null"
)
_TARGETS = _words(
    "out.csv out.tsv out.md out.tex out.parquet out.json out.html out.png out.svg out.pdf out.npz out.txt out.csv.gz "
    "out.csv.zst out.ftc out . lab none/out.csv /dev/full dev.csv dev.txt counts.csv ./dev.csv"
    " lab/../dev.csv o\udce9.csv"
)
_LOADED = _words("math:sqrt os:getcwd none:none : math:pi none")
_TITLES = (
    "A title",
    "",
    "$x",
    "$\\frac{1}{2}$",
    "\\",
    "zoë",
    "\x1b[2J",
    "\udce9",
    "a\nb",
    "x" * 3000,
    "木",
    "&<b>",
    "{x}%s",
)
_SYSTEMS = _words("face voice none face,voice face,face voice,face,none , (face,voice) 1")
_NUMBERS = _words(".1 2,3 20 0 1 -1 x , nan inf 1e308 2,2 .1,.5,.9 99999999999999999999 .5,.1")
_SIZES = _words("1 .01 0 -1 3 100000 1e308 nan inf")
_COSTS = "10,.01,1,.99 1,1,1,1 0,0,0,0 -1,.5,1,.5 1,2 x nan,nan,nan,nan 1e308,1,1e308,1 inf,1,1,1"
_BY_NAME: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("--dev", "--test", "--other-dev", "--other-test", "--like", "--model"), _FILES),
    **dict.fromkeys(("file", "files", "inputs"), _FILES),
    **dict.fromkeys(("--out", "--report", "--table", "--save"), _TARGETS),
    **dict.fromkeys(("--system", "--systems", "--compare", "--reference", "--move"), _SYSTEMS),
    **dict.fromkeys(("--name", "--negate-system"), _SYSTEMS),
    **dict.fromkeys(("--n", "--m", "--levels"), _NUMBERS),
    **dict.fromkeys(("--pi", "--rho"), (*_NUMBERS, *_REAL)),
    **dict.fromkeys(("--width", "--height"), _SIZES),
    "--dpi": _words("1 0 -1 10 100 100000 99999999999999999999"),
    "--data": _words("lab lab/benchmark.toml none . dev.csv /dev/null bssr1-set1 lab/b-dev.txt"),
    "--criterion": (*CRITERIA, *_LOADED),
    "--measure": (*MEASURES, *_LOADED),
    "--method": (*CALIBRATIONS, *_words("dr bp sb bb lbb brr bb-ml all none")),
    "--title": _TITLES,
    "--format": (*FORMATS, "none", ""),
    "--to": (*FORMATS, "none", ""),
    "--column": _words("claim=claim subject=claim label=face score=face other=voice claim=none x = score="),
    "--label": _words("genuine=1 impostor=0 genuine=target x=1 genuine= ="),
    "--person": _words("^(.) (.*) . ( x (a)|b ^p\\d (.+)+$"),
    "--fusion": (*FUSIONS, "mean,max", "none", "", ","),
    "--normalise": (*NORMALISATIONS, "none", "x", ""),
    "--protocol": (*PROTOCOLS, "mine", "none", ""),
    "--set": ("P1", "none", ""),
    "--group": ("all", "both", "none", ""),
    "--dcf": _words(_COSTS),
    "--areas": _words("far frr far,frr none , hter"),
    "--thresholds": _words(".5 dev.csv 0,1 x nan inf"),
    "eers": _words(".01 A=.02 0 1 -1 x = A= nan 1e-320 .5 A=.1 \x1b[2J=.1"),
    "name": ("lausanne", "bssr1-set1", "none", ""),
    "--grid": ("none", ""),
}
MUCH_WORK = {
    "--resamples", "--points", "--datasets", "--assignments", "--pooled", "--repeats", "--workers", "--folds", "--bins",
    "--individuals", "--attempts", "--impostor-attempts", "--impostors", "--largest",
}  # fmt: skip
"""Options for which a large number is a lot of work, and not a mistake: none is given that is large and possible, and
none is left out where a good command line has it, as defaults are large."""


@cache
def commands() -> dict[str, click.Command]:
    """Every command by its words, but for the one that does not end by itself."""
    return {words: command for words, command in _within(main, ()) if words != "explore"}


def _within(command: click.Command, words: tuple[str, ...]) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield " ".join(words), command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from _within(found, (*words, name))


def _value(parameter: click.Parameter, rng: random.Random) -> str:
    name, kind = parameter.opts[0], parameter.type
    if isinstance(kind, click.Choice) and name != "--grid":
        return rng.choice([*map(str, kind.choices), "none", ""])
    if name in _BY_NAME:
        return rng.choice(_BY_NAME[name])
    if kind is click.INT:
        return rng.choice(_WHOLE if name in MUCH_WORK else (*_WHOLE, *_LARGE))
    if kind is click.FLOAT:
        return rng.choice(_REAL)
    return rng.choice((*_REAL, *_FILES, *_TITLES))


def words_for(parameter: click.Parameter, rng: random.Random) -> list[str]:
    """An option with a value, or a value for an argument."""
    flag = [] if isinstance(parameter, click.Argument) else [rng.choice(parameter.opts)]
    if getattr(parameter, "is_flag", False):
        return flag
    return [*flag, *(_value(parameter, rng) for _ in range(max(parameter.nargs, 1)))]
