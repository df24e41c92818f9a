"""What a run needs later is imported while pytest is at work: libcst alone takes as long as pytest."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
before = {*sys.modules}
import selfdebug.cli, selfdebug.loop
print(*{*sys.modules} - before)
"""


def test_the_command_line_and_the_loop_need_click_alone() -> None:
    shown = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, check=True, text=True
    )
    loaded = shown.stdout.split()
    others = {name.partition(".")[0] for name in loaded} - sys.stdlib_module_names
    assert others == {"click", "selfdebug"}
    folders = {name.split(".")[1] for name in loaded if name.startswith("selfdebug.")}
    assert folders.isdisjoint({"codemods", "ingestion", "localization", "planning"})
    assert "_hashlib" not in loaded  # OpenSSL
