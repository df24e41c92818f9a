"""CONTRACT's loop through the real command line: what is healed, what is left, and what callers read."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from selfdebug import loop
from selfdebug.model import TestRun
from selfdebug.settings import Settings
from selfdebug.steps.context import Context
from selfdebug.steps.observe import Observation
from selfdebug.validation.cold import PytestMissing
from selfdebug.validation.prepare import prepared
from selfdebug.validation.runner import Runner
from selfdebug.workspace.scratch import scratch
from selfdebug.workspace.session import Run
from tests.end_to_end.project import HEALED, SOURCE, TESTS, Project, validate

DIFF = "\n".join(
    (
        "--- a/names.py",
        "+++ b/names.py",
        "@@ -3,5 +3,7 @@",
        " ",
        " def initials(person):",
        '     """Return the first letters of a name; "" for nobody."""',
        "+    if person is None:",
        '+        return ""',
        "     parts = person.name.split()  # title case already",
        '     return "".join(part[0] for part in parts)',
        "",
    )
)


def test_a_failing_suite_is_healed(project: Project) -> None:
    ended = project.heal()
    assert (ended.code, ended.json["final_status"], ended.json["rollback"]) == (0, "pass", False)
    assert (project.root / "names.py").read_text() == HEALED
    assert ended.json["diff"] == DIFF
    assert ended.json["files_patched"] == ["names.py"]
    assert ended.json["attempts"] >= 1
    assert ended.json["tests"]["changed"] == [
        {"test": "test_names.py::test_nobody", "before": "failed", "after": "passed"}
    ]
    assert project.passes()
    assert sorted(path.name for path in project.root.iterdir()) == ["names.py", "test_names.py"]


def test_the_failure_is_told_to_the_character(project: Project) -> None:
    entry = project.heal("--dry-run").json["tracebacks"][0]
    assert entry == {
        "file": "names.py",
        "line": 6,
        "column": 13,
        "end_line": 6,
        "end_column": 24,
        "exc_type": "AttributeError",
        "msg": "'NoneType' object has no attribute 'name'",
        "function": "initials",
        "test": "test_names.py::test_nobody",
        "phase": "call",
        "in_project": True,
    }


@pytest.mark.parametrize("style", ["auto", "long", "short", "native", "line"])
def test_a_log_is_enough(style: str, project: Project) -> None:
    (project.home).mkdir(exist_ok=True)
    log = project.home / "pytest.log"
    log.write_text(project.log(f"--tb={style}"))
    ended = project.heal(str(log))
    assert ended.code == 0
    assert (project.root / "names.py").read_text() == HEALED


def test_a_log_comes_from_standard_input_too(project: Project) -> None:
    ended = project.heal("-", stdin=project.log())
    assert (ended.code, ended.json["diff"]) == (0, DIFF)


def test_a_dry_run_tests_the_patch_and_writes_nothing(project: Project) -> None:
    before = project.commit().photograph()
    ended = project.run("run", "--dry-run")
    assert ended.code == 0
    assert DIFF in ended.out
    assert ended.out.splitlines()[-1].startswith(
        "SUMMARY attempts=1 final_status=pass rollback=false"
    )
    assert project.photograph() == before


def test_nothing_fails(empty: Project) -> None:
    empty.write({"names.py": HEALED, "test_names.py": TESTS})
    ended = empty.heal()
    assert (ended.code, ended.json["final_status"]) == (0, "no-failure")


def test_a_log_of_failures_that_are_gone_is_stale(project: Project) -> None:
    log = project.log()
    project.write({"names.py": HEALED})
    ended = project.heal("-", stdin=log)
    assert (ended.code, ended.json["final_status"]) == (0, "no-failure")
    assert "stale" in ended.json["message"]


def test_a_log_that_quotes_other_source_is_stale(project: Project) -> None:
    log = project.log()
    project.write({"names.py": SOURCE.replace("person.name.split()", "person.title.split()")})
    before = project.photograph()
    ended = project.heal("-", stdin=log)
    assert (ended.code, ended.json["final_status"]) == (2, "no-frame")
    assert "stale" in ended.json["message"]
    assert project.photograph() == before


def test_a_log_without_failures(project: Project) -> None:
    ended = project.heal("-", stdin="all is well\n")
    assert (ended.code, ended.json["final_status"]) == (2, "no-frame")
    assert "FATAL: " in ended.err


def test_source_that_does_not_parse(project: Project) -> None:
    source = "def initials(person):\n    return max(person.name if person\n"
    before = project.write({"names.py": source}).photograph()
    ended = project.heal()
    assert (ended.code, ended.json["final_status"]) == (3, "rejected")
    assert "PATCH-REJECTED" in ended.json["message"]
    assert "names.py:2" in ended.json["message"]
    assert project.photograph() == before


def test_a_wrong_answer_that_nothing_small_repairs(empty: Project) -> None:
    empty.write(
        {
            "m.py": "def f():\n    return 1\n",
            "test_m.py": "from m import f\n\ndef test_f():\n    assert f() == 77\n",
        }
    )
    before = empty.photograph()
    ended = empty.heal()
    assert (ended.code, ended.json["final_status"]) == (128, "fail")
    assert empty.photograph() == before


def test_a_frame_only_in_foreign_code(empty: Project) -> None:
    empty.write(
        {
            "node_modules/lib.py": "def f(x):\n    return x.y\n",
            "conftest.py": "import sys, pathlib\nsys.path.append(str(pathlib.Path(__file__).parent / 'node_modules'))\n",
            "test_m.py": "def test_f():\n    __import__('lib').f(None)\n",
        }
    )
    before = empty.photograph()
    ended = empty.heal()
    assert ended.code in (2, 3)
    assert empty.photograph() == before


def test_exhaustion_rolls_everything_back(empty: Project) -> None:
    empty.write(
        {
            "m.py": "def f(x):\n    return x.y\n",
            "test_m.py": "from m import f\n\n\ndef test_f():\n    assert f(None) == 42\n",
        }
    )
    before = empty.commit().photograph()
    ended = empty.heal()
    assert (ended.code, ended.json["final_status"], ended.json["rollback"]) == (128, "fail", True)
    assert 1 <= ended.json["attempts"] <= 4
    assert len(ended.json["rejected"]) >= 1
    assert ended.json["message"].endswith("and none healed all; nothing was written")
    assert empty.photograph() == before


def test_a_patch_that_breaks_another_test_is_taken_back(empty: Project) -> None:
    """Each guard heals ``test_none``; the other test wants the crash."""
    empty.write(
        {
            "m.py": "def f(x):\n    return x.y\n",
            "test_m.py": (
                "import pytest\nfrom m import f\n\n\ndef test_none():\n    assert not f(None)\n\n\n"
                "def test_crash():\n    with pytest.raises(AttributeError):\n        f(None)\n"
            ),
        }
    )
    before = empty.commit().photograph()
    ended = empty.heal()
    assert (ended.code, ended.json["rollback"]) == (128, True)
    assert any("test_crash" in ruling["reason"] for ruling in ended.json["rejected"])
    assert empty.photograph() == before


def test_two_causes_are_healed_in_one_run(empty: Project) -> None:
    empty.write(
        {
            "m.py": "def f(x):\n    return x.y\n\n\ndef g(x):\n    return x.z\n",
            "test_m.py": (
                "from m import f, g\n\n\ndef test_f():\n    assert f(None) is None\n\n\n"
                "def test_g():\n    assert g(None) is None\n"
            ),
        }
    )
    ended = empty.heal()
    assert ended.code == 0
    assert len(ended.json["patches"]) == 2
    assert empty.passes()


def test_a_flaky_test_is_reported_and_not_repaired(empty: Project) -> None:
    empty.write(
        {
            "m.py": "def f(x):\n    return x.y\n",
            "test_m.py": (
                "import os, pathlib\nfrom m import f\n\n\ndef test_f():\n"
                "    mark = pathlib.Path(os.environ['SELFDEBUG_STATE_DIR']) / 'mark'\n"
                "    if not mark.exists():\n        mark.write_text('')\n        f(None)\n"
            ),
        }
    )
    before = empty.photograph()
    ended = empty.heal()
    assert (ended.code, ended.json["final_status"]) == (0, "no-failure")
    assert "flaky" in ended.json["message"]
    assert empty.photograph() == before


def test_a_suite_that_hangs_is_ended_whole(empty: Project) -> None:
    empty.write(
        {
            "test_m.py": (
                "import subprocess, sys, time\n\n\ndef test_f():\n"
                "    subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
                "    time.sleep(60)\n"
            )
        }
    )
    before = empty.photograph()
    ended = empty.heal("--timeout", "3")
    assert (ended.code, ended.json["final_status"]) == (2, "no-frame")
    assert "the tests hang" in ended.json["message"]
    assert "timeout" in ended.json["message"]
    assert empty.photograph() == before


def test_a_test_that_does_not_end_is_repaired(empty: Project) -> None:
    source = (
        "def total(items):\n    amount, at = 0, 0\n    while at != len(items):\n"
        "        amount += items[at]\n        at += 1\n    return amount\n\n\n"
        "def halves(number):\n    found = []\n    while number >= 0:\n"
        "        found.append(number)\n        number //= 2\n    return found\n"
    )
    tests = (
        "from m import halves, total\n\n\ndef test_halves():\n    assert halves(4) == [4, 2, 1]\n\n\n"
        "def test_total():\n    assert total([1, 2]) == 3\n    assert halves(-1) == []\n"
    )
    empty.write({"m.py": source, "test_m.py": tests})
    ended = empty.heal("--test-timeout", "1")
    assert (ended.code, ended.json["attempts"]) == (0, 1)
    assert (empty.root / "m.py").read_text() == source.replace("number >= 0", "number > 0")
    shown = ended.json["tracebacks"][0]
    assert (shown["exc_type"], shown["file"], shown["function"]) == (
        "TestTimeout",
        "m.py",
        "halves",
    )
    assert shown["msg"].startswith("still running after 1")
    assert ended.json["tests"]["before"] == {"passed": 1, "failed": 1, "errors": 0}


def test_a_candidate_that_hangs_costs_itself_alone(empty: Project) -> None:
    empty.write(
        {
            "m.py": "def f(x):\n    return x.y\n",
            "test_m.py": (
                "import time\nfrom m import f\n\n\ndef test_f():\n    f(None)\n    time.sleep(60)\n"
            ),
        }
    )
    before = empty.photograph()
    ended = empty.heal("--timeout", "3", "--max-attempts", "1")
    assert ended.code == 128
    assert "ended after" in ended.json["rejected"][0]["reason"]
    assert empty.photograph() == before


def test_an_interpreter_without_pytest(project: Project) -> None:
    import subprocess
    import sys

    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", project.home / "venv"], check=True
    )
    ended = project.heal("--python", str(project.home / "venv/bin/python"))
    assert (ended.code, ended.json["final_status"]) == (4, "error")
    assert "has no pytest" in ended.json["message"]


def test_an_interpreter_that_is_none_is_status_4(project: Project) -> None:
    ended = project.heal("--python", "/bin/false")
    assert (ended.code, ended.json["final_status"]) == (4, "error")
    assert "/bin/false did not start pytest; it ended with status 1" in ended.json["message"]


SEES = """
import subprocess
import sys


