"""Text without a header: bob's four and five columns, and lists whose columns are recognised by their cells.

    claim subject probe score                 bob4: genuine if claim and subject are the same
    claim model subject probe score           bob5
    enrol test label score                    SpeechBrain
    enrol test score target|nontarget         WeSpeaker
    utterance attack bonafide|spoof score     ASVspoof; also speaker utterance - attack bonafide|spoof score
    subject claim score ... [label]           the XM2VTS score-fusion benchmark

Columns may be separated by white space, tabs, commas or semicolons, and may be named by their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from fairtrial.core.errors import InputError, OutputError
from fairtrial.core.notes import Note
from fairtrial.core.trials import ID_FIELDS, Trials
from fairtrial.core.words import listed, shown
from fairtrial.formats.files import Head, split_spaces
from fairtrial.formats.identities import SPEAKER, are_speakers, is_file
from fairtrial.formats.sheets import ROLES, ReadOptions, Roles, given_roles, number_of
from fairtrial.formats.table import TextPlan, text_header
from fairtrial.formats.text import Layout, is_number, is_whole, text_column, write_text

COLUMNS = {4: ("claim", "subject", "probe", "score"), 5: ("claim", "model", "subject", "probe", "score")}
_GENUINE = {"1", "+1", "true", "target", "genuine", "client", "bonafide", "bona-fide"}
_SPOOFS = {"bonafide", "bona-fide", "spoof"}
_WORDS = (_GENUINE - {"1", "+1"}) | _SPOOFS | {"false", "nontarget", "non-target", "impostor"}


def matches(heads: Sequence[Head]) -> bool:
    """Tell whether the cells of each file tell labels and scores, or people and scores."""
    return all(
        text_header(head) is None and bool(rows := head.rows[1]) and bool(_guess_roles(rows, {})) for head in heads
    )


def are_spoofs(labels: Iterable[str]) -> bool:
    """Tell whether labels are those of ASVspoof: bonafide or spoof."""
    return {label.lower() for label in labels} <= _SPOOFS


def label_column(rows: Sequence[Sequence[str]]) -> int | None:
    """Give the number of the only column that holds labels, words rather than numbers; None if there is none."""
    looks = [_look(cells) for cells in zip(*rows, strict=True)]
    for kind in ("words", "both"):
        if kind in looks:
            return looks.index(kind) + 1 if looks.count(kind) == 1 else None
    return None


def matches_bob(heads: Sequence[Head]) -> bool:
    """Tell whether each file has four or five columns separated by white space, the last a number."""
    return all(_width(head) in COLUMNS for head in heads)


def _width(head: Head) -> int:
    fields = next(iter(head.fields(1)), [""])
    return len(fields) if is_number(fields[-1]) and "," not in fields[0] and not _is_prose(fields) else 0


def _is_prose(fields: Sequence[str]) -> bool:
    """Tell whether fields stand between a dash and a colon, as in ``a.dat - b.dat: 66.4``."""
    return fields[1:2] == ["-"] and any(field.endswith(":") for field in fields[2:])


def _look(cells: Sequence[str]) -> str:
    """Tell what the cells of a column are: label words, one or both of two numbers, numbers, whole numbers, or text."""
    distinct = {cell.lower() for cell in cells}
    if distinct <= _WORDS:
        return "words"
    if distinct <= {"0", "1"} or distinct <= {"-1", "1", "+1"}:
        return "both" if len(distinct) > 1 else "one"
    if not all(is_number(cell) for cell in distinct):
        return "text"
    return "whole" if all(is_whole(cell) for cell in distinct) else "fraction"


def _guess_roles(rows: Sequence[Sequence[str]], given: dict[int, str], *, labelled: bool = True) -> list[str]:
    """Tell the role of each column by its cells, beside roles that are given; nothing if that is not clear.

    With a key (``labelled=False``) columns before the scores are ids.
    The role of a column that may hold labels or probes is ``?``.
    """
    columns = list(zip(*rows, strict=True))
    width, looks = len(columns), [_look(cells) for cells in columns]
    roles = dict(given)
    free = [k for k in range(width) if k not in given]
    if labelled and "label" not in given.values():
        words, both, one = ([k for k in free if looks[k] == look] for look in ("words", "both", "one"))
        labels = words or both or [k for k in one if k >= max(2, width - 2)]
        if len(labels) > 1:
            return []
        roles |= dict.fromkeys(labels, "label")
    label = next((k for k, role in roles.items() if role == "label"), None)
    free = [k for k in free if k != label]
    if "score" not in given.values():
        first = next((k for k in free if looks[k] == "fraction"), None)
        if first is not None:
            numbers = [k for k in free if k >= first and looks[k] in ("fraction", "whole", "one")]
        else:
            last = free[-1:] if label is not None or not labelled else []
            numbers = [k for k in last if k >= width - 2 and looks[k] in ("whole", "both", "one")]
        roles |= dict.fromkeys(numbers, "score")
    scores = [k for k in range(width) if roles.get(k) == "score"]
    if not scores:
        return []
    ids = [k for k in free if k not in roles]
    names: list[str] = []
    people = len(ids) == 2 and _are_people(columns, ids, label)
    if set(given.values()) & set(ID_FIELDS) or (given and len(ids) > 2):
        pass  # the caller has named them
    elif not labelled:
        names = {1: ["probe"], 2: ["claim", "probe"], 3: ["claim", "subject", "probe"]}.get(len(ids), [])
    elif label is None:
        if ids in ([0, 1, 2], [0, 1, 2, 3]) and looks[0] == "one" and columns[0][0] not in {*columns[1], *columns[2]}:
            return ["?", *["other"] * (width - 1)]  # labels of one class, or the claim of bob's format
        if not people or ids != [0, 1] or scores != list(range(2, width)):
            return []
        names = ["subject", "claim"]
    elif len(ids) in (2, 4) and are_spoofs(columns[label]):
        names = ["probe"] if len(ids) == 2 else ["subject", "probe"]
    elif len(ids) > 2:
        return []
    elif len(ids) == 2:
        names = ["subject", "claim"] if people else ["claim", "probe"]
        unsure = not people and looks[label] in ("both", "one") and label not in given and _share(columns, ids)
        if unsure and (looks[label] == "one" or any(row[ids[0]] == row[ids[1]] for row in rows)):
            roles[label] = "?"
    else:
        names = ["probe"]
    roles |= dict(zip(ids, names, strict=False))
    return [roles.get(k, "other") for k in range(width)]


def _share(columns: Sequence[Sequence[str]], ids: Sequence[int]) -> bool:
    return not set(columns[ids[0]]).isdisjoint(columns[ids[1]])


def _are_people(columns: Sequence[Sequence[str]], ids: Sequence[int], label: int | None) -> bool:
    """Tell whether two columns name people: they share names, and the same name means genuine."""
    one, other = (columns[k] for k in ids)
    if label is None:
        return _share(columns, ids) and not any(is_file(name) for name in (*one, *other))
    genuine = [cell.lower() in _GENUINE for cell in columns[label]]
    same = [a == b for a, b in zip(one, other, strict=True)]
    return any(same) and same == genuine


def plan_text(head: Head, options: ReadOptions, *, bob: bool = False) -> TextPlan:
    """Tell the columns of a file by what the caller says, by its first lines, or as bob's."""
    line = "".join(head.lines(1))
    origin = str(head.path)
    delimiter, rows = head.rows
    # by the names that columns are given below, such as attack
    called = tuple(name for name in options.others if not number_of(name))
    options = replace(options, others=tuple(name for name in options.others if number_of(name)))
    given = given_roles(options, len(rows[0]) if rows else 0, origin)
    if bob and not given:
        if _is_prose(split_spaces(line)):
            raise InputError(f"{head.path}: expected {' '.join(COLUMNS[4])}, but it begins with {shown(line)}")
        column_roles = list(COLUMNS.get(_width(head), COLUMNS[4]))
        delimiter = "\t" if b"\t" in head.data and b" " not in head.data else " "
    else:
        if not rows:
            template = "{origin}: the first lines have different numbers of columns; the first one is {line:quoted}"
            raise InputError(template, code="uneven-rows", origin=origin, line=line)
        column_roles = _guess_roles(rows, given, labelled=not options.key)
        if not column_roles:
            width = len(rows[0])
            label = {"label": str(width - 1)} if width > 1 else {}
            raise unclear_columns(origin, width, {**label, "score": str(width)})
        if "?" in column_roles:
            number = column_roles.index("?") + 1
            raise InputError(
                "{origin}: column {number} may hold labels or {ids}; say which, as in {columns!o} or {format!o}",
                code="columns-unclear",
                origin=origin,
                number=number,
                ids="claims" if number == 1 else "probes",
                columns={"label": str(number)},
                format="bob4" if len(column_roles) == 4 else "bob5",
            )
    if "label" not in column_roles and options.genuine_labels and not options.key:
        raise InputError(
            "{origin}: no column holds labels, so {genuine_labels!p} has no effect; name the column, as in {columns!o}",
            code="labels-unused",
            origin=origin,
            genuine_labels=options.genuine_labels,
            columns={"label": "3"},
        )
    names = column_names(column_roles, "score")
    if (
        column_roles[-4:] in (["probe", "other", "label", "score"], ["other", "other", "label", "score"])
        and len(column_roles) - 3 not in given
    ):
        names[-3] = "attack"
    for name in called:
        if name not in names:
            template = (
                "{origin}: there is no column {name:quoted}; columns have no names here, but may be given by their "
                "numbers, 1 to {width}, or as what they are taken for: {names:list}"
            )
            raise InputError(template, code="no-column", origin=origin, name=name, width=len(names), names=names)
    roles = Roles(
        tuple(name for name, role in zip(names, column_roles, strict=True) if role == "score"),
        "label" if "label" in column_roles else None,
        "system" if "system" in column_roles else None,
        tuple((field, field) for field in ID_FIELDS if field in column_roles),
        tuple(name for name, role in zip(names, column_roles, strict=True) if role == "other" or role not in ROLES),
    )
    layout = Layout(roles.kinds_of(names), delimiter, shape=" ".join(names))
    plan = TextPlan(layout, roles, ", ".join(names))
    if bob and not given:
        return plan
    ids = [k for k, role in enumerate(column_roles) if role in ("claim", "probe")]
    if len(ids) == 2 and options.person is None and are_speakers(row[k] for row in rows for k in ids):
        plan = replace(plan, person=SPEAKER)
    template = "columns have no names; taken for {names:list}; if that is wrong, give their numbers, as in {columns!o}"
    role = "label" if "label" in column_roles else "score"
    example = {role: str(column_roles.index(role) + 1)}
    guessed = Note("columns-guessed", template, origin, names=names, columns=example)
    return plan if len(given) == len(column_roles) else replace(plan, notes=(guessed,))


