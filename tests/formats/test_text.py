"""What a text file says is what is read: nothing is swallowed, merged or taken for missing."""

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pytest

from fairtrial.core.errors import FairtrialError
from fairtrial.core.trials import Trials
from fairtrial.formats.read import read_trials
from fairtrial.formats.text import ArrowTexts


def read(folder: Path, text: str | bytes, name: str = "a.csv", **options: Any) -> Trials:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_trials(path, **options)


def refused(folder: Path, text: str | bytes, name: str = "a.csv", **options: Any) -> str:
    with pytest.raises(FairtrialError) as caught:
        read(folder, text, name, **options)
    return str(caught.value)


def test_an_unclosed_quote_swallows_nothing(tmp_path: Path) -> None:
    rows = ["label,score,remark", "1,.9,ok", '0,.1,"noisy', "1,.8,ok", "0,.2,ok"]
    message = refused(tmp_path, "\n".join(rows) + "\n")
    assert "a.csv, line 3: " in message
    assert "quote" in message


@pytest.mark.parametrize("last", ["", "\n", "\r\n"])
def test_an_unclosed_quote_in_the_last_line_is_refused_too(tmp_path: Path, last: str) -> None:
    assert "never closed" in refused(tmp_path, f'label,score,remark\n1,.9,ok\n0,.1,"noisy{last}')


def test_two_unclosed_quotes_that_close_each_other_swallow_nothing(tmp_path: Path) -> None:
    rows = ["label,score,remark"] + ["1,.9,ok", "0,.1,ok"] * 100
    rows[50] += '"'
    rows[50] = rows[50].replace("ok", '"ok').removesuffix('"')
    rows[150] = rows[150].removesuffix("ok") + '"'
    assert "a.csv, line 51: a cell in quotes goes over 101 lines" in refused(tmp_path, "\n".join(rows))


def test_quotes_that_close_are_read(tmp_path: Path) -> None:
    text = 'label,score,remark\n1,.9,"a ""b"", c"\n"0",".1","two\nlines"\n1,.8,5" disk\n'
    trials = read(tmp_path, text)
    assert trials.scores[:, 0].tolist() == [0.9, 0.1, 0.8]
    remark = trials.columns["remark"]
    assert not isinstance(remark, np.ndarray)
    assert remark.decode().tolist() == ['a "b", c', "two\nlines", '5" disk']


@pytest.mark.parametrize("number", ["1e400", "-1e400", "9007199254740993", "-18014398509481985"])
def test_a_score_that_a_float_cannot_hold_is_refused(tmp_path: Path, number: str) -> None:
    message = refused(tmp_path, f"label,score\n1,.9\n0,{number}\n")
    assert "a.csv, line 3" in message
    assert number in message
    assert number in refused(tmp_path, f"a a p 1\na b p {number}\n", "a.txt")


def test_large_scores_that_a_float_can_hold_are_read(tmp_path: Path) -> None:
    expected = ["1e300", "9007199254740992", "18014398509481984", "-inf", "inf", "-Infinity"]
    trials = read(tmp_path, "label,score\n" + "".join(f"{k % 2},{text}\n" for k, text in enumerate(expected)))
    assert trials.scores[:, 0].tolist() == [float(text) for text in expected]


@pytest.mark.parametrize("ending", [".csv", ".txt"])
def test_nul_far_down_a_file_is_refused_with_its_line(tmp_path: Path, ending: str) -> None:
    rows = ["anna anna p 0.5", "anna bert p 0.25"] * 8000 + ["an\x00na an\x00na p 0.75"]
    text = "\n".join(rows)
    if ending == ".csv":
        text = "claim subject probe score\n" + text
        text = text.replace(" ", ",")
    assert f"line {16_001 + (ending == '.csv')}: holds a NUL" in refused(tmp_path, text, f"a{ending}")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_named(tmp_path: Path, encoding: str) -> None:
    assert "is UTF-16 text; save it as UTF-8" in refused(tmp_path, "label,score\n1,.9\n0,.1\n".encode(encoding))


def test_quotes_mean_nothing_in_bob_files_with_tabs_or_spaces(tmp_path: Path) -> None:
    lines = ['"a a p .5', "a b p .25", 'b" b p .125', "b a p .5", 'c" c" p .75']
    spaces, tabs = (read(tmp_path, "\n".join(lines).replace(" ", by), "a.txt") for by in (" ", "\t"))
    assert len(tabs) == len(spaces) == 5
    assert tabs.genuine.tolist() == spaces.genuine.tolist() == [False, False, False, False, True]
    assert tabs.ids["claim"].decode().tolist() == ['"a', "a", 'b"', "b", 'c"']


def test_an_empty_id_of_a_bob_file_with_tabs_is_refused(tmp_path: Path) -> None:
    assert "a.txt, row 2: claim is empty" in refused(tmp_path, "a\tb\tp\t.5\n\t\tp\t.5\n", "a.txt")


