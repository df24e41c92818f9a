"""The closed loop: observe, localize, propose, try, keep or revert, report.

Candidates are tried without a write to the project; only one that passed is written in place, and a
fresh pytest process over the whole suite decides whether it stays.
"""

from __future__ import annotations

import traceback
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from selfdebug.model import Explanation, Healing
from selfdebug.settings import Settings
from selfdebug.steps.context import Context, Step
from selfdebug.steps.observe import Ended, Observation, read, see_twice
from selfdebug.steps.progress import Progress, begin_search, give_up, interrupted, keep
from selfdebug.syntax.project import Project
from selfdebug.syntax.source import Outdated
from selfdebug.validation.cluster import ClusterMissing
from selfdebug.validation.cold import PytestMissing
from selfdebug.validation.prepare import Prepared
from selfdebug.validation.sandbox import SandboxMissing
from selfdebug.workspace.errors import WorkspaceError
from selfdebug.workspace.session import check_finished, open_run

if TYPE_CHECKING:
    from selfdebug.steps.probe import Probed


def heal(settings: Settings, tests: Prepared, log: BinaryIO | None, step: Step) -> Healing:
    """Run the loop once and tell how it ended: the tree is healed, or as it was.

    ``tests`` is for these settings. ``log`` is a captured pytest log; without one pytest is run to
    see what fails. ``step`` is called with a line on what happens now. Nothing is raised: an error of
    our own is exit code 1.
    """
    context = Context(settings, tests, step)
    progress = Progress(context, Observation(Project(settings.root)), None)
    try:
        with (
            open_run(settings.root, settings.backup_dir) as run,
            context.started(settings.executor),
        ):
            told = progress.seen if log is None else read(log, context)
            progress = Progress(context, told, run)
            seen = see_twice(context, told)
            progress = searching = begin_search(context, seen, run)
            for patch in searching.plausible():
                if searching.holds(patch):
                    return keep(searching, patch)
            return give_up(searching)
    except Ended as end:
        return progress.report(end.status, end.exit_code, str(end))
    except (WorkspaceError, PytestMissing, ClusterMissing, SandboxMissing) as error:
        return progress.report("error", 4, str(error))
    except Outdated as error:
        return progress.report("fail", 128, str(error))
    except KeyboardInterrupt:
        return interrupted(progress)
    except Exception as error:  # noqa: BLE001 - whatever it is, the caller gets a report
        traceback.print_exc()
        return progress.report("error", 1, f"selfdebug failed; please report it: {error!r}")


def diagnose(settings: Settings, tests: Prepared, log: BinaryIO | None, step: Step) -> Explanation:
    """Read, localize and explain the failures of a log, or of a run of pytest; edit nothing.

    Nothing is raised, as from ``heal``.
    """
    context = Context(settings, tests, step)
    try:
        check_finished(settings.root)
        with context.started():
            from selfdebug.steps.explain import explain

            return explain(context, log)
    except Ended as end:
        return Explanation(settings.root, end.exit_code, str(end))
    except (WorkspaceError, PytestMissing, SandboxMissing) as error:
        return Explanation(settings.root, 4, str(error))
    except KeyboardInterrupt:
        return Explanation(settings.root, 130, "interrupted")
    except Exception as error:  # noqa: BLE001 - as above
        traceback.print_exc()
        return Explanation(settings.root, 1, f"selfdebug failed; please report it: {error!r}")


def probe(
    settings: Settings, tests: Prepared, lines: Mapping[Path, Collection[int]], step: Step
) -> Probed:
    """Run the tests with probes in lines of files, and return what was logged.

    Raises Unreadable where a line has no statement, OverlayUnusable where the tests cannot be made to
    import the probed files without a write to the project, PytestMissing, SandboxMissing, OSError;
    WorkspaceError where a killed run has left its edits in place.
    """
    from selfdebug.steps import probe

    check_finished(settings.root)
    context = Context(settings, tests, step)
    with context.started():
        return probe.probe(context, lines, settings.nodes)