def unclear_columns(origin: str, width: int, example: dict[str, str]) -> InputError:
    """Describe a text whose cells do not tell the roles of its columns."""
    template = "{origin}: its {width} columns cannot be identified by their cells; name them, as in {columns!o}"
    return InputError(template, code="columns-unclear", origin=origin, width=width, columns=example)


def column_names(roles: Sequence[str], score: str) -> list[str]:
    """Name columns by their roles, those that play none and several systems by number; `score` is the only system."""
    several = roles.count("score") > 1
    names = []
    for number, role in enumerate(roles, 1):
        if role == "score" and several:
            names.append(f"system {roles[:number].count('score')}")
        else:
            names.append({"score": score, "other": f"column {number}"}.get(role, role))
    return names


def write_bob(trials: Trials, place: Path, target: Path, names: Sequence[str]) -> tuple[str, ...]:
    """Write the columns of these names, without a header."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if len(trials.systems) != 1:
        template = "{target}: this format holds one system, not {names:list}; choose one, as in {systems!o}"
        raise OutputError(template, target=target, names=trials.systems, systems="NAME")
    if trials.claim is None or trials.subject is None:
        raise OutputError(f"{target}: this format needs claim and subject ids, which these trials do not have")
    if (trials.claim.numbered().equals(trials.subject.numbered()) != trials.genuine).any():
        raise OutputError(
            f"{target}: this format calls a trial genuine when claim and subject are equal, and that is not so for "
            "these trials; write CSV or Parquet, which have a label column"
        )
    columns = []
    for name in names[:-1]:
        ids = trials.ids.get(name)
        column = pa.array(["-"] * len(trials)) if ids is None else text_column(ids)
        if pc.any(pc.match_substring_regex(column, '^#|[\\s"]')).as_py():
            raise OutputError(
                f"{target}: a {name} begins with # or holds a space or a quote, which this format does not allow; "
                "write CSV or Parquet"
            )
        columns.append(column)
    table = pa.table([*columns, pa.array(trials.column())], names=list(names))
    write_text(table, place, target, delimiter=" ", header=False)
    lost = [*(name for name in trials.ids if name not in names), *trials.columns]
    return (
        (f"this format has no room for {listed(lost)}, which were left out; CSV, Parquet and npz have",) if lost else ()
    )
