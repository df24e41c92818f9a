"""Every kind of tree: what is not the patch is as it was, to the byte, whatever the end of the run."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from tests.end_to_end.project import HEALED, SOURCE, TESTS, Ended, Project

UNHEALABLE = "from names import initials\n\n\ndef test_nobody():\n    assert initials(None) == 42\n"


def fails(project: Project, *args: str) -> Ended:
    """Run to exhaustion, and check that everything is as it was."""
    before = project.photograph()
    ended = project.heal(*args)
    assert project.photograph() == before
    assert (ended.code, ended.json["final_status"]) == (128, "fail"), ended.json["message"]
    return ended


def heals(project: Project, *args: str, where: str = "names.py", healed: str = HEALED) -> Ended:
    """Heal, and check that everything but the patched file is as it was."""
    before = project.photograph()
    ended = project.heal(*args)
    assert ended.code == 0, ended.json["message"]
    after = project.photograph()
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert changed - {"status"} == {where}
    assert (project.root / where).read_bytes() == healed.encode()
    return ended


def dirty(project: Project) -> Project:
    """Give a project changes of every kind that git knows."""
    project.write(
        {"staged.py": "x = 1\n", "unstaged.py": "x = 1\n", "both.py": "x = 1\n", "gone.py": ""}
    )
    project.write({".gitignore": "ignored/\n"}).commit()
    project.write({"stashed.py": "1"}).git("stash", "push", "--quiet", "--include-untracked")
    project.write({"staged.py": "x = 2\n", "both.py": "x = 2\n"}).git("add", "staged.py", "both.py")
    project.write({"both.py": "x = 3\n", "unstaged.py": "x = 2\n", "untracked.py": "u = 1\n"})
    project.write({"ignored/notes.txt": "mine", "intended.py": "i = 1\n", "empty/.keep": ""})
    project.git("add", "--intent-to-add", "intended.py")
    project.git("rm", "--quiet", "--cached", "gone.py")
    return project


def test_a_dirty_tree_after_a_failure(project: Project) -> None:
    ended = fails(dirty(project.write({"test_names.py": UNHEALABLE})))
    assert ended.json["rollback"] is True


def test_a_dirty_tree_after_a_success(project: Project) -> None:
    ended = heals(dirty(project))
    ref = ended.json["recovery"]["ref"]
    assert project.git("show", f"{ref}:names.py") == SOURCE
    assert project.git("show", f"{ref}:untracked.py") == "u = 1\n"


def test_the_patched_file_itself_is_dirty(project: Project) -> None:
    project.write({"names.py": "# old\n"}).commit().write({"names.py": SOURCE})
    heals(project)


def test_no_repository(project: Project) -> None:
    ended = heals(project)
    assert ended.json["recovery"]["ref"] is None
    backup = Path(ended.json["recovery"]["backups"][0])
    assert backup.read_text() == SOURCE
    assert backup.name.startswith("names.py.")
    assert backup.parent == project.temporary / "agent-self-debugger-loop"


def test_no_repository_after_a_failure(project: Project) -> None:
    fails(project.write({"test_names.py": UNHEALABLE}))


def test_a_folder_of_a_repository(empty: Project) -> None:
    empty.write({"README": "top", "app/names.py": SOURCE, "app/test_names.py": TESTS}).commit()
    empty.write({"README": "dirty"})
    heals(empty, "--root", "app", where="app/names.py")


def test_a_subfolder_that_does_not_hold_the_code_names_the_whole_project(empty: Project) -> None:
    files = {"pytest.ini": "[pytest]\npythonpath = .\n", "names.py": SOURCE}
    empty.write({**files, "tests/test_names.py": TESTS})
    before = empty.photograph()
    for command in ("run", "diagnose"):
        ended = empty.run(command, "--root", "tests")
        assert f"the whole project: --root {empty.root}" in ended.out + ended.err
    assert empty.photograph() == before
    heals(empty)


def test_a_worktree(project: Project) -> None:
    project.commit().git("worktree", "add", "--quiet", str(project.home / "tree"))
    tree = Project(project.home / "tree", project.home)
    main = project.photograph()
    heals(tree)
    assert project.photograph() == main


def test_a_submodule(project: Project) -> None:
    project.commit()
    outer = Project(project.home / "outer", project.home).write({"README": "outer"}).commit()
    outer.git("submodule", "--quiet", "add", str(project.root), "inner")
    outer.commit()
    before = outer.photograph()
    ended = outer.heal("--root", "inner")
    assert ended.code == 0
    assert (outer.root / "inner/names.py").read_text() == HEALED
    assert before["index"] == outer.photograph()["index"]


@pytest.mark.parametrize("end", [fails, heals])
def test_the_middle_of_a_merge(end: object, project: Project) -> None:
    if end is fails:
        project.write({"test_names.py": UNHEALABLE})
    project.write({"notes": "1\n"}).commit()
    project.git("checkout", "--quiet", "-b", "other")
    project.write({"notes": "2\n"}).commit().git("checkout", "--quiet", "main")
    project.write({"notes": "3\n"}).commit()
    with pytest.raises(Exception, match="merge"):
        project.git("merge", "other")
    heads = [(project.root / ".git" / name).read_bytes() for name in ("MERGE_HEAD", "MERGE_MSG")]
    (fails if end is fails else heals)(project)
    assert heads == [
        (project.root / ".git" / name).read_bytes() for name in ("MERGE_HEAD", "MERGE_MSG")
    ]


def test_a_repository_without_a_commit(project: Project) -> None:
    project.git("init", "--quiet")
    heals(project)


def test_a_read_only_file(project: Project) -> None:
    (project.root / "names.py").chmod(0o444)
    before = project.photograph()
    ended = project.heal()
    assert ended.code == 128
    assert "PATCH-REJECTED" in ended.json["rejected"][-1]["reason"]
    assert "what heals was not written: " in ended.json["message"]
    assert "names.py is read-only" in ended.json["message"]
    assert project.photograph() == before


def test_the_mode_is_kept(project: Project) -> None:
    (project.root / "names.py").chmod(0o755)
    heals(project)
    assert (project.root / "names.py").stat().st_mode & 0o777 == 0o755


def test_a_link_inside_the_root(empty: Project) -> None:
    empty.write({"lib/real.py": SOURCE, "test_names.py": TESTS})
    (empty.root / "names.py").symlink_to("lib/real.py")
    assert empty.heal().code == 0
    assert (empty.root / "names.py").is_symlink()
    assert (empty.root / "lib/real.py").read_text() == HEALED


def test_a_link_that_leads_out(empty: Project) -> None:
    outside = empty.home / "outside.py"
    outside.parent.mkdir(exist_ok=True)
    outside.write_text(SOURCE)
    empty.write({"test_names.py": TESTS})
    (empty.root / "names.py").symlink_to(outside)
    before = empty.photograph()
    assert empty.heal().code in (2, 3)
    assert outside.read_text() == SOURCE
    assert empty.photograph() == before


BYTES = {
    "CRLF": (SOURCE.replace("\n", "\r\n"), HEALED.replace("\n", "\r\n"), "utf-8"),
    "a byte order mark": ("\ufeff" + SOURCE, "\ufeff" + HEALED, "utf-8"),
    "a latin-1 cookie": (
        "# coding: latin-1\nNAME = 'é'\n" + SOURCE,
        "# coding: latin-1\nNAME = 'é'\n" + HEALED,
        "latin-1",
    ),
    "tabs": (SOURCE.replace("    ", "\t"), HEALED.replace("    ", "\t"), "utf-8"),
    "no final newline": (SOURCE[:-1], HEALED[:-1], "utf-8"),
    "a form feed": (
        SOURCE.replace("\n\ndef", "\n\x0c\ndef"),
        HEALED.replace("\n\ndef", "\n\x0c\ndef"),
        "utf-8",
    ),
    "mixed line ends": (
        SOURCE.replace('people."""\n', 'people."""\r\n').replace("parts)\n", "parts)\r\n"),
        HEALED.replace('people."""\n', 'people."""\r\n').replace("parts)\n", "parts)\r\n"),
        "utf-8",
    ),
    "non-ASCII text before the column": (
        SOURCE.replace("parts = person", "ä, parts = 'ä€😀', person"),
        HEALED.replace("parts = person", "ä, parts = 'ä€😀', person"),
        "utf-8",
    ),
}


@pytest.mark.parametrize("kind", BYTES)
def test_the_bytes_of_a_file(kind: str, empty: Project) -> None:
    before, after, encoding = BYTES[kind]
    empty.write({"names.py": before.encode(encoding), "test_names.py": TESTS})
    ended = empty.heal("--diff", str(empty.home / "the.patch"))
    assert ended.code == 0, ended.json["message"]
    assert (empty.root / "names.py").read_bytes() == after.encode(encoding)
    empty.commit().git("apply", "--reverse", "--whitespace=nowarn", str(empty.home / "the.patch"))
    assert (empty.root / "names.py").read_bytes() == before.encode(encoding)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_rolls_back(number: signal.Signals, empty: Project) -> None:
    """The suite hangs only in the proof, when the patch is in place."""
    empty.write(
        {
            "m.py": "def f(x):\n    return x.y\n",
            "test_m.py": (
                "import os, pathlib, time\nimport pytest\nfrom m import f\n\n\ndef test_f():\n"
                "    assert f(None) is None\n\n\ndef test_slow():\n"
                "    if 'is None' in pathlib.Path('m.py').read_text():\n"
                "        pathlib.Path(os.environ['SELFDEBUG_STATE_DIR'], 'mark').touch()\n"
                "        time.sleep(60)\n"
            ),
        }
    )
    before = empty.commit().photograph()
    process = empty.start("run", "--json")
    mark = empty.home / "state" / "mark"
    while not mark.exists() and process.poll() is None:
        time.sleep(0.05)
    assert (empty.root / "m.py").read_text() != "def f(x):\n    return x.y\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    ended = Ended(process.returncode, out, err)
    assert (ended.code, ended.json["final_status"], ended.json["rollback"]) == (
        130,
        "interrupted",
        True,
    )
    assert empty.photograph() == before
    assert empty.run("recover").out == "nothing to recover\n"


def test_killed_with_the_patch_in_place(empty: Project) -> None:
    empty.write(
        {
            "m.py": "def f(x):\n    return x.y\n",
            "test_m.py": (
                "import os, pathlib, signal\nfrom m import f\n\n\ndef test_f():\n"
                "    assert f(None) is None\n\n\ndef test_slow():\n"
                "    if 'is None' in pathlib.Path('m.py').read_text():\n"
                "        os.kill(int(os.environ['PARENT']), signal.SIGKILL)\n"
            ).replace(
                "os.environ['PARENT']",
                "pathlib.Path(os.environ['SELFDEBUG_STATE_DIR'], 'pid').read_text()",
            ),
        }
    )
    before = empty.commit().photograph()
    process = empty.start("run", "--json")
    (empty.home / "state" / "pid").write_text(str(process.pid))
    process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL
    refused = empty.heal()
    assert (refused.code, refused.json["final_status"]) == (4, "error")
    assert "selfdebug recover" in refused.json["message"]
    looked = empty.run("diagnose", "--json")
    assert (looked.code, looked.json["message"]) == (4, refused.json["message"])
    recovered = empty.run("recover")
    assert recovered.code == 0
    assert empty.photograph() == before


def test_two_runs_at_once(project: Project) -> None:
    project.write({"test_slow.py": "import time\n\n\ndef test_slow():\n    time.sleep(5)\n"})
    first = project.start("run", "--json")
    deadline = time.monotonic() + 30
    while not list((project.home / "state").rglob("*lock*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    second = project.heal()
    assert (second.code, second.json["final_status"]) == (4, "error")
    assert "another selfdebug run" in second.json["message"]
    first.communicate(timeout=120)
    assert first.returncode == 0


def test_nothing_of_ours_is_left_behind(project: Project) -> None:
    project.heal()
    left = [path.name for path in project.temporary.iterdir()]
    assert left == ["agent-self-debugger-loop"]
    assert sorted(path.name for path in project.root.iterdir()) == ["names.py", "test_names.py"]
