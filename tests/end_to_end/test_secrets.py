"""Secrets in variables, arguments, messages, output and environment get into nothing that is kept."""

from __future__ import annotations

import os

import pytest

from tests.end_to_end.project import Project

SECRETS = {
    "local": "hunter2-local-4711",
    "argument": "hunter2-argument-4712",
    "environment": "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
    "message": "AKIAIOSFODNN7EXAMPLE",
}
CLIENT = """\
import os


def connect(password, user):
    api_key = open(os.path.join(os.path.dirname(__file__), "key.txt")).read()
    token = os.environ["SERVICE_TOKEN"]
    print("connecting with password=" + password, token)
    return user.name + api_key + token


def greet(user):
    return user.name
"""
TESTS = """\
import os
from pathlib import Path

from client import connect, greet


def test_connect():
    given = Path(__file__).with_name("password.txt").read_text()
    connect(given, None)


def test_greet():
    assert greet(None) == ""


def test_message():
    access_key = Path(__file__).with_name("access.txt").read_text()
    raise RuntimeError("no access with " + access_key)
"""


@pytest.fixture
def planted(empty: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("SERVICE_TOKEN", SECRETS["environment"])
    return empty.write(
        {
            "client.py": CLIENT,
            "test_client.py": TESTS,
            "key.txt": SECRETS["local"],
            "password.txt": SECRETS["argument"],
            "access.txt": SECRETS["message"],
            ".gitignore": "*.txt\n",
        }
    ).commit()


def told(project: Project, *shown: str) -> dict[str, list[str]]:
    """Where each secret is to be read: in what was shown, and in every file outside the project."""
    kept = [path for path in project.home.rglob("*") if path.is_file()]
    places = {str(path.relative_to(project.home)): path.read_bytes() for path in kept}
    places |= {f"shown {number}": text.encode() for number, text in enumerate(shown)}
    return {
        name: [place for place, data in places.items() if secret.encode() in data]
        for name, secret in SECRETS.items()
    }


@pytest.mark.parametrize("command", [("run", "--json"), ("run",), ("diagnose", "--json")])
def test_no_secret_is_shown_or_kept(planted: Project, command: tuple[str, ...]) -> None:
    ended = planted.run(*command)
    assert ended.code in {0, 3, 128}, ended.err
    assert told(planted, ended.out, ended.err) == {name: [] for name in SECRETS}


def test_no_secret_is_in_what_probes_log(planted: Project) -> None:
    ended = planted.run("probe", "client.py:8", "--json")
    assert "api_key" in ended.out
    assert told(planted, ended.out, ended.err) == {name: [] for name in SECRETS}


def test_records_and_backups_are_for_this_user_alone(project: Project) -> None:
    assert project.run("run").code == 0
    assert (project.home / "state/plugins").stat().st_mode & 0o077 == 0
    own = [
        path
        for path in project.home.rglob("*")
        if path != project.temporary and "plugins" not in path.relative_to(project.home).parts
    ]
    assert any(path.suffix == ".bak" for path in own)
    assert any(path.name == "report.json" for path in own)
    assert [path for path in own if path.stat().st_mode & 0o077] == []
    assert {path.stat().st_uid for path in own} == {os.geteuid()}