def test_an_odd_cell_in_quotes_is_read_by_arrow_and_slowly_alike(tmp_path: Path) -> None:
    rows = "".join(f'"c{k}","c{k}","p{k}",{k}.5\n' for k in range(4000))
    trials = read(tmp_path, "claim,subject,probe,score\n" + rows)
    assert trials.scores[:, 0].tolist() == (np.arange(4000) + 0.5).tolist()
    assert trials.ids["probe"].decode()[3999] == "p3999"


def test_rows_are_taken_from_texts_in_several_pieces() -> None:
    import pyarrow as pa

    pieces = [pa.array(["a", "b"]), pa.array([], pa.string()), pa.array(["c"]), pa.array(["d", "e"])]
    texts = ArrowTexts(pa.chunked_array(pieces))
    for rows in ([0, 1, 2, 3, 4], [1, 4], [4], [], [3, 0], [2, 2]):
        assert texts[np.array(rows, dtype=np.int64)].decode().tolist() == ["abcde"[row] for row in rows]
    assert texts[np.array([True, False, False, True, False])].decode().tolist() == ["a", "d"]


@pytest.mark.parametrize("delimiter", [" ", "\t"])
def test_a_comment_with_as_many_columns_as_a_trial_is_no_trial(tmp_path: Path, delimiter: str) -> None:
    rows = [f"u{k} A07 {word} {k}.5" for k, word in enumerate(["bonafide", "spoof", "bonafide"] * 9000)]
    rows.insert(14_000, "# A07 spoof 99.5")
    trials = read(tmp_path, "\n".join(rows).replace(" ", delimiter), "a.txt")
    assert len(trials) == 27_000
    assert trials.scores.max() == 26_999.5


PAIRS = [(claim, subject) for claim in "abc" for subject in "abc"]
BOB = "".join(f"{claim} {subject} {subject}-{claim} {int(claim == subject)}.5\n" for claim, subject in PAIRS)


@pytest.mark.parametrize(
    ("files", "comments"),
    [
        ({"a.txt": BOB}, None),
        ({"a.txt": f"# one\n{BOB}"}, "1 line"),
        ({"a.txt": BOB.replace("b c", "# two\n\n  # three\nb c")}, "2 lines"),
        ({"a.txt": f"# one\n{BOB}# last".replace("b c", "# two\nb c")}, "3 lines"),
        ({"a.txt": f"# one\n{BOB}# last".replace(" ", "\t")}, "2 lines"),
        ({"gen.txt": "# one\n1\n# two\n2\n", "imp.txt": "0\n# three\n"}, "3 lines"),
        ({"trials.txt": "a x target\n# one\na y nontarget\n", "s.txt": "1\n0\n"}, "1 line"),
        ({"trials.txt": "a x target\na y nontarget\n", "s.txt": "1\n#two\n0\n"}, "1 line"),
        ({"a.csv": "# one\n\n# two\nclaim,subject,score\na,a,1\na,b,0\n"}, "2 lines"),
    ],
)
def test_comments_are_noted_wherever_they_stand(files: dict[str, str], comments: str | None, tmp_path: Path) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (note,) = [text for text in map(str, read_trials([tmp_path / name for name in files]).notes) if "read as" in text]
    if comments is None:
        assert "comments" not in note
    else:
        assert f"left out: {comments} of comments" in note


@pytest.mark.parametrize("threads", [1, 2])
def test_no_thread_is_started_where_there_is_only_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    readers = set()

    def watched(stream: Any, read_options: Any, **options: Any) -> Any:
        readers.add(threading.current_thread())
        assert not read_options.use_threads
        return read_csv(stream, read_options=read_options, **options)

    read_csv = arrow_csv.read_csv
    monkeypatch.setattr(arrow_csv, "read_csv", watched)
    before = pa.cpu_count()
    pa.set_cpu_count(threads)
    try:
        assert len(read(tmp_path, "label,score\n" + "1,.9\n0,.1\n" * 200_000)) == 400_000
    finally:
        pa.set_cpu_count(before)
    assert (threading.main_thread() in readers) == (threads == 1)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("odd", ["", '"', "\ufeff"])
def test_blocks_of_a_large_table_read_as_the_whole(tmp_path: Path, end: str, odd: str) -> None:
    """Quotes, and what looks like a byte order mark, in the second of several blocks."""
    rows = [f"anna,{'bert' if k % 3 else 'anna'},p{k},{k}.5" for k in range(100_000)]
    rows[70_000:70_000] = [f"{odd}anna{odd.strip(chr(0xFEFF))},anna,p,0.5"] * 30_000
    trials = read(tmp_path, end.join(["claim,subject,probe,score", *rows]))
    assert len(trials) == 130_000
    assert trials.ids["claim"].numbered().names.tolist() == ["anna"]
    assert trials.scores[-1, 0] == 99_999.5


def test_large_scores_in_a_later_block_are_exact(tmp_path: Path) -> None:
    rows = ["a a p 0.5", "a b p 0.25"] * 70_000
    assert read(tmp_path, "\n".join([*rows, "a a p 9007199254740992"]), "a.txt").scores[-1, 0] == 2**53
    message = refused(tmp_path, "\n".join([*rows, "a a p 9007199254740993"]), "a.txt")
    assert "line 140001" in message
    assert "9007199254740993" in message
