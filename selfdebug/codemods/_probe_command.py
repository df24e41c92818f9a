"""The command of Probe, which also takes its probes out of a file again."""

from __future__ import annotations

from argparse import ArgumentParser

import libcst as cst
from libcst.codemod import CodemodContext, SkipFile

from selfdebug.codemods._command import Command, targets_in
from selfdebug.codemods._probes import RUNTIME, probed, without_probes
from selfdebug.codemods.probe import Probe


class ProbeCommand(Command):
    """Put probes in at the sites asked for, or take all out."""

    def __init__(
        self,
        context: CodemodContext,
        at: list[str] | None = None,
        trace: str | None = None,
        variant: str = "all",
        remove: bool = False,
    ):
        super().__init__(context, at, trace)
        self.variant, self.remove = variant, remove

    @staticmethod
    def add_args(arg_parser: ArgumentParser) -> None:
        """Add ``--variant`` and ``--remove`` to what all codemods have."""
        Command.add_args(arg_parser)
        arg_parser.add_argument(
            "--variant", choices=[*Probe.WHAT], default="all", help="what to log (all)"
        )
        arg_parser.add_argument("--remove", action="store_true", help="take all probes out again")

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """Change a whole file. Raises SkipFile for no change."""
        if self.remove:
            module: cst.Module | None = without_probes(tree)
        else:
            lines = {target.site.span.line for target in targets_in(self, tree)}
            module = probed(self.tree(tree), lines, Probe.WHAT[self.variant])
        if module is None or module.code == tree.code:
            raise SkipFile("no probe to take out" if self.remove else "no statement to probe there")
        if not self.remove:
            self.warn(f"run with PYTHONPATH={RUNTIME} SELFDEBUG_PROBES=probes.jsonl")
        return module
