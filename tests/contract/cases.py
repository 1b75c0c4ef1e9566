"""The commands of the contract suite: a name, and what is typed after `fairtrial`.

`--json` is added when they run. The files are those of `inputs.py`, and in `files/` those of former versions.
`&&` stands between commands that run one after the other; the last one is compared.
"""

from __future__ import annotations

import shlex

_SETS = "--dev dev.csv --test test.csv"
_FACE = f"{_SETS} --system face"
_PAIR = f"{_SETS} --systems face,voice"
_BARE = "--dev dev-bare.csv --test test-bare.csv"
_SAME = "--dev dev.csv --test same-people.csv --system face"
_COUNTS = "--dev files/dev.ftc --test files/test.ftc"
_COARSE = "--dev files/coarse-dev.ftc --test files/coarse-test.ftc"
_LARGE = "--dev large-dev.csv --test test.csv --memory 64MB"
_PEOPLE = f"{_FACE} --people people.csv"
_TRIALS = "--impostor 112000 --genuine 400"
_CELLS = "--n 20 --m 2,4 --pi .1 --rho .1,.3 --datasets 20 --resamples 20 --workers 1"
_FEW = "--resamples 200"
_PNG = "--out new.png --dpi 30"

_CRITERIA = {
    "wer-min": ".3",
    "wer-equal": ".3",
    "hter-min": "",
    "far": ".05",
    "frr": ".05",
    "far-at-most": ".05",
    "frr-at-most": ".05",
    "precision": ".7",
    "recall": ".8",
    "sensitivity": ".8",
    "specificity": ".8",
    "precision-at-least": ".7",
    "recall-at-least": ".8",
    "sensitivity-at-least": ".8",
    "specificity-at-least": ".8",
    "break-even": "",
    "precision-recall": ".3",
    "f1": "",
    "dcf": "",
}
"""Criteria, and the alpha that each is tried with."""
_FUSIONS = shlex.split(
    "mean weighted-mean product min max median logistic lda qda gmm svm-linear svm-rbf mlp "
    "client-threshold client-scores client-weights client-qda"
)
_NORMALISATIONS = shlex.split("z min-max median-mad tanh double-sigmoid z-norm f-norm eer-norm")
_SAVED_FUSIONS = shlex.split("mean logistic qda svm-rbf mlp client-weights")
_SAVED_CALIBRATIONS = shlex.split("logistic pav gaussian kde")
_MEASURES = shlex.split(
    "hter far frr wer dcf class-error precision recall f1 sensitivity specificity "
    "cllr cllr-min cllr-cal cllr-raw eer-rocch ece@.1 ece-min@.1 act-dcf@.01 min-dcf@.01"
)

