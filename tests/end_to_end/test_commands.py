"""The other commands, as a person and as an agent use them."""

from __future__ import annotations

import re

import pytest

from selfdebug.codemods import catalogue
from selfdebug.codemods.null_guard import NullGuard
from selfdebug.reporting.catalogue import listing, page
from tests.end_to_end.project import HEALED, SOURCE, Project, validate


def test_diagnose_explains_a_log_and_edits_nothing(project: Project) -> None:
    before = project.photograph()
    log = project.log()
    ended = project.run("diagnose", "--json", "-", stdin=log)
    validate(ended.json, "diagnose")
    assert ended.code == 0
    (entry,) = ended.json["tracebacks"]
    assert (entry["file"], entry["line"], entry["exc_type"]) == ("names.py", 6, "AttributeError")
    site = ended.json["sites"][0]
    assert (site["node"], site["code"], site["bad"]["code"]) == (
        "Attribute",
        "person.name",
        "person",
    )
    assert (site["column"], site["end_column"]) == (13, 24)
    assert "null-guard" in site["codemods"]
    assert project.photograph() == before


def test_diagnose_knows_the_caller_that_passed_the_none(project: Project) -> None:
    ended = project.run("diagnose", "--json")
    steps = ended.json["sites"][0]["origin"]
    assert [(step["file"], step["line"]) for step in steps] == [
        ("test_names.py", 11),
        ("names.py", 6),
    ]


def test_diagnose_for_a_person(project: Project) -> None:
    ended = project.run("diagnose")
    assert "names.py:6:13-6:24 Attribute: person.name" in ended.out
    assert "bad value: person" in ended.out
    assert re.search("codemods that answer: .*null-guard", ended.out)


def test_diagnose_of_a_wrong_result_tells_what_is_known_and_what_run_does(empty: Project) -> None:
    empty.write(
        {
            "area.py": "def area(a, b):\n    return a + b\n",
            "test_area.py": "from area import area\n\n\ndef test_area():\n    assert area(3, 4) == 12\n",
        }
    )
    told = empty.run("diagnose", "-", stdin=empty.log()).out.splitlines()
    assert told[1] == "test_area.py:5:5-5:28 Assert: assert area(3, 4) == 12"
    assert told[2].startswith("the failure is at ")
    assert told[2].endswith(
        "; where no codemod answers, run tries small edits of what the failing test executes"
    )
    assert len(told) == 3


def test_diagnose_of_a_green_suite(project: Project) -> None:
    ended = project.write({"names.py": HEALED}).run("diagnose", "--json")
    validate(ended.json, "diagnose")
    assert (ended.code, ended.json["sites"]) == (0, [])


def test_probe_shows_what_a_line_saw_and_leaves_it_alone(project: Project) -> None:
    before = project.photograph()
    ended = project.run("probe", "names.py:6", "--", "-k", "nobody")
    assert ended.code == 0
    error = "AttributeError: 'NoneType' object has no attribute 'name'"
    assert ended.out.splitlines() == [
        "DBG-PROBE names.py:6 in initials: person = None",
        "DBG-STMT names.py:6 in initials: person = None",
        f"DBG-CAUGHT names.py:6 in initials: {error}",
    ]
    assert project.photograph() == before


def test_probe_as_json(project: Project) -> None:
    ended = project.run("probe", "--json", "names.py:6", "names.py:7")
    validate(ended.json, "probe")
    assert ended.code == 0
    assert {record["line"] for record in ended.json["probes"]} == {6, 7}


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("names.py", "is not FILE:LINE"),
        ("names.py:3", "no"),
        ("nowhere.py:3", "No such file"),
        ("/etc/passwd:1", "outside the project"),
    ],
)
def test_probe_of_no_statement(place: str, why: str, project: Project) -> None:
    ended = project.run("probe", place)
    assert ended.code == 2
    assert why in ended.err


def test_the_catalogue_and_a_page_of_it(project: Project) -> None:
    assert project.run("codemods").out == listing(catalogue())
    assert project.run("codemods", "null-guard").out == page(NullGuard)
    report = project.run("codemods", "--json")
    validate(report.json, "codemods")
    assert project.run("codemods", "nothing").code == 2


def test_init_prepares_a_project_for_libcst(project: Project) -> None:
    ended = project.run("init")
    assert ended.code == 0
    assert (project.root / ".libcst.codemod.yaml").exists()
    assert "[tool.selfdebug]" in (project.root / "pyproject.toml").read_text()
    assert project.run("init").out.count("has it already") == 2


@pytest.mark.parametrize("command", ["show", "revert"])
def test_nothing_on_record(command: str, project: Project) -> None:
    ended = project.run(command)
    assert ended.code == 4
    assert ended.err.startswith("FATAL: ")


def test_a_file_that_changed_since_is_not_reverted(project: Project) -> None:
    assert project.heal().code == 0
    project.write({"names.py": HEALED + "# mine\n"})
    ended = project.run("revert")
    assert ended.code == 4
    assert (project.root / "names.py").read_text() == HEALED + "# mine\n"


def test_a_revert_can_be_reverted(project: Project) -> None:
    assert project.heal().code == 0
    assert project.run("revert").code == 0
    assert (project.root / "names.py").read_text() == SOURCE


def test_without_a_command_the_help_is_shown(project: Project) -> None:
    ended = project.run("--help")
    for command in ("run", "diagnose", "probe", "codemods", "init", "show", "revert", "recover"):
        assert f"  {command} " in ended.out


@pytest.mark.parametrize("command", ["run", "diagnose"])
def test_a_test_file_in_the_place_of_a_log_is_pointed_to_its_option(
    command: str, project: Project
) -> None:
    ended = project.run(command, "test_names.py")
    assert (ended.code, ended.out) == (2, "")
    assert "test_names.py is no log; to heal its tests: --node test_names.py" in ended.err