def test_a_program_sees_the_environment_as_it_is():
    line = [sys.executable, "-c", "import os; print('SELFDEBUG_CHILD' in os.environ)"]
    assert subprocess.run(line, capture_output=True, text=True).stdout == "False\\n"
"""


def test_the_first_run_and_the_proof_look_at_no_program(project: Project) -> None:
    ended = project.write({"test_names.py": TESTS + SEES}).heal()
    assert (ended.code, ended.json["final_status"]) == (0, "pass")
    assert ended.json["tests"]["before"] == {"passed": 2, "failed": 1, "errors": 0}
    assert ended.json["tests"]["after"] == {"passed": 3, "failed": 0, "errors": 0}


def test_a_misspelt_codemod_is_answered_with_the_nearest(project: Project) -> None:
    for ended in (
        project.run("run", "--select", "nul-guard"),
        project.run("codemods", "nul-guard"),
    ):
        assert ended.code == 2
        assert "no codemod is named 'nul-guard'; did you mean null-guard" in ended.err


@pytest.mark.parametrize(
    "args", [["--max-attempts", "0"], ["--select", "nothing"], ["--root", "nowhere"], ["--bogus"]]
)
def test_wrong_usage_is_status_2_and_touches_nothing(args: list[str], project: Project) -> None:
    before = project.photograph()
    ended = project.run("run", *args)
    assert ended.code == 2
    assert "Error" in ended.err
    assert project.photograph() == before


def test_pytest_arguments_follow_two_dashes(project: Project) -> None:
    ended = project.heal("--", "-k", "two_names")
    assert (ended.code, ended.json["final_status"]) == (0, "no-failure")


def test_markdown_for_a_pull_request(project: Project) -> None:
    ended = project.run("run", "--format", "markdown", "--diff", str(project.home / "the.patch"))
    assert ended.code == 0
    assert "```diff\n" + DIFF + "```" in ended.out
    assert "`test_names.py::test_nobody`" in ended.out
    assert (project.home / "the.patch").read_text() == DIFF


def test_a_kept_patch_is_shown_and_undone(project: Project) -> None:
    before = project.commit().photograph()
    run_id = project.heal().json["run_id"]
    shown = project.run("show", "--json")
    validate(shown.json, "run")
    assert (shown.json["run_id"], shown.json["diff"]) == (run_id, DIFF)
    assert project.run("revert", run_id).code == 0
    assert project.photograph() == before
    latest, first = project.run("show"), project.run("show", run_id)
    assert latest.out.partition(": ")[2] == f"undid run {run_id}\n"
    assert first.out.startswith(f"run {run_id}: kept, undone by run {latest.out.split()[1][:-1]}\n")


def test_a_proof_that_cannot_run_is_told_as_rolled_back(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the interpreter goes away between the search and the proof."""

    def gone(*_: object, **__: object) -> TestRun:
        assert (project.root / "names.py").read_text() == HEALED
        raise PytestMissing("it is gone")

    monkeypatch.setattr(tempfile, "tempdir", str(project.temporary))
    monkeypatch.setenv("SELFDEBUG_STATE_DIR", str(project.home / "state"))
    monkeypatch.setattr(Runner, "prove", gone)
    before = project.photograph()
    settings = Settings(project.root, pytest_args=("-p", "no:cacheprovider"))
    with scratch() as folder, prepared(settings, folder) as tests:
        healing = loop.heal(settings, tests, None, lambda _: None)
    assert (healing.exit_code, healing.rollback, healing.message) == (4, True, "it is gone")
    assert healing.files_patched == ("names.py",)
    assert project.photograph() == before


