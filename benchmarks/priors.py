"""How often templates are right where they apply, next to their priors: ``make bench-priors``.

For the first failure of each bundled project that crashes, all candidates are proposed and none is
tried; the template of the expected repair counts as right, all others as wrong. The projects were
written to show what is repaired, so the shares are too high; what they can tell is whether a template
with a greater prior is right more often than one with a lesser. It prints the shares by prior, and the
templates that were offered most.
"""

from __future__ import annotations

import itertools
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from selfdebug.codemods import catalogue
from selfdebug.localization.localize import localize
from selfdebug.planning.propose import propose
from selfdebug.syntax.project import Project
from selfdebug.validation.cold import run_pytest
from selfdebug.validation.launch import PytestCommand

FIXTURES = Path(__file__).parents[1] / "fixtures"
_BOUNDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.01)
_FEW = 3  # offers of which a share says nothing
Template: TypeAlias = tuple[str, str]
"""The names of a codemod and of one of its variants."""


def main(argv: list[str]) -> None:
    """Look at the projects that are named, or at all."""
    names = argv or sorted(path.parent.name for path in FIXTURES.glob("*/expect.json"))
    offered: Counter[Template] = Counter()
    right: Counter[Template] = Counter()
    for name in names:
        expect = json.loads((FIXTURES / name / "expect.json").read_text("utf-8"))
        if "codemod" in expect:
            templates = {*_offered(name)}
            offered.update(templates)
            right.update(templates & {_template(expect)})
            print(name, len(templates), _template(expect) in templates, flush=True)
    priors = _priors()
    for low, high in itertools.pairwise(_BOUNDS):
        _show(
            f"prior {low:.1f} to {min(high, 1):.1f}",
            [each for each in offered if low <= priors[each] < high],
            offered,
            right,
        )
    for template, count in offered.most_common():
        if count >= _FEW:
            _show(
                f"{' '.join(template)} (prior {priors[template]:.2f})", [template], offered, right
            )


def _offered(name: str) -> Iterator[Template]:
    """Yield the templates that answer the first failure of a project."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / name
        shutil.copytree(FIXTURES / name / "project", root)
        run = run_pytest(PytestCommand(root, Path(sys.executable)))
        project = Project(root)
        for failure in run.failures[:1]:
            found = localize(failure, project)
            sites = (*found.sites, *found.outer, *found.in_tests)
            plan = propose(sites, catalogue(), project, (failure.test,))
            yield from ((each.codemod, each.variant) for each in plan.candidates)


def _template(expect: dict[str, Any]) -> Template:
    return expect["codemod"], expect["variant"]


def _priors() -> dict[Template, float]:
    return {
        (codemod.NAME, form.name): form.likely
        for codemod in catalogue()
        for form in codemod.VARIANTS
    }


def _show(
    what: str, templates: list[Template], offered: Counter[Template], right: Counter[Template]
) -> None:
    count, hits = sum(offered[each] for each in templates), sum(right[each] for each in templates)
    if count:
        print(f"{what:55} offered {count:3}, right {hits:3}: {hits / count:.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
