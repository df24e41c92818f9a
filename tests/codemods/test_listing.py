"""A run imports the codemods that may answer its failure, as if it had imported them all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from selfdebug.codemods import catalogue
from selfdebug.codemods._listing import Listed, imported, listing
from selfdebug.settings import Settings
from selfdebug.steps.catalogue import catalogue as catalogue_of
from tests.codemods.examples import shown

SITES = [
    shown(codemod.EXAMPLES[number], codemod)[1]
    for codemod in catalogue()
    for number in {0, len(codemod.EXAMPLES) - 1}
]
SCRIPT = """
import sys
from pathlib import Path
from pathlib import Path
from selfdebug.codemods._listing import listing
from selfdebug.model import Site, Span

templates, _ = listing(sys.stdin.buffer.read())
site = Site(Path("shop.py"), Span(1, 1, 1, 5), "Name", "totl", "NameError", "name 'totl' is not defined")
print([each.NAME for each in templates if each.answers(site)])
print("selfdebug.codemods.null_guard" in sys.modules, "selfdebug.codemods.loop_form" in sys.modules)
"""


def test_what_is_kept_answers_what_the_classes_answer() -> None:
    every, told = listing()
    known, same = listing(told)
    assert every == catalogue()
    assert same == told
    assert all(isinstance(each, Listed) for each in known)
    assert [each.NAME for each in known] == [each.NAME for each in every]
    assert tuple(map(imported, known)) == every
    for site in SITES:
        answering = [each.NAME for each in every if each.answers(site)]
        assert [each.NAME for each in known if each.answers(site)] == answering


def test_no_failure_is_answered_but_by_those_that_may() -> None:
    known, _ = listing(listing()[1])
    for site in SITES:
        name = site.exc_type.rpartition(".")[2]
        may = {each.NAME for each in known if isinstance(each, Listed) and each.may_answer(name)}
        if not site.suspicion:
            assert {each.NAME for each in known if each.answers(site)} <= may
            assert len(may) < len(known) / 2


def test_what_does_not_answer_is_not_imported() -> None:
    _, told = listing()
    shown = subprocess.run(
        [sys.executable, "-c", SCRIPT], input=told, capture_output=True, check=True
    )
    names, loaded = shown.stdout.decode().splitlines()
    assert "misspelt-name" in names
    assert loaded == "False False"


def _with_another_size(told: bytes) -> bytes:
    changed = json.loads(told)
    changed["files"][0][2] += 1
    return json.dumps(changed).encode()


@pytest.mark.parametrize(
    "spoil",
    [
        _with_another_size,
        lambda told: told[:-9],
        lambda _: b"",
        lambda _: b"[1]",
        lambda told: told.replace(b'"codemods": [[', b'"codemods": [[1, '),
        lambda _: b"[" * 100_000,
        lambda told: told.replace(b'["NullGuard"', b'["NoGuard"'),
        lambda told: told.replace(b'["NullGuard", "null-guard"', b'["NullGuard", ["null-guard"]'),
    ],
    ids=[
        *("of other files", "torn", "nothing", "another form", "another row", "without end"),
        *("a class unknown", "a name of another kind"),
    ],
)
def test_what_is_kept_of_other_files_or_damaged_is_not_used(spoil: object) -> None:
    assert callable(spoil)
    _, told = listing()
    assert listing(spoil(told)) == (catalogue(), told)


def test_a_run_keeps_it_for_the_next(tmp_path: Path) -> None:
    settings = Settings(tmp_path, ignore=("null-guard",))
    first, second = (catalogue_of(settings, tmp_path) for _ in range(2))
    assert not any(isinstance(each, Listed) for each in first)
    assert all(isinstance(each, Listed) for each in second)
    assert "null-guard" not in [each.NAME for each in second]
    assert tuple(map(imported, second)) == first == catalogue_of(settings, None)
    assert first == catalogue_of(settings, tmp_path / "missing")
