"""All commands, one declaration each; nothing is imported before a command is called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from textwrap import TextWrapper

_SETS = "--dev dev.csv --test test.csv"
_PAGE = ("report", "title")
_PIECES = ("memory", "scheduler")
_TABLE = "FILE is a table with the columns errors and attempts, one row per person."


@dataclass(frozen=True, slots=True)
class Declared:
    """A command.

    Parameters
    ----------
    group : str
        The heading under which it is listed.
    summary : str
        What it does, in one line.
    function : str
        What is asked, as module:name; options follow from its signature.
    examples : tuple of str
        Lines for the help, without the command.
    about : str
        More sentences for the help.
    reads : str
        Which files it reads: ``sets`` (dev and test), ``dev`` (test may be missing), ``people`` (a table of errors, or
        scores with a threshold), ``paths`` (any score files), or none.
    positional : dict of str to str
        Parameters that are typed without an option, and how help shows them.
    outputs : tuple of str
        Further options: files that can be written, and memory for the trials.
    skip : tuple of str
        Parameters and options that are not offered.
    prints : bool
        Whether the function prints by itself, and gives no result.
    """

    group: str
    summary: str
    function: str
    examples: tuple[str, ...] = ()
    about: str = ""
    reads: str = ""
    positional: Mapping[str, str] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    prints: bool = False

    def help(self, name: str) -> str:
        """Write summary, more sentences and examples, long ones on several lines."""
        fold = TextWrapper(76, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False)
        lines = [" \\\n".join(fold.wrap(f"fairtrial {name} {example}")) for example in self.examples]
        return "\n".join([f"{self.summary}\n\n{self.about}\n\n\b\nExamples:", *lines])


COMMANDS: dict[str, Declared] = {
    "evaluate": Declared(
        "Judge",
        "Fix the threshold on dev, report the errors on test.",
        "fairtrial.evaluation.evaluation:evaluate",
        (
            f"{_SETS} --report page.html",
            "--dev scores.csv --folds 5 --measure f1 --out errors.csv",
            "--dev scores.csv --folds 5 --criterion far --alpha .001",
            "--test new.csv --threshold 1.5 --json",
        ),
        reads="sets",
        outputs=(*_PAGE, "trials_out", *_PIECES),
    ),
    "compare": Declared(
        "Judge",
        "Test whether systems really differ on the same trials.",
        "fairtrial.evaluation.comparison:compare",
        (
            f"{_SETS} --systems face,voice",
            f"{_SETS} --reference baseline --out tests.tex",
            "--dev scores.csv --folds 5 --5x2cv",
        ),
        "Each system is judged at its own threshold from dev.",
        reads="sets",
        outputs=(*_PAGE, *_PIECES),
    ),
    "epc": Declared(
        "Judge",
        "Compute Expected Performance Curves.",
        "fairtrial.evaluation.expected:expected_performance",
        (_SETS, f"{_SETS} --bands simultaneous", f"{_SETS} --compare face,voice"),
        "At each alpha, the threshold is chosen on dev and judged on test.",
        reads="sets",
        outputs=(*_PAGE, *_PIECES),
    ),
    "operating-points": Declared(
        "Judge",
        "Report AUC, d' and the FRR at given FARs.",
        "fairtrial.evaluation.operating:operating_points",
        (_SETS, f"{_SETS} --far .01,.001 --out points.csv"),
        "The threshold of each target is the lowest that keeps the FAR on dev at or below it.",
        reads="sets",
    ),
    "groups": Declared(
        "Judge",
        "Compare the error rates of groups.",
        "fairtrial.groups.evaluation:evaluate_groups",
        (
            f"{_SETS} --system face --by sex",
            "--dev scores.csv --folds 5 --by sex,age --edges age=30,50",
            f"{_SETS} --by sex --people people.csv",
            f"{_SETS} --by device --report page.html",
        ),
        "Groups may be of people (sex, age) or of anything else (device, session, language); one threshold for all.",
        reads="sets",
        outputs=_PAGE,
    ),
    "explore": Declared(
        "Judge",
        "Explore score files in a browser.",
        "fairtrial.cli.actions:explore",
        ("", "dev.csv test.csv", "dev.parquet test.parquet --port 8080 --no-browser"),
        "Nothing leaves this machine. Files named here are opened where they are, however large; others can be dropped "
        "on the page. Ctrl-C ends it.",
        positional={"files": "[F]..."},
        prints=True,
    ),
    "fuse": Declared(
        "Combine",
        "Fuse systems, fitted on dev and judged on test.",
        "fairtrial.fusion.fusion:fuse",
        (
            f"{_SETS} --fusion logistic",
            f"{_SETS} --scores-out fused.csv",
            f"{_SETS} --fusion lda --save model.json",
            "--model model.json --test others.csv",
        ),
        "The fusion is tested against the best of its systems. Saved with --save, it can be applied to other trials.",
        reads="sets",
        outputs=(*_PAGE, "scores_out", "save"),
    ),
    "benchmark": Declared(
        "Combine",
        "Measure a fusion method over a whole protocol.",
        "fairtrial.benchmark.run:run_benchmark",
        (
            "",
            "--protocol fp-full --fusion logistic --workers 2 --out results.csv",
            "--fusion mean,logistic --pooled 21",
            "--data bssr1-set1 --normalise z",
            "--set LP1 --report benchmark.html",
        ),
        "Every experiment comes with its interval, gain and test.",
        outputs=_PAGE,
    ),
    "predict": Declared(
        "Combine",
        "Predict fusions from Gaussian fits of their parts.",
        "fairtrial.fusion.prediction:predict_fusions",
        (f"{_SETS} --normalise z", "--dev dev.csv --systems face,voice,finger --largest 2"),
        "Predicts every fusion by the mean beside its measured errors, and gives the correlations within each class.",
        reads="dev",
        skip=("criterion", "alpha"),
    ),
    "chimeric": Declared(
        "Combine",
        "Measure the effect of chimeric users on a fusion.",
        "fairtrial.fusion.chimeric:chimeric_study",
        (f"{_SETS} --move voice", "--dev f1.csv --test f2.csv --other-dev v1.csv --other-test v2.csv"),
        "Modalities of different people are combined at random, many times.",
        reads="sets",
    ),
    "calibrate": Declared(
        "Calibrate",
        "Calibrate scores to log-likelihood ratios and judge them.",
        "fairtrial.calibration.calibration:calibrate",
        (
            _SETS,
            f"{_SETS} --fuse --report page.html",
            f"{_SETS} --save model.json",
            "--model model.json --test others.csv --scores-out llr.csv",
            "--test llr.csv --method none",
        ),
        "The calibration is fitted on dev and judged on test.",
        reads="sets",
        outputs=(*_PAGE, "scores_out", "save", *_PIECES),
    ),
    "interval": Declared(
        "Published numbers",
        "Compute intervals from published rates, or of people tested several times.",
        "",
        ("rates --far .0115 --frr .025 --impostor 9000 --genuine 400", "individuals counts.csv"),
    ),
    "interval rates": Declared(
        "Published numbers",
        "Compute intervals of HTER, DCF and others from FAR and FRR or counts of errors.",
        "fairtrial.published.rates:rate_intervals",
        (
            "--far .0115 --frr .025 --impostor 9000 --genuine 400",
            "--false-accepts 90 --false-rejects 10 --impostor 9000 --genuine 400",
        ),
        "All trials are taken as independent.",
    ),
    "interval individuals": Declared(
        "People tested several times",
        "Compute intervals of an error rate when people were tested several times.",
        "fairtrial.repeated.intervals:repeated_intervals",
        ("counts.csv", "test.txt --threshold 0.5 --error far --by subject"),
        f"{_TABLE} With --threshold, it is a score file with ids.",
        reads="people",
        positional={"people": "FILE"},
    ),
    "compare-rates": Declared(
        "Published numbers",
        "Test two systems by their published rates.",
        "fairtrial.published.rates:compare_rates",
        (
            "--a .01 .025 --b .02 .0275 --impostor 9000 --genuine 400",
            "--a-counts 90 10 --b-counts 180 11 --impostor 9000 --genuine 400",
        ),
    ),
    "eer-bound": Declared(
        "Published numbers",
        "Bound the significance of published EERs.",
        "fairtrial.published.eer_bound:bounds_from_eers",
        (".0013 .0058 --trials 719400", "TAN=.0057 DAUGMAN=.0008 MA=.0007 --trials 285390"),
        "EERs are fractions, on the same trials.",
        positional={"eers": "[NAME=]EER [NAME=]EER..."},
    ),
    "mcnemar": Declared(
        "Published numbers",
        "Run McNemar's test on two counts.",
        "fairtrial.published.mcnemar:mcnemar_test",
        ("--b 26055 --c 26707",),
    ),
    "test": Declared(
        "People tested several times",
        "Test a rate, two devices or a model on people tested several times.",
        "",
        ("individuals counts.csv --rate .01", "fit counts.csv"),
    ),
    "test individuals": Declared(
        "People tested several times",
        "Test an error rate when people were tested several times, or compare two devices.",
        "fairtrial.repeated.tests:individuals_test",
        ("counts.csv --rate .01 --alternative less", "a.csv b.csv --paired"),
        f"{_TABLE} One FILE is tested against --rate; two, one per device, against each other. With --paired, people "
        "are matched by a column id if both have it, and otherwise row by row.",
        positional={"a": "FILE", "b": "[FILE]"},
    ),
    "test fit": Declared(
        "People tested several times",
        "Test whether people's errors are beta-binomial, or follow Oman and Zucker's model.",
        "fairtrial.repeated.fits:fit_test",
        ("counts.csv",),
        f"{_TABLE} A small p value says that the model does not fit. `fairtrial plot fit` draws it.",
        positional={"people": "FILE"},
    ),
    "coverage": Declared(
        "People tested several times",
        "Measure the coverage of intervals for repeated attempts.",
        "fairtrial.repeated.coverage:coverage_study",
        (
            "--grid paper --out coverage.parquet",
            "--n 100 --m 2 --pi .1 --rho .2 --exact",
            "--like counts.csv",
            "--grid quick --claims",
        ),
        "By simulation or exactly. With --out, finished cells are kept in a journal beside the file: a study that was "
        "interrupted resumes when it is run again.",
        outputs=_PAGE,
    ),
    "plan": Declared(
        "Plan",
        "Plan the number of people and attempts of a test.",
        "fairtrial.repeated.comparison_plans:plan",
        (
            "--pi .02 --rho .1 --half-width .005 --attempts 5",
            "--pi .005 --rho .1 --below .01",
            "--a .010 .020 --b .015 .030 --attempts 4 --impostor-attempts 100",
        ),
        "For an interval that is narrow enough (--half-width), for an upper bound below a claimed rate (--below), or "
        "to tell two systems apart (--a, --b). Give --attempts or --individuals to get the other, or "
        "neither to get the cheapest plan.",
        skip=("data_sets",),
    ),
    "demo": Declared(
        "Files",
        "Write example files to try the commands on.",
        "fairtrial.cli.actions:write_demo",
        ("", "scores"),
        "dev.csv and test.csv: three systems and 50 clients of a synthetic set (no real people), with a column sex.",
        positional={"folder": "[DIR]"},
        skip=("out",),
    ),
    "convert": Declared(
        "Files",
        "Convert score files from one format to another.",
        "fairtrial.formats.convert:convert_files",
        (
            "scores.txt --out scores.parquet",
            "gen.scores imp.scores --out both.csv.gz",
            "dev --data lausanne --set LP1 --out dev.csv",
        ),
        "No digit is lost. Several inputs are several systems; their trials are aligned by their ids. With --data, say "
        "dev or test instead of a file.",
        reads="paths",
        positional={"paths": "IN..."},
    ),
    "count": Declared(
        "Files",
        "Count any number of scores into a small file.",
        "fairtrial.counting.count:count_files",
        ("part-*.parquet --out dev.ftc", "test.csv --thresholds face=0.62 --out test.ftc"),
        "Use the file like a score file: fairtrial evaluate --dev dev.ftc --test test.ftc. With --data, say dev or "
        "test instead of a file.",
        reads="paths",
        positional={"paths": "F..."},
    ),
    "merge": Declared(
        "Files",
        "Merge files of counts.",
        "fairtrial.counting.count:merge_files",
        ("part-*.ftc --out dev.ftc",),
        "Their order does not matter.",
        positional={"paths": "P.ftc..."},
    ),
    "formats": Declared("Files", "List the score file formats.", "fairtrial.cli.actions:list_formats", ("",)),
    "datasets": Declared(
        "Files",
        "List the score sets that fairtrial knows, or export one.",
        "fairtrial.cli.actions:show_datasets",
        ("", "bssr1-set1", "lausanne --set LP1 --export scores"),
        "Scores are not part of fairtrial. Put them into the directory that $FAIRTRIAL_DATA names. Some are "
        "downloaded when they are first used, to the cache ($FAIRTRIAL_CACHE, or your user's).",
        positional={"name": "[NAME]"},
    ),
    "criteria": Declared(
        "Files", "List the criteria that thresholds are chosen by.", "fairtrial.cli.actions:list_criteria", ("",)
    ),
    "measures": Declared("Files", "List the measures that are reported.", "fairtrial.cli.actions:list_measures", ("",)),
    "completion": Declared(
        "Files",
        "Print a script that completes commands in your shell.",
        "fairtrial.cli.actions:completion",
        ("bash >> ~/.bashrc",),
        positional={"shell": "{bash|zsh|fish}"},
        prints=True,
    ),
    "plot": Declared(
        "Figures",
        "Draw a figure and write it as .png, .svg or .pdf.",
        "",
        (f"det {_SETS} --out det.png", f"epc {_SETS} --out epc.svg"),
    ),
}


def figure_commands() -> dict[str, Declared]:
    """Declare the commands of `fairtrial plot`, one per figure."""
    from fairtrial.figures.table import FIGURES

    return {
        f"plot {name}": Declared(
            "Figures", each.about, each.data[0], each.examples, each.more, each.reads, each.positional, skip=each.skip
        )
        for name, each in FIGURES.items()
    }