_COMMANDS: dict[str, str] = {
    # evaluate
    "evaluate": f"evaluate {_SETS}",
    "evaluate-measures": f"evaluate {_FACE} " + " ".join(f"--measure {name}" for name in _MEASURES),
    "evaluate-weights": f"evaluate {_FACE} --criterion dcf --dcf 1,.5,2,.5 --measure dcf --measure wer",
    "evaluate-threshold": f"evaluate {_FACE} --threshold 1.25",
    "evaluate-fixed": f"evaluate {_FACE} --resample test --confidence .9",
    "evaluate-resamples": f"evaluate {_FACE} --resamples 50 --seed 7",
    "evaluate-folds": "evaluate --dev dev.csv --folds 4 --seed 3 --measure f1",
    "evaluate-folds-bare": "evaluate --dev dev-bare.csv --folds 3 --system voice --cluster none",
    "evaluate-bare": f"evaluate {_BARE}",
    "evaluate-same-people": f"evaluate {_SAME}",
    "evaluate-same-trials": "evaluate --dev dev.csv --test dev.csv --system face",
    "evaluate-no-errors": "evaluate --dev perfect.csv --test perfect.csv",
    "evaluate-infinite": f"evaluate {_FACE} --criterion frr --alpha 0",
    "evaluate-terms": f"evaluate {_FACE} --terms iso",
    **{
        f"evaluate-cluster-{name}": f"evaluate {_FACE} --cluster {name}"
        for name in ("none", "claim", "subject", "both")
    },
    **{
        f"evaluate-eer-{name}": f"evaluate {_FACE} --eer {name}"
        for name in ("step-low", "step-high", "interpolated", "rocch")
    },
    **{
        f"evaluate-criterion-{name}": f"evaluate {_FACE} --criterion {name}" + (f" --alpha {alpha}" if alpha else "")
        for name, alpha in _CRITERIA.items()
    },
    # evaluate: what it writes
    **{
        f"evaluate-out-{ending}": f"evaluate {_FACE} --out new.{ending}"
        for ending in ("csv", "tsv", "parquet", "md", "tex", "json")
    },
    "evaluate-out-csv-gz": f"evaluate {_FACE} --out new.csv.gz",
    "evaluate-out-csv-zst": f"evaluate {_FACE} --out new.csv.zst",
    **{
        f"evaluate-trials-out-{ending}": f"evaluate {_FACE} --trials-out new.{ending}"
        for ending in ("csv", "tsv", "parquet")
    },
    "evaluate-folds-trials-out": "evaluate --dev dev.csv --folds 4 --system face --trials-out new.csv",
    "evaluate-report": f"evaluate {_FACE} --report new.html --title Ours",
    # evaluate: sources
    "source-bob": "evaluate --dev face-dev.txt --dev voice-dev.txt --test face-test.txt --test voice-test.txt",
    "source-bob5": "evaluate --dev five-dev.txt --test five-test.txt --format bob5",
    "source-tsv-gzip": "evaluate --dev dev.csv.gz --test test.tsv --system face",
    "source-parquet": "evaluate --dev dev.parquet --test test.parquet --system face",
    "source-directory": "evaluate --dev parts-dev --test parts-test --system face --system hand",
    "source-npz": "evaluate --dev dev.npz --test test.npz --system face",
    "source-matrix": "evaluate --dev matrix-dev.csv --test matrix-test.csv",
    "source-matrix-turned": "evaluate --dev matrix-dev.csv --test matrix-test.csv --diagonal --transpose",
    "source-lists": "evaluate --dev lists-dev --test lists-test",
    "source-pairs": "evaluate --dev trials-dev.txt --dev cosine-dev.txt --test trials-test.txt --test cosine-test.txt",
    "source-long": "evaluate --dev dev.csv --test long.csv --system voice",
    "source-written-parquet": "evaluate --dev dev.csv --test files/test.parquet --system face",
    "source-written-npz": "evaluate --dev dev.csv --test files/test.npz --system face",
    "source-written-zstd": "evaluate --dev dev.csv --test files/test.csv.zst --system face",
    "source-written-gzip": "evaluate --dev dev.csv --test files/test.tsv.gz --system face",
    # evaluate: how scores are read
    "read-negate": "evaluate --dev distances.csv --test distances.csv --negate",
    "read-negate-system": "evaluate --dev distances.csv --test distances.csv --negate-system face --system face",
    "read-nan-drop": "evaluate --dev holes.csv --test holes.csv --nan drop",
    "read-nan-reject": "evaluate --dev holes.csv --test holes.csv --nan reject --system face",
    "read-columns": (
        "evaluate --dev columns.csv --test columns.csv --column claim=WHO --column subject=REALLY --column label=KIND "
        "--column score=MARK --column other=HEIGHT --label genuine=target --label impostor=nontarget"
    ),
    "read-genuine-by-label": "evaluate --dev dev.csv --test contradictions.csv --genuine-by label --system face",
    "read-genuine-by-ids": "evaluate --dev dev.csv --test contradictions.csv --genuine-by ids --system face",
    "read-person": "evaluate --dev recordings.csv --test recordings.csv --person '^[^/]+' --system face",
    "read-name": "evaluate --dev face-dev.txt --test voice-test.txt --name mine --max-size 500M",
    "read-common": (
        "evaluate --dev face-dev.txt --dev voice-dev.txt --test face-test.txt --test voice-fewer.txt --common"
    ),
    # in pieces, and from counts
    "pieces-evaluate": f"evaluate {_LARGE}",
    "pieces-evaluate-bare": f"evaluate {_LARGE} --system face --cluster none --criterion far --alpha .1 --measure f1",
    "pieces-epc": f"epc {_LARGE} --points 5",
    "pieces-calibrate": f"calibrate {_LARGE} --system face",
    "counts-evaluate": f"evaluate {_COUNTS} --measure f1",
    "counts-evaluate-far": f"evaluate {_COUNTS} --system voice --criterion far --alpha .05 --eer interpolated",
    "counts-evaluate-coarse": f"evaluate {_COARSE} --measure f1",
    "counts-evaluate-several": (
        "evaluate --dev files/part-0.ftc --dev files/part-1.ftc --test files/dev.ftc --system hand"
    ),
    "counts-evaluate-out": f"evaluate {_COARSE} --out new.csv",
    "counts-epc": f"epc {_COUNTS} --points 5",
    "counts-epc-coarse": f"epc {_COARSE} --points 5 --measure far",
    "counts-compare": f"compare {_COUNTS}",
    "counts-compare-reference": f"compare {_COUNTS} --reference voice --criterion wer-min --alpha .3 --measure frr",
    "count": "count test.csv --out new.ftc",
    "count-thresholds": "count test.csv --thresholds face=.91,1.2 --thresholds voice=1.18 --out new.ftc",
    "count-coarse": "count many-dev.csv --precision .5 --out new.ftc",
    "count-parts": "count 'part-dev-*.csv' --out new.ftc && evaluate --dev new.ftc --test files/test.ftc",
    "count-together": "count lists-dev/genuine.txt lists-dev/impostor.txt --together --out new.ftc",
    "count-coarse-evaluate": (
        "count many-dev.csv --precision .5 --out dev.ftc && count many-test.csv --precision .5 --out test.ftc && "
        "evaluate --dev dev.ftc --test test.ftc"
    ),
    "count-watched-evaluate": (
        "count test.csv --thresholds face=.91 --out new.ftc && evaluate --dev files/dev.ftc --test new.ftc "
        "--system face"
    ),
    "merge": "merge files/part-1.ftc files/part-0.ftc --out new.ftc",
    "merge-evaluate": "merge 'files/part-*.ftc' --out new.ftc && evaluate --dev new.ftc --test files/test.ftc",
    # operating points
    "operating-points": f"operating-points {_SETS} --far .1,.01",
    "operating-points-folds": "operating-points --dev dev.csv --folds 4 --far .1 --system face",
    "operating-points-fixed": f"operating-points {_FACE} --far .05 --resample test --cluster claim --confidence .9",
    "operating-points-bare": f"operating-points {_BARE} --far .05 --seed 2 --out new.csv",
    # expected performance curves
    "epc": f"epc {_SETS} --points 5",
    "epc-bands": f"epc {_FACE} --points 5 --bands pointwise",
    "epc-bands-simultaneous": f"epc {_FACE} --points 5 --bands simultaneous --resamples 200 --seed 4",
    "epc-bands-fixed": (
        f"epc {_FACE} --points 5 --bands pointwise --resample test --cluster claim --no-areas --confidence .9"
    ),
    "epc-bands-bootstrap": (
        f"epc {_FACE} --points 3 --bands pointwise --band-method bootstrap --resamples 60 --workers 2"
    ),
    "epc-bands-bootstrap-all": (
        f"epc {_BARE} --system face --points 3 --bands simultaneous --band-method bootstrap {_FEW}"
    ),
    "epc-folds": "epc --dev dev.csv --folds 4 --points 5 --bands pointwise",
    "epc-folds-compare": "epc --dev dev.csv --folds 4 --points 5 --compare face,voice",
    "epc-compare": f"epc {_SETS} --points 5 --compare face,voice {_FEW}",
    "epc-compare-simultaneous": f"epc {_SETS} --points 5 --compare face,hand --simultaneous {_FEW}",
    **{
        f"epc-compare-{name}": f"epc {_SETS} --points 3 --compare face,voice --method {name} {_FEW} --resample test"
        for name in ("bootstrap", "dependent", "independent")
    },
    "epc-areas": (
        f"epc {_FACE} --points 3 --range .3 .9 --criterion precision --measure recall --areas precision,recall"
    ),
    "epc-areas-step": (
        f"epc {_FACE} --points 3 --range .05 .3 --convention step --compare face,voice --system voice {_FEW}"
    ),
    "epc-pool": f"epc {_SETS} --points 5 --pool --no-areas",
    "epc-dcf": f"epc {_FACE} --points 3 --measure dcf --dcf 1,.5,2,.5 --no-areas",
    "epc-out": f"epc {_SETS} --points 3 --bands pointwise --out new.parquet",
    # comparison
    "compare": f"compare {_SETS} {_FEW}",
    "compare-two": f"compare {_PAIR}",
    "compare-same-people": f"compare --dev dev.csv --test same-people.csv --systems voice,hand {_FEW}",
    "compare-bare": f"compare {_BARE} {_FEW} --correction bh",
    "compare-correction": f"compare {_SETS} {_FEW} --correction none --cluster claim",
    "compare-reference": f"compare {_SETS} {_FEW} --reference hand --alternative less",
    "compare-margin": f"compare {_PAIR} {_FEW} --margin .1 --alternative greater --confidence .9",
    "compare-criterion": f"compare {_PAIR} {_FEW} --criterion far --alpha .05 --measure frr --seed 5 --workers 2",
    "compare-evidence": f"compare {_PAIR} {_FEW} --measure cllr",
    "compare-f1": f"compare {_PAIR} {_FEW} --measure f1",
    "compare-dcf": f"compare {_PAIR} {_FEW} --criterion dcf --measure dcf --dcf 1,.5,2,.5",
    "compare-folds": f"compare --dev dev.csv --folds 4 {_FEW} --5x2cv",
    "compare-out": f"compare {_SETS} {_FEW} --out new.csv",
    "compare-report": f"compare {_PAIR} {_FEW} --report new.html",
    # groups
    "groups": f"groups {_PEOPLE} --by sex",
    "groups-device": f"groups {_FACE} --by device --seed 2",
    "groups-folds": "groups --dev test.csv --system face --by device --folds 4 --own-thresholds",
    "groups-crossed": (
        f"groups {_FACE} --people names.csv --person-column name --by sex,age --edges age=40 --resample test"
    ),
    "groups-own-thresholds": f"groups {_PEOPLE} --by sex --own-thresholds --factor 3 --weight .3 --cluster claim",
    "groups-criterion": f"groups {_PEOPLE} --by age --edges age=40 --criterion far --alpha .1 --out new.csv",
    "groups-columns": f"groups {_FACE} --by town --impostor-by town2",
    "groups-dcf": f"groups {_PEOPLE} --by sex --criterion dcf --dcf 1,.5,2,.5 --confidence .9",
    "groups-report": f"groups {_PEOPLE} --by sex --report new.html",
    # published rates
    "interval-rates": f"interval rates --far .0115 --frr .025 {_TRIALS} --measure all",
    "interval-rates-counts": f"interval rates --false-accepts 1285 --false-rejects 10 {_TRIALS} --out new.tex",
    "interval-rates-none": (
        f"interval rates --false-accepts 0 --false-rejects 0 {_TRIALS} --measure frr --confidence .9"
    ),
    "interval-rates-wer": f"interval rates --far .01 --frr .02 {_TRIALS} --measure wer --alpha .2",
    "interval-rates-dcf": f"interval rates --far .01 --frr .02 {_TRIALS} --measure dcf --dcf 1,.1,1,.9",
    "compare-rates": f"compare-rates --a .0115 .025 --b .0195 .0275 {_TRIALS}",
    "compare-rates-dependent": (
        f"compare-rates --a .0115 .025 --b .0195 .0275 {_TRIALS} --discordant 1500 600 8 7 --alternative less"
    ),
    "compare-rates-counts": (
        f"compare-rates --a-counts 1285 10 --b-counts 2184 11 {_TRIALS} --measure frr --out new.csv"
    ),
    "compare-rates-wer": f"compare-rates --a .01 .02 --b .02 .01 {_TRIALS} --measure wer --alpha .2",
    "compare-rates-dcf": f"compare-rates --a .01 .02 --b .02 .01 {_TRIALS} --measure dcf --dcf 1,.1,1,.9",
    "eer-bound": "eer-bound .0013 .0058 --trials 719400",
    "eer-bound-names": (
        "eer-bound TAN=.0057 MA=.0007 BASTYS=0 --trials 285390 --eer-m .0058 --p-value .05 --correction bh --out new.md"
    ),
    "mcnemar": "mcnemar --b 26055 --c 26707",
    "mcnemar-few": "mcnemar --b 3 --c 9 --out new.csv",
    # people tested several times
    "interval-individuals": "interval individuals counts-a.csv",
    "interval-individuals-all": (
        "interval individuals counts-a.csv --method bb-ml --method sb --method brr --resamples 100 --seed 3"
    ),
    "interval-individuals-exact": "interval individuals counts-b.csv --resamples 0 --confidence .9 --out new.csv",
    "interval-individuals-none": "interval individuals no-errors.csv",
    "interval-individuals-scores": (
        "interval individuals test.csv --system face --threshold .9 --error far --by subject"
    ),
    "interval-individuals-frr": "interval individuals test.csv --system voice --threshold .9 --resamples 50",
    "test-individuals": "test individuals counts-a.csv --rate .1",
    "test-individuals-two": "test individuals counts-a.csv counts-b.csv --alternative less --confidence .9",
    "test-individuals-paired": "test individuals counts-a.csv counts-b.csv --paired --out new.csv",
    "test-fit": "test fit counts-a.csv --resamples 20",
    "test-fit-one": "test fit counts-b.csv --model beta-binomial --resamples 20 --seed 2 --out new.csv",
    "coverage": f"coverage {_CELLS}",
    "coverage-exact": "coverage --n 30 --m 2 --pi .1 --rho .2 --exact --claims",
    "coverage-beta-binomial": f"coverage {_CELLS} --generator beta-binomial --method lbb --method bb-ml --seed 2",
    "coverage-quick": "coverage --grid quick --n 50 --m 2 --datasets 10 --resamples 10 --workers 1 --confidence .9",
    "coverage-like": "coverage --like counts-a.csv --datasets 20 --resamples 20",
    "coverage-journal": f"coverage {_CELLS} --out files/resumed.csv",
    "coverage-out": f"coverage {_CELLS} --out new.parquet",
    "coverage-report": f"coverage {_CELLS} --report new.html",
    "plan-half-width": "plan --pi .05 --rho .1 --half-width .02 --attempts 5",
    "plan-logit": "plan --pi .05 --half-width .5 --scale logit --individuals 200 --seed 2",
    "plan-below": "plan --pi .02 --rho .1 --below .06 --person-cost 10",
    "plan-below-none": "plan --pi 0 --below .05 --attempts 2 --confidence .9",
    "plan-two-systems": "plan --a .03 .05 --b .06 .10 --attempts 4 --impostor-attempts 20 --correlation .5",
    "plan-two-unpaired": "plan --a .03 .05 --b .06 .10 --unpaired --individuals 100 --attempts 3 --rho .1 --power .9",
    "plan-two-impostors": (
        "plan --a .03 .05 --b .06 .10 --attempts 4 --impostor-attempts 20 --impostors 25 "
        "--rho-impostor .01 --out new.csv"
    ),
    # calibration
    "calibrate": f"calibrate {_SETS}",
    **{f"calibrate-{name}": f"calibrate {_FACE} --method {name}" for name in ("pav", "gaussian", "kde")},
    "calibrate-prior": f"calibrate {_FACE} --prior .1 --cluster claim --confidence .9",
    "calibrate-fuse": f"calibrate {_SETS} --fuse --dcf .01,10,1 --dcf sre18",
    "calibrate-bare": f"calibrate {_BARE} --correction bh --dcf .05",
    "calibrate-partition": f"calibrate {_FACE} --partition device --dcf .1",
    "calibrate-out": f"calibrate {_FACE} --scores-out new.csv --out table.csv",
    "calibrate-save": (
        f"calibrate {_FACE} --save saved.json && calibrate --model saved.json --test same-people.csv --system face"
    ),
    "calibrate-report": f"calibrate {_FACE} --report new.html --seed 3",
    **{
        f"calibrate-model-{name}": f"calibrate --model files/calibration-{name}.json --test test.csv"
        for name in _SAVED_CALIBRATIONS
    },
    "calibrate-model-fused": "calibrate --model files/calibration-fused.json --test test.csv --scores-out new.parquet",
    # fusion
    **{f"fuse-{name}": f"fuse {_PAIR} --normalise min-max --fusion {name}" for name in _FUSIONS},
    **{f"fuse-normalise-{name}": f"fuse {_PAIR} --normalise {name}" for name in _NORMALISATIONS},
    "fuse-all": f"fuse {_SETS} --criterion wer-min --alpha .3 --confidence .9",
    "fuse-folds": f"fuse {_PAIR} --fusion logistic --inner folds --inner-folds 3 --seed 2",
    "fuse-held-out": "fuse --dev dev.csv --folds 4 --systems face,voice --fusion logistic --scores-out new.csv",
    "fuse-fitted": f"fuse {_PAIR} --fusion logistic --inner none",
    "fuse-missing-neutral": "fuse --dev dev.csv --test holes.csv --systems face,voice --nan reject --missing neutral",
    "fuse-missing-reject": "fuse --dev dev.csv --test holes.csv --systems face,voice --nan reject --missing reject",
    "fuse-out": f"fuse {_PAIR} --scores-out new.csv --out table.tsv",
    "fuse-save": f"fuse {_PAIR} --fusion lda --save saved.json && fuse --model saved.json --test same-people.csv",
    "fuse-report": f"fuse {_PAIR} --report new.html",
    **{
        f"fuse-model-{name}": f"fuse --model files/fusion-{name}.json --test test.csv"
        for name in (*_SAVED_FUSIONS, *_NORMALISATIONS[1:])
    },
    "predict": f"predict {_SETS} --normalise z",
    "predict-dev": "predict --dev dev.csv --systems face,voice,hand --largest 2 --out new.csv",
    "chimeric": f"chimeric {_FACE} --system voice --move voice --assignments 5",
    "chimeric-two-files": (
        "chimeric --dev face-dev.txt --test face-test.txt --other-dev voice-dev.txt --other-test voice-test.txt "
        "--assignments 5 --fusion logistic --normalise z --seed 2 --confidence .9 --out new.csv"
    ),
    # benchmarks
    "benchmark": "benchmark --data lab",
    "benchmark-full": "benchmark --data lab --protocol fp-full --set P1 --normalise z --criterion wer-min --alpha .3",
    "benchmark-intramodal": "benchmark --data lab --protocol fp-intramodal --confidence .9 --missing reject",
    "benchmark-multimodal": (
        "benchmark --data lab --protocol fp-multimodal --fusion logistic --inner folds --inner-folds 3 --seed 2"
    ),
    "benchmark-listed": "benchmark --data lab --protocol ours --out new.csv",
    "benchmark-methods": "benchmark --data lab --fusion mean,max --pooled 3",
    "benchmark-splits": "benchmark --data dealt",
    "benchmark-outside": "benchmark --data outside --outside --set P1",
    "benchmark-report": "benchmark --data lab --set P1 --report new.html",
    "datasets": "datasets",
    "datasets-one": "datasets lausanne",
    # files
    "convert-parquet": "convert dev.csv --out new.parquet",
    "convert-npz": "convert dev.csv --out new.npz && convert new.npz --out new.csv",
    "convert-tsv-gz": "convert dev.csv --out new.tsv.gz",
    "convert-csv-zst": "convert dev.csv --out new.csv.zst",
    "convert-bob": "convert dev.csv --system face --out new.txt && convert new.txt --out new.csv",
    "convert-bob5": "convert five-dev.txt --to bob5 --out new.txt && convert new.txt --out new.csv",
    "convert-several": "convert face-dev.txt voice-dev.txt --out new.csv",
    "demo": "demo new",
    "formats": "formats",
    "criteria": "criteria",
    "measures": "measures",
    "completion": "completion bash",
    "completion-zsh": "completion zsh",
    "completion-fish": "completion fish",
    "version": "--version",
    "help": "--help",
    "help-evaluate": "evaluate --help",
    "help-explore": "explore --help",
    "help-plot": "plot det --help",
    # figures: only that the file is written
    "plot-det": f"plot det {_SETS} {_PNG}",
    "plot-det-svg": "plot det --dev dev.csv --folds 4 --system face --terms iso --title Ours --out new.svg",
    "plot-roc": f"plot roc {_SETS} --limit .5 --eer rocch {_PNG}",
    "plot-precision-recall": f"plot precision-recall {_FACE} --low .2 {_PNG}",
    "plot-epc": f"plot epc {_SETS} --points 5 --bands simultaneous --mark .5 {_PNG}",
    "plot-epc-pdf": f"plot epc {_SETS} --points 5 --pool --out new.pdf --width 5 --height 4",
    "plot-epc-compare": f"plot epc-compare {_PAIR} --points 5 --resamples 50 {_PNG}",
    "plot-epc-significance": f"plot epc-significance {_PAIR} --points 5 --resamples 50 --levels .05,.95 {_PNG}",
    "plot-pooled-epc": f"plot pooled-epc --data lab --fusion mean,max --points 3 --bands pointwise --compare {_PNG}",
    "plot-pooled-epc-groups": f"plot pooled-epc --data lab --points 3 {_PNG}",
    "plot-bootstrap": f"plot bootstrap {_PAIR} --resamples 100 --method bca --cluster none {_PNG}",
    "plot-scatter": f"plot scatter {_PAIR} --points 50 {_PNG}",
    "plot-correlation": f"plot correlation --dev dev.csv --systems face,voice {_PNG}",
    "plot-diagnostic": f"plot diagnostic {_FACE} --bins 20 {_PNG}",
    "plot-bayes-error": f"plot bayes-error {_FACE} --raw --bands pointwise {_PNG}",
    "plot-ece": f"plot ece {_FACE} --method pav --raw {_PNG}",
    "plot-tippett": f"plot tippett {_SETS} --fuse {_PNG}",
    "plot-pav": f"plot pav {_FACE} --scores --resamples 20 {_PNG}",
    "plot-llr-map": f"plot llr-map {_FACE} --method logistic --method pav --resamples 20 {_PNG}",
    "plot-hter-density": f"plot hter-density --far .01 --frr .02 --impostor 112000 --genuine 400 {_PNG}",
    "plot-hter-sd": f"plot hter-sd --far .01 --frr .02 --genuine 400 --most 300 {_PNG}",
    "plot-coverage": f"plot coverage files/coverage.parquet {_PNG}",
    "plot-coverage-study": f"plot coverage study.csv --n 100 --method lbb {_PNG}",
    "plot-coverage-run": f"plot coverage {_CELLS} {_PNG}",
    "plot-hook": f"plot hook files/coverage.parquet --n 20 --rho .1 {_PNG}",
    "plot-fit": f"plot fit counts-a.csv --resamples 5 {_PNG}",
    "plot-eer-bound": f"plot eer-bound .0007 .0008 0 --trials 285390 {_PNG}",
    "plot-plan": f"plot plan --pi .02 --rho .1 --half-width .005 {_PNG}",
    "plot-plan-power": f"plot plan --a .01 .02 --b .015 .03 --attempts 4 {_PNG}",
    "plot-groups": f"plot groups {_PEOPLE} --by sex --sort far {_PNG}",
    "plot-group-matrix": f"plot group-matrix {_PEOPLE} --by sex {_PNG}",
    "plot-group-det": f"plot group-det {_PEOPLE} --by sex --group f {_PNG}",
    "plot-group-epc": f"plot group-epc {_FACE} --by device --points 3 --measure far {_PNG}",
    "plot-hook-run": f"plot hook {_CELLS.replace('.1,.3', '.1')} --method lbb {_PNG}",
    "plot-zoo": f"plot zoo {_FACE} --shows errors --by subject {_PNG}",
}

