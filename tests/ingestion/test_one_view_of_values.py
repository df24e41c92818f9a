"""The pytest plugin and the probes show a value alike: each is a file that must stand alone."""

from __future__ import annotations

import ast
from pathlib import Path

import selfdebug
from selfdebug.codemods._probes import RUNTIME

OWN = {"message", "is_code", "_get_filename", "_ATOMS"}


def definitions(path: Path) -> dict[str, str]:
    found = {}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = ast.unparse(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            found[ast.unparse(target)] = ast.unparse(node)
    return found


def test_what_both_define_is_the_same() -> None:
    plugin = definitions(Path(selfdebug.__file__).parent / "ingestion" / "plugin.py")
    values = definitions(RUNTIME / "selfdebug_values.py")
    shared = values.keys() - OWN
    assert {"view", "attributes", "variables", "is_secret", "redact"} <= shared
    assert {name: values[name] for name in shared} == {name: plugin.get(name) for name in shared}
