#!/bin/sh
# How the files beside this were written, by fairtrial at commit db824e4, in a folder of the inputs (see inputs.py).
# They stand for files that users have. Do not write them anew: newer code must still read these.
set -e
fairtrial count dev.csv --out files/dev.ftc
fairtrial count test.csv --thresholds face=0.91 --out files/test.ftc
fairtrial count many-dev.csv --precision .5 --out files/coarse-dev.ftc
fairtrial count many-test.csv --precision .5 --out files/coarse-test.ftc
fairtrial count part-dev-0.csv --out files/part-0.ftc
fairtrial count part-dev-1.csv part-dev-2.csv --out files/part-1.ftc
for method in mean logistic qda svm-rbf mlp client-weights; do
    fairtrial fuse --dev dev.csv --test test.csv --systems face,voice --normalise z --fusion $method --save files/fusion-$method.json
done
for norm in min-max median-mad tanh double-sigmoid z-norm f-norm eer-norm; do
    fairtrial fuse --dev dev.csv --test test.csv --systems face,voice --normalise $norm --save files/fusion-$norm.json
done
for method in logistic pav gaussian kde; do
    fairtrial calibrate --dev dev.csv --test test.csv --system face --method $method --save files/calibration-$method.json
done
fairtrial calibrate --dev dev.csv --test test.csv --fuse --save files/calibration-fused.json
fairtrial convert test.csv --out files/test.parquet
fairtrial convert test.csv --out files/test.csv.zst
fairtrial convert test.csv --out files/test.tsv.gz
fairtrial convert test.csv --out files/test.npz
fairtrial coverage --n 20,30 --m 2,4 --pi .1 --rho .1,.3 --datasets 20 --resamples 20 --workers 1 --out files/coverage.parquet
# resumed.csv.journal: the journal of the case "coverage-journal", stopped after two of its four cells. The coverage of
# its first row was then set to 0.125, and the checksum of that line corrected, to see that the journal is used.