_REFUSED: dict[str, str] = {
    "no-file": "evaluate --dev none.csv --test test.csv",
    "no-command": "evaluat",
    "no-option": f"evaluate {_SETS} --fold 3",
    "no-test": "evaluate --dev dev.csv",
    "broken-table": "evaluate --dev broken.csv --test broken.csv",
    "broken-counts": "evaluate --dev broken.ftc --test broken.ftc",
    "broken-fusion": "fuse --model broken.json --test test.csv",
    "broken-calibration": "calibrate --model broken.json --test test.csv",
    "one-class": "evaluate --dev one-class.csv --test one-class.csv",
    "nan": "evaluate --dev holes.csv --test holes.csv",
    "contradictions": "evaluate --dev dev.csv --test contradictions.csv",
    "not-common": "evaluate --dev face-dev.txt --dev voice-dev.txt --test face-test.txt --test voice-fewer.txt",
    "labels": "evaluate --dev columns.csv --test columns.csv",
    "no-system": f"evaluate {_SETS} --system ear",
    "other-systems": "evaluate --dev dev.csv --test matrix-test.csv",
    "no-format": f"evaluate {_SETS} --format xls",
    "option-of-another-format": f"evaluate {_SETS} --diagonal",
    "no-criterion": f"evaluate {_SETS} --criterion best",
    "no-target": f"evaluate {_SETS} --criterion far",
    "no-measure": f"evaluate {_SETS} --measure best",
    "confidence": f"evaluate {_SETS} --confidence 95",
    "seed": f"evaluate {_SETS} --seed -1",
    "cluster-without-ids": f"evaluate {_BARE} --cluster both",
    "threshold-and-criterion": f"evaluate {_SETS} --threshold 1 --criterion far --alpha .1",
    "test-and-folds": f"evaluate {_SETS} --folds 3",
    "memory": f"evaluate {_SETS} --memory 1MB",
    "title-without-page": f"evaluate {_SETS} --title Ours",
    "out-ending": f"evaluate {_SETS} --out new.xlsx",
    "out-directory": f"evaluate {_SETS} --out none/new.csv",
    "out-over-input": f"evaluate {_SETS} --out dev.csv",
    "trials-out-ending": f"evaluate {_SETS} --trials-out new.md",
    "counts-folds": "evaluate --dev files/dev.ftc --folds 3",
    "counts-trials-out": f"evaluate {_COUNTS} --trials-out new.csv",
    "counts-bands": f"epc {_COUNTS} --bands pointwise",
    "counts-negate": f"evaluate {_COUNTS} --negate",
    "counts-precision": "evaluate --dev files/dev.ftc --test files/coarse-test.ftc --system face",
    "count-ending": "count dev.csv --out new.csv",
    "count-precision": "count dev.csv --precision 2 --out new.ftc",
    "merge-scores": "merge dev.csv --out new.ftc",
    "merge-over-input": "merge files/dev.ftc --out files/dev.ftc",
    "operating-points-counts": f"operating-points {_COUNTS}",
    "epc-points": f"epc {_SETS} --points 1",
    "epc-compare-one": f"epc {_SETS} --compare face",
    "epc-areas-one": f"epc {_SETS} --areas precision",
    "epc-method-without-compare": f"epc {_SETS} --method dependent",
    "compare-one": f"compare {_SETS} --systems face",
    "compare-no-reference": f"compare {_SETS} --reference ear",
    "compare-5x2cv": f"compare {_SETS} --5x2cv",
    "compare-correction": f"compare {_SETS} --correction best",
    "groups-no-column": f"groups {_FACE} --by sex",
    "groups-edges": f"groups {_PEOPLE} --by sex --edges sex=3",
    "interval-rates-no-rate": f"interval rates --far 1.5 --frr 0 {_TRIALS}",
    "interval-rates-dcf": f"interval rates --far .1 --frr .1 {_TRIALS} --dcf 10,.01,1,.99",
    "interval-individuals-scores": "interval individuals test.csv",
    "interval-individuals-method": "interval individuals counts-a.csv --method best",
    "compare-rates-both": f"compare-rates --a .01 .02 --a-counts 1 2 --b .01 .02 {_TRIALS}",
    "eer-bound-trials": "eer-bound .01 .02 --trials 0",
    "mcnemar": "mcnemar --b -3 --c 9",
    "test-individuals-rate": "test individuals counts-a.csv",
    "test-fit-model": "test fit counts-a.csv --model normal",
    "coverage-like": "coverage --like counts-a.csv --n 20",
    "coverage-journal": f"coverage {_CELLS} --seed 9 --out files/resumed.csv",
    "plan-nothing": "plan --pi .02",
    "plan-too-few": "plan --pi .02 --rho .1 --half-width .005 --individuals 200",
    "calibrate-method": f"calibrate {_SETS} --method best",
    "calibrate-save-several": f"calibrate {_SETS} --save saved.json",
    "calibrate-no-dev": "calibrate --test test.csv",
    "fuse-method": f"fuse {_SETS} --fusion best",
    "fuse-one": f"fuse {_FACE}",
    "fuse-model-options": "fuse --model files/fusion-mean.json --test test.csv --fusion max",
    "fuse-missing": "fuse --dev dev.csv --test holes.csv --systems face,voice --nan reject",
    "fuse-two-results": f"fuse {_PAIR} --out new.csv --table new.csv",
    "predict-largest": "predict --dev dev.csv --largest 1",
    "chimeric-no-move": f"chimeric {_SETS}",
    "benchmark-nothing": "benchmark --data nothing",
    "benchmark-outside": "benchmark --data outside",
    "benchmark-pooled": "benchmark --data lab --pooled 3",
    "datasets-none": "datasets nothing",
    "convert-bare-to-bob": "convert dev-bare.csv --system face --out new.txt",
    "convert-ending": "convert dev.csv --out new.doc",
    "completion-shell": "completion csh",
    "explore-no-file": "explore none.csv --no-browser",
    "plot-ending": f"plot det {_SETS} --out new.gif",
    "plot-no-figure": f"plot pie {_SETS} --out new.png",
    "plot-no-out": "plot hter-sd",
    "plot-one-system": f"plot zoo {_SETS} {_PNG}",
    "plot-hook-cells": f"plot hook study.csv {_PNG}",
}

CASES: dict[str, list[str]] = {name: shlex.split(command) for name, command in _COMMANDS.items()}
"""Commands whose answers are kept in `golden/`."""
REFUSED: dict[str, list[str]] = {name: shlex.split(command) for name, command in _REFUSED.items()}
"""Commands that end with exit code 2, print nothing and write nothing."""
