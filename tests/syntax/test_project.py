"""Which file of the project a path means that another machine spelled."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfdebug.syntax.project import Project, is_generated
from selfdebug.syntax.source import decode


@pytest.fixture
def project(tmp_path: Path) -> Project:
    for name in (
        "src/shop/__init__.py",
        "src/shop/cart.py",
        "src/shop/store/__init__.py",
        "src/shop/store/cart.py",
        "src/shop/rates.py",
        "setup.py",
        "tests/test_cart.py",
        "tests/builders.py",
        ".tox/py/lib/python3.11/site-packages/shop/cart.py",
        ".venv/lib/python3.11/site-packages/requests/api.py",
        "env/lib/thing.py",
        "node_modules/gyp/gyp.py",
        "build/lib/shop/cart.py",
        "tools/build/__init__.py",
        "tools/build/steps.py",
        "cage/pyvenv.cfg",
        "cage/thing.py",
    ):
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "outside.py").touch()
    return Project(tmp_path / "root", ("/home/runner/work/shop",))


@pytest.mark.parametrize(
    ("spelled", "own"),
    [
        ("src/shop/rates.py", "src/shop/rates.py"),
        ("./src/shop/../shop/rates.py", "src/shop/rates.py"),
        ("/home/runner/work/shop/src/shop/rates.py", "src/shop/rates.py"),
        ("/builds/group/shop/src/shop/rates.py", "src/shop/rates.py"),
        ("D:\\a\\shop\\src\\shop\\rates.py", "src/shop/rates.py"),
        ("D:/a/shop/src/shop/rates.py", "src/shop/rates.py"),
        ("src\\shop\\rates.py", "src/shop/rates.py"),
        ("../shop/rates.py", "src/shop/rates.py"),
        ("/app/shop/store/cart.py", "src/shop/store/cart.py"),
        ("/app/shop/cart.py", "src/shop/cart.py"),
        ("/app/setup.py", "setup.py"),
        ("/ci/.tox/py39/lib/python3.9/site-packages/shop/cart.py", "src/shop/cart.py"),
        (".tox/py/lib/python3.11/site-packages/shop/cart.py", "src/shop/cart.py"),
        ("C:\\env\\Lib\\site-packages\\shop\\store\\cart.py", "src/shop/store/cart.py"),
        ("tools/build/steps.py", "tools/build/steps.py"),
    ],
)
def test_a_path_of_the_project(project: Project, spelled: str, own: str) -> None:
    assert project.resolve(spelled) == (project.root / own,)


@pytest.mark.parametrize(
    "spelled",
    [
        "<string>",
        "<frozen importlib._bootstrap>",
        "<doctest shop.cart[0]>",
        "templates/cart.html",
        "src/shop/cart.pyx",
        "../outside.py",
        "src/../../outside.py",
        ".venv/lib/python3.11/site-packages/requests/api.py",
        "env/lib/thing.py",
        "node_modules/gyp/gyp.py",
        "build/lib/nothing.py",
        "cage/thing.py",
        "/usr/lib/python3.11/rates.py",
        "/opt/hostedtoolcache/Python/3.11.9/x64/lib/python3.11/json/rates.py",
        "C:\\hostedtoolcache\\windows\\Python\\3.11.9\\x64\\Lib\\rates.py",
        "/x/lib/python3.9/site-packages/rates.py",
        "/x/lib/python3.9/site-packages/other/cart.py",
        "/x/lib/python3.9/site-packages/_pytest/python.py",
        "",
    ],
)
def test_a_path_of_others(project: Project, spelled: str) -> None:
    assert project.resolve(spelled) == ()


def test_an_existing_file_elsewhere_is_not_taken_for_ours(project: Project, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere" / "shop" / "rates.py"
    copy.parent.mkdir(parents=True)
    copy.touch()
    assert project.resolve(str(copy)) == ()


def test_a_link_out_of_the_root_is_not_ours(project: Project, tmp_path: Path) -> None:
    (project.root / "src/shop/linked.py").symlink_to(tmp_path / "outside.py")
    (project.root / "away").symlink_to(tmp_path)
    assert project.resolve("src/shop/linked.py") == ()
    assert project.resolve("away/outside.py") == ()
    assert project.resolve("/ci/shop/linked.py") == ()


def test_a_link_within_the_root_means_its_target(project: Project) -> None:
    (project.root / "alias.py").symlink_to(project.root / "src/shop/rates.py")
    assert project.resolve("alias.py") == (project.root / "src/shop/rates.py",)


def test_a_root_reached_through_a_link(project: Project, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(project.root)
    through = Project(tmp_path / "link")
    assert through.resolve(str(tmp_path / "link/src/shop/rates.py")) == (
        project.root / "src/shop/rates.py",
    )


def test_equally_good_suffixes_stay_open(project: Project) -> None:
    for folder in ("one", "two"):
        (project.root / folder).mkdir()
        (project.root / folder / "views.py").touch()
    assert set(Project(project.root).resolve("/app/views.py")) == {
        project.root / "one/views.py",
        project.root / "two/views.py",
    }


@pytest.mark.parametrize(
    ("file", "nodeids", "is_test"),
    [
        ("tests/test_cart.py", (), True),
        ("tests/builders.py", (), True),
        ("src/shop/conftest.py", (), True),
        ("src/shop/cart_test.py", (), True),
        ("src/shop/test_cart.py", (), True),
        ("src/shop/testing.py", (), False),
        ("src/shop/latest.py", (), False),
        ("checks/cart.py", (), False),
        ("checks/cart.py", ("checks/cart.py::test_it[1]",), True),
    ],
)
def test_what_belongs_to_the_tests(
    project: Project, file: str, nodeids: tuple[str, ...], is_test: bool
) -> None:
    assert project.is_test_file(project.root / file, nodeids) is is_test


def test_a_module_by_its_name(project: Project) -> None:
    assert project.module("shop.rates") == project.root / "src/shop/rates.py"
    assert project.module("shop.store") == project.root / "src/shop/store/__init__.py"
    assert project.module("store.cart") is None
    assert project.module("json") is None


@pytest.mark.parametrize(
    ("head", "generated"),
    [
        ("# @generated by tool\n", True),
        ("# Generated by the protocol buffer compiler.  DO NOT EDIT!\n", True),
        ('"""Edit at will."""\n', False),
        ("x = 1\n" * 200 + "# @generated\n", False),
    ],
)
def test_generated_code_says_so_at_its_head(head: str, generated: bool) -> None:
    assert is_generated(decode(Path("x.py"), head.encode())) is generated
