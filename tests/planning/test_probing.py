"""Probes in a run of pytest, from an overlay: the file on the disk stays as it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from selfdebug.ingestion.probes import read_probes
from selfdebug.model import Edit, ProbeRecord
from selfdebug.planning.probing import PLUGIN, environment, probe_edits
from selfdebug.reporting.probes import as_json, lines
from selfdebug.syntax.source import Unreadable, apply
from selfdebug.validation.cold import run_pytest
from selfdebug.validation.launch import PytestCommand

CART = dedent(
    """\
    def total(items, discount=None):
        price = 0
        for item in items:
            price += item["price"] * discount.rate
        return price


    def label(user):
        if user.name: return user.name.upper()
        return "nobody"
    """
)
TESTS = dedent(
    """\
    import cart

    def test_total():
        assert cart.total([{"price": 3}]) == 3
    """
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "cart.py").write_text(CART)
    (root / "test_cart.py").write_text(TESTS)
    return root


def write(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "module.py"
    file.write_bytes(text.encode())
    return file


def back(edit: Edit, moved: int = 0) -> Edit:
    start = edit.start + moved
    return Edit(edit.file, start, start + len(edit.after), edit.after, edit.before)


def test_a_test_run_logs_what_the_failing_line_saw(project: Path, tmp_path: Path) -> None:
    file, log = project / "cart.py", tmp_path / "probes.jsonl"
    probed = apply(file.read_bytes(), probe_edits(file, [4]))
    command = PytestCommand(
        project,
        Path(sys.executable),
        args=("-p", PLUGIN, "-p", "no:cacheprovider"),
        env=environment(log, os.environ),
    )
    run = run_pytest(command, replaced={file: probed})
    assert run.exit_code == 1
    assert run.failures[0].raised is not None
    assert run.failures[0].raised.frames[-1].line == 4
    assert file.read_text() == CART
    variables = "items = [{'price': 3}]; discount = None; price = 0; item = {'price': 3}"
    message = "'NoneType' object has no attribute 'rate'"
    assert [*lines(read_probes(log), project)] == [
        f"DBG-PROBE cart.py:4 in total: {variables}",
        'DBG-STMT cart.py:4 in total: item["price"] = 3',
        f"DBG-CAUGHT cart.py:4 in total: AttributeError: {message}",
    ]


def records_of(tmp_path: Path, text: str, lines: list[int]) -> tuple[ProbeRecord, ...]:
    """What probes log in a program of its own, written in place."""
    file, log = write(tmp_path, text), tmp_path / "log"
    file.write_bytes(apply(file.read_bytes(), probe_edits(file, lines)))
    subprocess.run([sys.executable, file], env=environment(log, os.environ), check=False)
    return read_probes(log)


def test_the_json_names_places_as_an_editor_does(tmp_path: Path) -> None:
    _, statement, caught = records_of(tmp_path, "user = None\nuser.name\n", [2])
    assert as_json(statement, tmp_path) | {"pid": 0, "n": 0} == {
        "kind": "DBG-STMT",
        "file": "module.py",
        "line": 2,
        "column": 1,
        "function": "<module>",
        "code": "",
        "locals": {},
        "values": [
            {
                "code": "user",
                "line": 2,
                "column": 1,
                "end_line": 2,
                "end_column": 5,
                "type": "NoneType",
                "text": "None",
                "size": None,
            }
        ],
        "exc_type": None,
        "msg": None,
        "pid": 0,
        "n": 0,
        "hit": 1,
    }
    assert caught.exception == ("AttributeError", "'NoneType' object has no attribute 'name'")


def test_a_value_is_told_again_where_it_is_another_one(tmp_path: Path) -> None:
    code = "import sys\nline = 3\nfor way in (1, 2):\n    line = line - way; sys.exit(line)\n"
    told = [*lines(records_of(tmp_path, code, [4]), tmp_path)]
    assert told == [
        "DBG-PROBE module.py:4 in <module>: line = 3; way = 1",
        "DBG-STMT module.py:4 in <module>: line - way = 2; line = 2",
        "DBG-CAUGHT module.py:4 in <module>: SystemExit: 2; line = 2",
    ]


def test_each_execution_is_a_record(tmp_path: Path) -> None:
    records = records_of(tmp_path, "for i in range(3):\n    x = i * 2\n", [2])
    assert [[(seen.code, seen.value.text) for seen in record.values] for record in records] == [
        [],
        [("i", "0"), ("i * 2", "0")],
        [],
        [("i", "1"), ("i * 2", "2")],
        [],
        [("i", "2"), ("i * 2", "4")],
    ]
    assert [record.hit for record in records] == [1, 1, 2, 2, 3, 3]


def test_of_many_executions_the_first_and_the_last_are_kept(tmp_path: Path) -> None:
    records = records_of(tmp_path, "for i in range(1000):\n    1 / (999 - i)\n", [2])
    probes = [record for record in records if record.kind == "DBG-PROBE"]
    assert [record.hit for record in probes] == [*range(1, 21), *range(981, 1001)]
    assert records[-1].exception == ("ZeroDivisionError", "division by zero")
    assert [record.n for record in records] == sorted(record.n for record in records)


def test_secrets_are_left_out(tmp_path: Path) -> None:
    text = (
        'password = "hunter2"\nd = {"api_key": "k1"}\nprint(password, d, "token=t1")\nd[password]\n'
    )
    file, log = write(tmp_path, text), tmp_path / "log"
    file.write_bytes(apply(file.read_bytes(), probe_edits(file, [1, 2, 3, 4])))
    env = environment(log, os.environ)
    subprocess.run([sys.executable, file], env=env, check=False, capture_output=True)
    kinds = {record.kind for record in read_probes(log)}
    assert kinds == {"DBG-PROBE", "DBG-STMT", "DBG-CAUGHT"}
    values = [
        v for r in read_probes(log) for v in (*r.locals.values(), *(s.value for s in r.values))
    ]
    assert not any(
        "hunter2" in (value.text or "") or "k1" in (value.text or "") for value in values
    )


def test_processes_and_threads_share_a_log(tmp_path: Path) -> None:
    text = dedent(
        """\
        import os, threading
        def work(i):
            return i + 1
        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for t in threads: t.start()
        for t in threads: t.join()
        if os.fork() == 0:
            work(100)
            os._exit(0)
        os.wait()
        """
    )
    records = [r for r in records_of(tmp_path, text, [3]) if r.kind == "DBG-STMT"]
    assert sorted(record.values[-1].value.text or "" for record in records) == sorted(
        [*map(str, range(1, 9)), "101"]
    )
    assert len({record.pid for record in records}) == 2
    assert len({record.n for record in records}) == len(records)


def test_nothing_is_written_where_no_file_is_named(tmp_path: Path) -> None:
    file = write(tmp_path, "x = 1\nprint(x)\n")
    file.write_bytes(apply(file.read_bytes(), probe_edits(file, [2])))
    env = environment(tmp_path / "log", os.environ)
    del env["SELFDEBUG_PROBES"]
    done = subprocess.run([sys.executable, file], env=env, check=True, capture_output=True)
    assert (done.stdout, done.stderr) == (b"1\n", b"")
    assert [path.name for path in tmp_path.iterdir()] == ["module.py"]


def test_a_dash_is_standard_output(tmp_path: Path) -> None:
    file = write(tmp_path, "x = 1\ny = x\n")
    file.write_bytes(apply(file.read_bytes(), probe_edits(file, [2])))
    env = environment(tmp_path / "log", os.environ) | {"SELFDEBUG_PROBES": "-"}
    done = subprocess.run([sys.executable, file], env=env, check=True, capture_output=True)
    assert [entry.split(b":")[0] for entry in done.stdout.splitlines()] == [b'{"kind"'] * 2


def test_a_cut_off_line_is_left_out(tmp_path: Path) -> None:
    records = records_of(tmp_path, "x = 1\nx + 1\n", [2])
    log = tmp_path / "log"
    log.write_bytes(log.read_bytes()[:-10] + b'\n\xff\n[]\n{"kind": "DBG-PROBE"}\n')
    assert read_probes(log) == (records[0], *read_probes(log)[1:])
    assert len(read_probes(log)[1].values) < len(records[1].values)
    assert read_probes(tmp_path / "missing") == ()


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("lines", [[2], [4], [3, 4, 9], [2, 5, 9, 10]])
def test_edits_come_out_again_byte_for_byte(tmp_path: Path, lines: list[int], newline: str) -> None:
    file = write(tmp_path, CART.removesuffix("\n").replace("\n", newline))
    data = file.read_bytes()
    edits = probe_edits(file, lines)
    probed = apply(data, edits)
    assert probed != data
    assert probed.count(b"\n") == data.count(b"\n")
    moved = 0
    reverse = []
    for edit in sorted(edits, key=lambda edit: edit.start):
        reverse.append(back(edit, moved))
        moved += len(edit.after) - len(edit.before)
    assert apply(probed, tuple(reverse)) == data


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ('"""Doc."""\nx = 1\n', 1),
        ("from __future__ import annotations\n", 1),
        ("try:\n    x = 1\nfinally:\n    pass\n", 3),
        ("x = 1\n\n# note\n", 3),
        ("while True:\n    break\n", 1),
        ("x = (\n", 1),
        ("if 1:\n    x = 1\nelse:\n    pass\n", 3),
        ('with __import__("selfdebug_probe").caught("1:0-1:5 x = 1"): x = 1\n', 1),
    ],
)
def test_a_line_that_can_show_nothing_is_refused(tmp_path: Path, text: str, number: int) -> None:
    with pytest.raises(Unreadable):
        probe_edits(write(tmp_path, text), [number])


def test_blocks_nested_as_deeply_as_python_allows_are_refused(tmp_path: Path) -> None:
    deep = "".join(f"{' ' * n}for x{n} in ():\n" for n in range(20)) + " " * 20 + "print(x0)\n"
    compile(deep, "deep.py", "exec")
    with pytest.raises(Unreadable, match="nested too deeply"):
        probe_edits(write(tmp_path, deep), [21])
    assert probe_edits(write(tmp_path, deep), [21], ("before", "values"))