def test_a_file_that_the_user_changes_during_the_search_is_left_alone(
    empty: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, changed = "def total(a, b):\n    return a - b\n", "def total(a, b):\n    return 7 - b\n"
    test = "from m import total\n\n\ndef test_total():\n    assert total(7, 2) == 91\n"
    empty.write({"m.py": source, "test_m.py": test})
    monkeypatch.setenv("SELFDEBUG_STATE_DIR", str(empty.home / "state"))

    def step(text: str) -> None:
        if text.startswith("trying small edits"):
            empty.write({"m.py": changed})

    settings = Settings(empty.root, pytest_args=("-p", "no:cacheprovider"))
    with scratch() as folder, prepared(settings, folder) as tests:
        healing = loop.heal(settings, tests, None, step)
    assert (healing.exit_code, healing.final_status, healing.files_patched) == (128, "fail", ())
    said = "was changed by someone else in the meantime; run again"
    assert healing.message == f"{empty.root / 'm.py'} {said}"
    assert (empty.root / "m.py").read_text() == changed


@pytest.mark.parametrize("edited", [False, True])
def test_an_interrupt_tells_whether_anything_was_edited(
    edited: bool, empty: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty.write({"m.py": "x = 1\n"})
    monkeypatch.setenv("SELFDEBUG_STATE_DIR", str(empty.home / "state"))

    def see_twice(_: Context, seen: Observation) -> Observation:
        return seen

    def search(_: Context, __: Observation, run: Run) -> None:
        if edited:
            run.write({empty.root / "m.py": (b"x = 1\n", b"x = 2\n")})
        raise KeyboardInterrupt

    monkeypatch.setattr(loop, "see_twice", see_twice)
    monkeypatch.setattr(loop, "begin_search", search)
    settings = Settings(empty.root)
    with scratch() as folder, prepared(settings, folder) as tests:
        healing = loop.heal(settings, tests, None, lambda _: None)
    done = "what was edited is rolled back" if edited else "nothing was edited"
    assert (healing.exit_code, healing.message) == (130, done)
    assert healing.rollback is edited
    assert (empty.root / "m.py").read_text() == "x = 1\n"


@pytest.mark.parametrize("node", ["test_names.py::typo", "nowhere.py"])
def test_a_nodeid_of_no_test_is_named(node: str, project: Project) -> None:
    ended = project.heal("--node", node)
    assert (ended.code, ended.json["final_status"]) == (2, "no-frame")
    assert ended.json["message"].startswith(f"no test is named {node}: ERROR: ")
    assert "not found: " in ended.json["message"]


def test_a_nodeid_narrows_what_is_healed(empty: Project) -> None:
    empty.write(
        {
            "m.py": "def f(x):\n    return x.y\n",
            "test_m.py": (
                "from m import f\n\n\ndef test_f():\n    assert f(None) is None\n\n\n"
                "def test_other():\n    assert False\n"
            ),
        }
    )
    assert empty.heal().code == 128
    ended = empty.heal("--node", "test_m.py::test_f")
    assert ended.code == 0
    assert "test_other" in " ".join(ended.json["notes"])
    assert Path(empty.root / "m.py").read_text() != "def f(x):\n    return x.y\n"


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_what_fails_elsewhere_is_no_matter_of_a_nodeid(dry: tuple[str], empty: Project) -> None:
    for name in "mn":
        test = f"from {name} import f\n\n\ndef test_f():\n    assert f(None) is None\n"
        empty.write({f"{name}.py": "def f(x):\n    return x.y\n", f"test_{name}.py": test})
    ended = empty.heal("--node", "test_m.py", *dry)
    assert ended.code == 0, ended.json["message"]
    note = "the tests to heal pass; test_n.py::test_f failed before too"
    assert note in ended.json["notes"]
    message = (
        "a verified patch was found; nothing was written" if dry else "the tests to heal pass again"
    )
    assert ended.json["message"] == message
    assert ended.json["diff"].startswith("--- a/m.py\n")


def test_a_log_of_a_green_run(project: Project) -> None:
    project.write({"names.py": HEALED})
    ended = project.heal("-", stdin=project.log())
    assert (ended.code, ended.json["final_status"]) == (0, "no-failure")


def test_what_could_be_healed_alone_is_named(empty: Project) -> None:
    empty.write(
        {
            "m.py": "def f(x):\n    return x.y\n",
            "test_m.py": (
                "from m import f\n\n\ndef test_other():\n    assert f\n    assert False\n\n\n"
                "def test_f():\n    assert f(None) is None\n"
            ),
        }
    )
    ended = empty.heal()
    assert ended.code in (3, 128)
    assert "--node test_m.py::test_f" in " ".join(ended.json["notes"])
    shown = empty.run("show", ended.json["run_id"], "--json")
    assert shown.json["final_status"] == ended.json["final_status"]


def test_two_patches_of_a_file_are_told_with_the_lines_of_the_file(empty: Project) -> None:
    empty.write(
        {
            "m.py": "def f(x):\n    return x.y\n\n\ndef g(x):\n    return x.z\n",
            "test_m.py": (
                "from m import f, g\n\n\ndef test_f():\n    assert f(None) is None\n\n\n"
                "def test_g():\n    assert g(None) is None\n"
            ),
        }
    )
    ended = empty.heal()
    assert [patch["span"]["line"] for patch in ended.json["patches"]] == [2, 6]


@pytest.mark.parametrize(
    "args",
    [
        ("run", "--json", "--bogus"),
        ("run", "--json", "--max-attempts", "0"),
        ("run", "--json", "nowhere.log"),
        ("run", "--json", "--diff", "nowhere/the.patch"),
        ("diagnose", "--json", "nowhere.log"),
        ("probe", "--json", "names.py"),
    ],
)
def test_wrong_usage_is_one_json_object_too(args: tuple[str, ...], project: Project) -> None:
    before = project.photograph()
    ended = project.run(*args)
    validate(ended.json, args[0])
    assert (ended.code, ended.json["exit_code"]) == (2, 2)
    assert project.photograph() == before


def test_a_failing_conftest_is_healed(project: Project) -> None:
    project.write({"conftest.py": "from names import initials\n\nNOBODY = initials(None)\n"})
    ended = project.heal()
    assert ended.code == 0, ended.json["rejected"]
    assert (project.root / "names.py").read_text() == HEALED


def test_a_nodeid_that_is_not_there_heals_nothing_else(project: Project) -> None:
    before = project.photograph()
    ended = project.heal("--node", "test_names.py::test_nowhere")
    assert (ended.code, ended.json["final_status"]) == (2, "no-frame")
    assert project.photograph() == before


def test_a_failure_that_only_shows_the_bug_from_afar_does_not_stop_the_search(
    empty: Project,
) -> None:
    empty.write(
        {
            "m.py": "def f(x):\n    return x.y\n\n\ndef main():\n    try:\n        f(None)\n"
            "    except AttributeError:\n        return 1\n    return 0\n",
            "test_a.py": "from m import main\n\n\ndef test_main():\n    assert main() == 0\n",
            "test_b.py": "from m import f\n\n\ndef test_f():\n    assert f(None) is None\n",
        }
    )
    assert empty.heal().code == 0
    assert empty.passes()


def test_modules_of_the_project_are_not_taken_for_our_own(project: Project) -> None:
    project.write({"click.py": "raise SystemExit(9)\n", "difflib.py": "\n"})
    assert project.heal().code == 0


def test_every_candidate_that_was_tried_is_accounted_for(empty: Project) -> None:
    empty.write(
        {
            "m.py": "def f(x):\n    return x.y\n",
            "test_m.py": (
                "from m import f\n\n\ndef test_none():\n    assert f(None) is None\n\n\n"
                "def test_other():\n    assert f(None) == 42\n"
            ),
        }
    )
    ended = empty.heal()
    assert ended.code == 128
    assert "test_other" in ended.json["rejected"][0]["reason"]


def test_the_report_is_the_same_however_many_candidates_run_at_a_time(empty: Project) -> None:
    empty.write(
        {
            "m.py": "def f(x):\n    return x.y\n\n\ndef g(x):\n    return f(x) + 1\n",
            "test_m.py": "from m import f, g\n\n\ndef test_one():\n    assert g(None) == 43\n"
            "\n\ndef test_two():\n    assert f(None) is None\n",
        }
    )
    reports = [empty.heal("--dry-run", "--jobs", jobs).json for jobs in ("1", "3")]
    for report in reports:
        for key in ("run_id", "timings", "recovery"):
            del report[key]
    assert reports[0] == reports[1]
    assert len(reports[0]["rejected"]) > 1


def test_the_same_mistake_elsewhere_is_told_of_and_repaired_on_request(empty: Project) -> None:
    shop = (
        "def city(user):\n    return user.address.city\n\n\n"
        "def town(order):\n    return order.address.city\n\n\n"
        "def never(called):\n    return called.address.city\n"
    )
    test = (
        "from types import SimpleNamespace as Any\n\nfrom shop import city, town\n\n\n"
        "def test_nobody():\n    assert city(Any(address=None)) is None\n\n\n"
        'def test_town():\n    assert town(Any(address=Any(city="Ulm"))) == "Ulm"\n'
    )
    empty.write({"shop.py": shop, "test_shop.py": test})
    told = empty.heal("--dry-run").json
    assert [other["span"]["line"] for other in told["siblings"]] == [8, 12]
    made = empty.heal("--siblings").json
    assert made["diff"].count("+    if ") == 2
    assert "if order.address is None" in made["diff"]
    assert "if called.address is None" not in made["diff"]
    assert [other["span"]["line"] for other in made["siblings"]] == [14]
    found = empty.write({"shop.py": shop}).run("diagnose", "--siblings", "--json").json
    validate(found, "diagnose")
    assert [place["line"] for place in found["siblings"]] == [6, 10]


@pytest.mark.parametrize(
    ("limit", "told"),
    [
        (("--max-candidates", "1"), "the 1 candidates allowed are used up"),
        (("--search-seconds", "0.0001"), "the search was ended after 0 s"),
    ],
)
def test_the_search_ends_where_its_budget_does(
    limit: tuple[str, ...], told: str, empty: Project
) -> None:
    code = "def f(a):\n    return [a.x.y, a.x.z]\n"
    test = "from shop import f\n\n\ndef test_f():\n    assert f(None) == 'no such answer'\n"
    before = empty.write({"shop.py": code, "test_shop.py": test}).photograph()
    ended = empty.heal(*limit)
    assert ended.code == 128
    assert any(note.startswith(told) for note in ended.json["notes"]), ended.json["notes"]
    assert empty.photograph() == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has it")
@pytest.mark.parametrize("style", ["--json", "--format=text"])
def test_a_report_that_cannot_be_written_changes_no_verdict(style: str, project: Project) -> None:
    with Path("/dev/full").open("w") as full:
        process = project.start("run", style, stdout=full)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 0
    assert (project.root / "names.py").read_text() == HEALED
    assert "the report cannot be written: No space left on device; the patch stays" in err
    assert "Traceback" not in err
