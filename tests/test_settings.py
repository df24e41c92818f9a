"""Flags over ``[tool.selfdebug]`` over defaults."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfdebug.settings import BadSettings, Settings, load


def write(root: Path, table: str) -> Path:
    (root / "pyproject.toml").write_text(f"[tool.selfdebug]\n{table}\n")
    return root


def test_without_a_table_the_defaults_stand(tmp_path: Path) -> None:
    assert load(tmp_path, {}) == Settings(tmp_path.resolve())


def test_the_table_is_read_and_paths_are_the_roots(tmp_path: Path) -> None:
    table = (
        'max-attempts = 9\ntimeout = 20\npython = "venv/bin/python"\nbackup-dir = "b"\n'
        'ignore = ["probe"]\npytest-args = ["-x", "tests"]\nprobe = false\n'
        "sandbox = true"
    )
    assert load(write(tmp_path, table), {}) == Settings(
        tmp_path.resolve(),
        max_attempts=9,
        timeout=20.0,
        python=tmp_path.resolve() / "venv/bin/python",
        backup_dir=tmp_path.resolve() / "b",
        ignore=("probe",),
        pytest_args=("-x", "tests"),
        probe=False,
        sandbox=True,
    )


def test_an_interpreter_is_found_from_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load(tmp_path, {"python": Path("../venv/bin/python")}).python == (
        tmp_path / "../venv/bin/python"
    )
    assert load(tmp_path, {"python": Path("python3.12")}).python == Path("python3.12")


def test_a_flag_wins_and_a_flag_not_given_does_not(tmp_path: Path) -> None:
    root = write(tmp_path, "max-attempts = 9\ntimeout = 20")
    settings = load(root, {"max_attempts": 2, "timeout": None})
    assert (settings.max_attempts, settings.timeout) == (2, 20.0)


def test_a_flag_is_checked_too(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="root-cause, guard, default, not 'any'"):
        load(tmp_path, {"require": "any"})


BAD = {
    "max_atempts = 3": "has no setting 'max_atempts'",
    'max-attempts = "3"': "is not a whole number",
    "max-attempts = true": "is not a whole number",
    "max-attempts = 0": "must be at least 1",
    "max-candidates = 0": "must be at least 1",
    "search-seconds = 0": "must be 0 to 1000000 seconds",
    "timeout = -1": "must be 0 to 1000000 seconds",
    "timeout = nan": "must be 0 to 1000000 seconds, not nan",
    "search-seconds = inf": "must be 0 to 1000000 seconds, not inf",
    'pytest-args = ["a\\u0000"]': "has a NUL character",
    'select = "null-guard"': "is not a list of strings",
    "dry-run = 1": "is not true or false",
    "jobs = 0": "must be 1 to 256",
    "jobs = 257": "must be 1 to 256",
    'executor = "tcp://a:1"': "must be dask://HOST:PORT",
    'sandbox = true\nexecutor = "dask://a:1"': "workers have no sandbox",
    "jobs = [": "cannot be read",
}


@pytest.mark.parametrize("table", BAD)
def test_a_bad_setting_is_named_with_what_is_wrong(table: str, tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match=BAD[table]):
        load(write(tmp_path, table), {})
