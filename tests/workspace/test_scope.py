from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from selfdebug.workspace.scope import editable


def test_a_file_of_the_project_may_be_edited(root: Path) -> None:
    assert editable(root, root / "shop/cart.py") is None
    assert editable(root / "shop", root / "shop/cart.py") is None


@pytest.mark.parametrize("spelling", ["{root}/../outside.py", "{root}/shop/../../outside.py"])
def test_a_path_outside_is_refused_however_it_is_spelled(root: Path, spelling: str) -> None:
    (root.parent / "outside.py").write_text("x = 1\n")
    path = Path(spelling.format(root=root))
    assert editable(root, path) == f"is outside the root {root}"


def test_a_sibling_whose_name_begins_alike_is_outside(root: Path) -> None:
    twin = root.with_name(root.name + "2") / "a.py"
    twin.parent.mkdir()
    twin.write_text("x = 1\n")
    assert editable(root, twin) == f"is outside the root {root}"


def test_a_folder_that_is_a_link_out_of_the_root_is_outside(root: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other/a.py").write_text("x = 1\n")
    (root / "other").symlink_to(tmp_path / "other")
    assert editable(root, root / "other/a.py") == f"is outside the root {root}"


@pytest.mark.parametrize(
    "name",
    [
        "lib/python3.11/site-packages/a.py",
        "node_modules/a.py",
        ".venv/a.py",
        "shop/_vendor/a.py",
        ".git/hooks/a.py",
        ".tox/py/a.py",
    ],
)
def test_code_of_others_is_refused(root: Path, name: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True)
    path.write_text("x = 1\n")
    assert "not the project's own" in str(editable(root, path))
    assert editable(path.parent, path) is None


def test_an_environment_under_any_name_is_refused(root: Path) -> None:
    (root / "py3/lib").mkdir(parents=True)
    (root / "py3/pyvenv.cfg").touch()
    (root / "py3/lib/a.py").touch()
    assert editable(root, root / "py3/lib/a.py") == "belongs to the environment in py3"


def test_a_read_only_file_is_refused(root: Path) -> None:
    (root / "run.py").chmod(0o444)
    assert editable(root, root / "run.py") == "is read-only"


def test_a_hard_link_is_refused(root: Path) -> None:
    os.link(root / "run.py", root / "twin.py")
    assert "hard link" in str(editable(root, root / "twin.py"))


def test_what_is_no_file_is_refused(root: Path) -> None:
    os.mkfifo(root / "pipe.py")
    assert editable(root, root / "pipe.py") == "is not a regular file"
    assert editable(root, root / "shop") == "is not a regular file"
    assert editable(root, root / "none.py") == "cannot be read: No such file or directory"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize(
    ("file_owner", "folder_owner", "why"),
    [
        (1234, 1234, None),
        (0, 1234, "belongs to another user: replacing it would change its owner"),
        (1234, 0, "is in a read-only folder"),
    ],
)
def test_what_the_user_may_not_replace_is_refused(
    monkeypatch: pytest.MonkeyPatch, file_owner: int, folder_owner: int, why: str | None
) -> None:
    """As another user, in a folder that all users can reach."""
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.delenv("TMPDIR")
    with tempfile.TemporaryDirectory() as name:
        root, path = Path(name), Path(name, "own/a.py")
        path.parent.mkdir()
        path.write_text("x = 1\n")
        for each, mode, owner in (
            (path, 0o666, file_owner),
            (path.parent, 0o755, folder_owner),
            (root, 0o755, 0),
        ):
            each.chmod(mode)
            os.chown(each, owner, owner)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setgid(1234)
                os.setuid(1234)
                os.write(writer, str(editable(root, path)).encode())
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        os.close(writer)
        with os.fdopen(reader) as answer:
            assert answer.read() == str(why)


def _git(folder: Path, *arguments: str) -> None:
    name = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", *name, *arguments], cwd=folder, check=True, capture_output=True)


def test_what_git_ignores_is_refused_unless_it_is_tracked(root: Path) -> None:
    _git(root, "init", "-q")
    (root / ".gitignore").write_text("shop/\nrun.py\n")
    _git(root, "add", "-f", "run.py")
    assert editable(root, root / "shop/cart.py") == "is ignored by git"
    assert editable(root, root / "run.py") is None


def test_a_project_that_an_outer_repository_ignores_whole_is_no_repository(root: Path) -> None:
    _git(root.parent, "init", "-q")
    (root.parent / ".gitignore").write_text("*\n")
    assert editable(root, root / "run.py") is None


def test_a_submodule_answers_for_itself(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / ".gitignore").write_text("made.py\n")
    (other / "a.py").write_text("x = 1\n")
    _git(other, "init", "-q")
    _git(other, "add", ".")
    _git(other, "commit", "-qm", "first")
    _git(root, "init", "-q")
    _git(root, "submodule", "add", str(other), "other")
    (root / "other/made.py").write_text("x = 1\n")
    assert editable(root, root / "other/made.py") == "is ignored by git"
    assert editable(root, root / "other/a.py") is None


def test_variables_of_a_git_hook_do_not_lead_to_another_repository(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    _git(other, "init", "-q")
    (other / ".git/info/exclude").write_text("*\n")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(root))
    assert editable(root, root / "run.py") is None
