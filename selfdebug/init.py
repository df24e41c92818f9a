"""What ``selfdebug init`` writes: the two places where a project says that it uses selfdebug."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from selfdebug.settings import toml
from selfdebug.workspace import atomic

CODEMOD_CONFIG = ".libcst.codemod.yaml"
MODULES = "selfdebug._libcst"
STUB = """\
[tool.selfdebug]
# max-attempts = 4
# timeout = 600
# test-timeout = 20
# python = ".venv/bin/python"
# require = "default"
# ignore = []
# pytest-args = []
"""


class CannotMerge(Exception):
    """A file that is there already and that we do not understand; the message says what to add."""


def init(root: Path) -> Mapping[str, str]:
    """Write or merge both files, each only where something is missing; say what was done to which.

    Raises CannotMerge, before anything is written, and OSError.
    """
    planned = {name: merge(_text(root / name)) for name, merge in _MERGES.items()}
    return {name: _put(root / name, text) for name, text in planned.items()}


def _put(path: Path, text: str | None) -> str:
    if text is None:
        return "has it already"
    if not path.exists():
        path.write_bytes(text.encode())
        return "written"
    temporary = path.with_name(f".{path.name}.selfdebug-init")
    atomic.overwrite(path, path.read_bytes(), text.encode(), temporary, time.time_ns())
    return "added to"


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise CannotMerge(f"{path} is not UTF-8: {error}") from error


def merged_codemod_config(text: str) -> str | None:
    """Return libcst's configuration with our module in its list; None where it is there already.

    All else stays as it is, to the byte. Raises CannotMerge.
    """
    import yaml

    hint = f"{CODEMOD_CONFIG}: add `- {MODULES}` to its `modules` by hand"
    if not text.strip():
        return f"modules:\n- {MODULES}\n- libcst.codemod.commands\n"
    try:
        config = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise CannotMerge(f"{CODEMOD_CONFIG} is not valid YAML: {error}; then {hint}") from error
    if not isinstance(config, dict) or not isinstance(config.get("modules", []), list):
        raise CannotMerge(hint)
    if MODULES in config.get("modules", []):
        return None
    merged = _with_module(text, "modules" in config)
    expected = {**config, "modules": [MODULES, *config.get("modules", ["libcst.codemod.commands"])]}
    if yaml.safe_load(merged) != expected:
        raise CannotMerge(hint)
    return merged


def _with_module(text: str, has_list: bool) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    if not has_list:
        end = "" if text.endswith("\n") else newline
        lines = ("modules:", f"- {MODULES}", "- libcst.codemod.commands", "")
        return text + end + newline.join(lines)
    block = re.search(
        r"^modules:[^\S\r\n]*(?:#.*)?\r?\n(?:[^\S\r\n]*(?:#.*)?\r?\n)*([ ]*)- ", text, re.MULTILINE
    )
    if block:
        at = block.start(1)
        return f"{text[:at]}{block.group(1)}- {MODULES}{newline}{text[at:]}"
    return re.sub(
        r"^(modules:\s*\[)(\s*)(?=[^\]\s])", rf"\1\2{MODULES}, ", text, count=1, flags=re.MULTILINE
    )


def merged_pyproject(text: str) -> str | None:
    """Return a pyproject.toml with a commented table of ours at its end; None where it has one.

    Raises CannotMerge.
    """
    try:
        table = toml(text)
    except ValueError as error:
        raise CannotMerge(f"pyproject.toml is not valid TOML: {error}") from error
    if "selfdebug" in table.get("tool", {}):
        return None
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    return text + gap + STUB.replace("\n", newline)


_MERGES: Mapping[str, Callable[[str], str | None]] = {
    CODEMOD_CONFIG: merged_codemod_config,
    "pyproject.toml": merged_pyproject,
}
